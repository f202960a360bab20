#include <sinter/codegen/schedule/tuning/tuning_candidates.hpp>

#include <sinter/codegen/schedule/choose/check_schedule.hpp>
#include <sinter/codegen/schedule/model/candidate_space.hpp>
#include <sinter/codegen/schedule/model/cost_model.hpp>
#include <sinter/codegen/schedule/model/size_class.hpp>
#include <sinter/codegen/schedule/tuning/combining_order.hpp>
#include <sinter/codegen/schedule/tuning/cpu_candidates.hpp>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <tuple>
#include <utility>

namespace sinter::inline v0 {
namespace {

/// Where the elements of rows are, and what shares them.
auto kind_of_schedule(const schedule& at) {
  return std::tuple(at.order, at.resident, at.staged, at.cluster > 1, at.shared_steps > 0, at.tile);
}

std::vector<schedule> list_gpu_candidates(const nest& loop_nest, const schedule& chosen,
                                          std::span<const array_layout> inputs,
                                          std::span<const array_layout> outputs, const target_facts& target) {
  std::vector<schedule> found;
  list_candidates(loop_nest, chosen, target, found);
  for (schedule& at : found) at = with_loads(at, loop_nest, inputs, outputs);
  for (const eviction reads : {eviction::normal, eviction::last, eviction::first}) {
    schedule other = chosen;
    other.reads = reads;
    found.push_back(other);
  }
  return found;
}

struct estimated {
  schedule what;
  std::int64_t cycles;
};

}  // namespace

std::vector<schedule> list_legal_schedules(const nest& loop_nest, const schedule& chosen,
                                           std::span<const array_layout> inputs,
                                           std::span<const array_layout> outputs, const target_facts& target,
                                           bool may_change_bits) {
  std::vector<schedule> found;
  if (loop_nest.shape_generic) return found;
  found = is_gpu(target.kind) ? list_gpu_candidates(loop_nest, chosen, inputs, outputs, target)
                              : list_cpu_candidates(loop_nest, chosen, target);
  std::erase_if(found, [&](const schedule& at) {
    return at == chosen || fault_of_schedule(at, loop_nest, inputs, outputs, target) != nullptr ||
           (!may_change_bits && !combines_alike(loop_nest, chosen, at, target));
  });
  std::ranges::sort(found);
  found.erase(std::ranges::unique(found).begin(), found.end());
  return found;
}

void sort_by_promise(std::vector<schedule>& schedules, const nest& loop_nest, const target_facts& target) {
  if (!is_gpu(target.kind)) return;
  nest body = loop_nest;
  step_along_pieces(body);
  work_by_residence work;
  work.assign(body);
  const gpu_rates rates = gpu_rates_of(target).rates;
  std::vector<estimated> all;
  for (const schedule& at : schedules)
    all.push_back({at, cost_of(work_of(body, work.of(at), at, target), rates).cycles});
  std::ranges::sort(all, {}, [](const estimated& at) { return std::pair(at.cycles, at.what); });
  std::map<decltype(kind_of_schedule({})), int> taken;
  std::deque<estimated> left(all.begin(), all.end());
  schedules.clear();
  constexpr int cheapest_in_turn = 3;
  for (int turn = 1; !left.empty(); ++turn) {
    const auto next =
        turn % (cheapest_in_turn + 1) != 0
            ? left.begin()
            : std::ranges::min_element(left, {}, [&](const estimated& at) {
                return taken[kind_of_schedule(at.what)];  // of equal ones the first, the cheapest
              });
    ++taken[kind_of_schedule(next->what)];
    schedules.push_back(next->what);
    left.erase(next);
  }
}

}  // namespace sinter::inline v0
