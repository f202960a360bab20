#include <sinter/codegen/schedule/tuning/tuning_candidates.hpp>

#include <sinter/codegen/schedule/choose/check_schedule.hpp>
#include <sinter/codegen/schedule/choose/choose_schedule.hpp>
#include <sinter/codegen/schedule/model/candidate_space.hpp>
#include <sinter/codegen/schedule/model/cost_model.hpp>
#include <sinter/codegen/schedule/model/size_class.hpp>
#include <sinter/codegen/schedule/tuning/combining_order.hpp>
#include <sinter/codegen/schedule/tuning/cpu_candidates.hpp>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
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

std::vector<schedule> list_data_variations(const schedule& of, const nest& loop_nest,
                                           std::span<const array_layout> inputs,
                                           std::span<const array_layout> outputs,
                                           const target_facts& target) {
  std::vector<schedule> found;
  const auto add = [&](auto schedule::* field, auto value) {
    schedule other = of;
    other.*field = value;
    if (other != of && fault_of_schedule(other, loop_nest, inputs, outputs, target) == nullptr)
      found.push_back(other);
  };
  if (is_gpu(target.kind)) {
    for (const eviction reads : {eviction::normal, eviction::last, eviction::first})
      add(&schedule::reads, reads);
    return found;
  }
  add(&schedule::streaming, !of.streaming);
  // sums of updates depend on how tasks share them
  if (loop_nest.has_updates() && !combines_exactly(loop_nest)) return found;
  // several tasks for each thread even out what threads are slowed down by
  constexpr int max_tasks_of_thread = 4;
  std::set<int> tasks;
  for (int few = 1; few < target.multiprocessors; few *= 2) tasks.insert(few);
  for (int many = 1; many <= max_tasks_of_thread; many *= 2) tasks.insert(many * target.multiprocessors);
  for (const int each : tasks) add(&schedule::tasks, narrow(each));
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
