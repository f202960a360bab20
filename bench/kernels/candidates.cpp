#include "candidates.hpp"

#include <sinter/codegen/schedule/choose/check_schedule.hpp>
#include <sinter/codegen/schedule/model/candidate_space.hpp>
#include <sinter/codegen/schedule/model/cost_model.hpp>
#include <sinter/codegen/schedule/model/size_class.hpp>

#include <algorithm>
#include <random>

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

std::vector<schedule> candidates_of(const stage& of, const lowering_request& asked, std::size_t most,
                                    std::uint64_t seed) {
  std::vector<schedule> all;
  list_candidates(of.body, of.chosen, asked.target, all);
  for (schedule& at : all) at = with_loads(at, of.body, asked.inputs, asked.outputs);
  std::erase_if(all, [&](const schedule& at) {
    return at == of.chosen ||
           fault_of_schedule(at, of.body, asked.inputs, asked.outputs, asked.target) != nullptr;
  });
  std::mt19937_64 draws(seed);
  for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[draws() % i]);
  nest body = of.body;
  step_along_pieces(body);
  nest_work work;
  work.assign(body, of.chosen.resident);
  const gpu_rates rates = gpu_rates_of(asked.target).rates;
  const auto cycles = [&](const schedule& at) {
    return cost_of(work_of(body, work, at, asked.target), rates).cycles;
  };
  const auto best = all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), most / 2));
  std::ranges::partial_sort(all, best, {}, cycles);
  if (all.size() > most) all.resize(most);
  return all;
}

}  // namespace sinter_bench
