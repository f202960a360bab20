#include "candidates.hpp"

#include <sinter/codegen/schedule/model/cost_model.hpp>
#include <sinter/codegen/schedule/model/size_class.hpp>
#include <sinter/codegen/schedule/tuning/tuning_candidates.hpp>

#include <algorithm>
#include <map>
#include <random>
#include <tuple>
#include <utility>

namespace sinter_bench {
using namespace sinter;

const stage* heaviest_stage(const lowered_call& lowered) {
  const stage* heaviest = nullptr;
  for (std::size_t i = 0; i < lowered.stage_count; ++i) {
    const stage& at = lowered.stages[i];
    if (at.tiles > 0 && (heaviest == nullptr || at.bytes_moved > heaviest->bytes_moved)) heaviest = &at;
  }
  return heaviest;
}

namespace {

/// Where the elements of rows are, and what shares them.
auto kind_of(const schedule& at) {
  return std::tuple(at.order, at.resident, at.staged, at.cluster > 1, at.shared_steps > 0);
}

/// Sorts schedules so that each kind that has some left follows once before any follows again.
void take_kinds_in_turn(std::vector<schedule>::iterator first, std::vector<schedule>::iterator last) {
  struct numbered_schedule {
    int turn;
    std::ptrdiff_t place;
    schedule what;
  };
  std::map<decltype(kind_of({})), int> count;
  std::vector<numbered_schedule> numbered;
  for (auto at = first; at != last; ++at) numbered.push_back({count[kind_of(*at)]++, at - first, *at});
  std::ranges::sort(numbered, {}, [](const auto& each) { return std::pair(each.turn, each.place); });
  std::ranges::transform(numbered, first, &numbered_schedule::what);
}

}  // namespace

std::vector<schedule> candidates_of(const stage& of, const lowering_request& asked, std::size_t most,
                                    std::uint64_t seed) {
  std::vector<schedule> all =
      list_legal_schedules(of.body, of.chosen, asked.inputs, asked.outputs, asked.target, true);
  std::mt19937_64 draws(seed);
  for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[draws() % i]);
  nest body = of.body;
  step_along_pieces(body);
  work_by_residence work;
  work.assign(body);
  const gpu_rates rates = gpu_rates_of(asked.target).rates;
  const auto cycles = [&](const schedule& at) {
    return cost_of(work_of(body, work.of(at), at, asked.target), rates).cycles;
  };
  const auto best = all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), most / 2));
  std::ranges::partial_sort(all, best, {}, cycles);
  take_kinds_in_turn(best, all.end());
  if (all.size() > most) all.resize(most);
  return all;
}

}  // namespace sinter_bench
