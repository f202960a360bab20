#include <sinter/codegen/schedule/model/rank_candidates.hpp>

#include <sinter/codegen/base/thread_memory.hpp>
#include <sinter/codegen/nest/reduction_phases.hpp>
#include <sinter/codegen/schedule/choose/check_schedule.hpp>
#include <sinter/codegen/schedule/device_fill.hpp>
#include <sinter/codegen/schedule/model/size_class.hpp>
#include <sinter/codegen/schedule/reduction_facts.hpp>
#include <sinter/codegen/schedule/tiling.hpp>

#include <algorithm>
#include <vector>

namespace sinter::inline v0 {
namespace {

constexpr std::int64_t thousandths = 1000;

/// What a candidate's estimate must be of the proposed schedule's, in thousandths, because estimates err: of
/// nests without reductions, and of columns that several loops load
/// (bench/results/2026-11-26-nvidia-h100-pipelines.md); of other reductions; of rows that several loops read
/// (bench/results/2026-11-26-nvidia-h100-long-row-candidates.md); and of those whose proposed schedules were
/// measured one by one (bench/results/2026-11-22-nvidia-h200-schedules.md). The least regret on drawn
/// kernels.
constexpr std::int64_t enough_gain = 900, enough_gain_of_reductions = 750, enough_gain_of_rows_again = 700,
                       enough_gain_over_measured = 450;

/// The same at every size of the class, at most: what is faster for large arrays is not slower for others.
constexpr std::int64_t max_share = 1020;

bool is_contiguous(const nest& loop_nest) {
  return std::ranges::all_of(loop_nest.accesses, [](const access& at) {
    return at.what == access::kind::position || at.pattern(0) != step_pattern::strided;
  });
}

/// Whether resident rows and columns like these were measured one by one: those of whole vectors, which
/// alignment does not decide here, staged ones, and rows that a cluster holds in registers and stores.
bool is_measured(const nest& loop_nest, const schedule& proposed, const target_facts& target) {
  const bool columns = reduces_columns(proposed.order);
  const std::int64_t most = lanes_along(loop_nest, columns ? 0 : first_reduced_axis(loop_nest), target);
  if (proposed.vector > 1 || most == 1) return !columns || loop_nest.extents[0] % proposed.vector == 0;
  return proposed.staged ||
         (proposed.cluster > 1 && proposed.shared_steps == 0 && stores_each_element(loop_nest));
}

bool reads_columns_again(const nest& loop_nest, const schedule& proposed) {
  return !loop_nest.is_reduced(0) && loops_of(loop_nest) > 1 && !proposed.resident;
}

std::int64_t count_blocks(const nest& loop_nest, const schedule& at, const target_facts& target) {
  return count_tiles(loop_nest, at, tile_of(loop_nest, at, target.kind));
}

bool fills(const nest& loop_nest, const schedule& at, const target_facts& target) {
  return fills_device(count_blocks(loop_nest, at, target), std::int64_t{at.threads_along} * at.threads_across,
                      target);
}

/// Whether a reduction that leaves the device idle is ranked: columns, and rows with several rows a thread.
/// The blocks that are proposed for these are meant for launches that fill the device
/// (bench/results/2026-11-29-nvidia-h200-model-regret.md, "Idle devices").
bool can_be_spread(const schedule& proposed) {
  return reduces_columns(proposed.order) || proposed.rows_per_thread > 1;
}

/// What ranking needs, which each thread keeps so that a repeated layout of one loop allocates nothing.
struct ranking_memory {
  candidate_ranking ranking;
  std::vector<schedule> candidates;
};

}  // namespace

std::int64_t asked_share(const nest& loop_nest, const schedule& proposed, const target_facts& target) {
  if (loop_nest.reduced == 0 || reads_columns_again(loop_nest, proposed)) return enough_gain;
  if (proposed.cluster == 1 && !fills(loop_nest, proposed, target)) return enough_gain_of_reductions;
  const bool again = loops_of(loop_nest) > 1 && !has_scans(loop_nest);
  if (is_contiguous(loop_nest) && (!again || is_measured(loop_nest, proposed, target)))
    return enough_gain_over_measured;
  return again ? enough_gain_of_rows_again : enough_gain_of_reductions;
}

void candidate_ranking::assign(const nest& loop_nest, const schedule& proposed, const target_facts& target) {
  rates_ = gpu_rates_of(target).rates;
  target_ = target;
  count_ = 0;
  for (const class_member& sizes : members_of_class(loop_nest, has_long_rows(proposed))) {
    member& made = members_[count_++];
    made.body = loop_nest;
    step_along_pieces(made.body);
    take_sizes(made.body, sizes);
    bound_sizes(made.body);
    made.work.assign(made.body);
    made.proposed_cycles = std::max<std::int64_t>(1, cycles(made, proposed));
  }
}

std::int64_t candidate_ranking::share_of(const schedule& at, std::int64_t most) const {
  std::int64_t of_largest = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    const std::int64_t share = cycles(members_[i], at) * thousandths / members_[i].proposed_cycles;
    if (i == 0) of_largest = share;
    if (share > max_share || of_largest >= most) return share;
  }
  return of_largest;
}

std::int64_t candidate_ranking::min_share() const {
  const member& largest = members_[0];
  const auto cycles = [&](bool resident) {
    schedule at;
    at.resident = resident;
    return min_cycles(memory_sectors_of(largest.work.of(at), target_), rates_);
  };
  return std::min(cycles(false), cycles(true)) * thousandths / largest.proposed_cycles;
}

std::int64_t candidate_ranking::cycles(const member& sizes, const schedule& at) const {
  return cost_of(work_of(sizes.body, sizes.work.of(at), at, target_), rates_).cycles;
}

schedule choose_candidate(const nest& loop_nest, const schedule& proposed,
                          std::span<const array_layout> inputs, std::span<const array_layout> outputs,
                          const target_facts& target) {
  if (has_sorts(loop_nest)) return proposed;  // the network decides, which the model does not see
  const bool reduces = loop_nest.reduced != 0, is_filled = !reduces || fills(loop_nest, proposed, target);
  if (!is_filled && proposed.cluster == 1 && !can_be_spread(proposed)) return proposed;
  // a candidate fills the device as the proposed schedule does, or uses no fewer multiprocessors
  const std::int64_t min_blocks =
      is_filled ? 0
                : std::min<std::int64_t>(count_blocks(loop_nest, proposed, target), target.multiprocessors);
  const auto is_spread = [&](const schedule& at) {
    return !reduces ||
           (is_filled ? fills(loop_nest, at, target) : count_blocks(loop_nest, at, target) >= min_blocks);
  };
  auto& [ranking, candidates] = thread_memory<ranking_memory>::get();
  list_candidates(loop_nest, proposed, target, candidates);
  if (candidates.empty()) return proposed;
  schedule aligned = proposed;
  aligned.scalar_loads = reduces_columns(proposed.order) && loop_nest.extents[0] % proposed.vector != 0;
  ranking.assign(loop_nest, aligned, target);
  const std::int64_t required = asked_share(loop_nest, proposed, target);
  if (ranking.min_share() >= required) return proposed;
  const auto fastest = [&](const auto& is_asked) {
    schedule best = proposed;
    std::int64_t least = required;
    for (const schedule& at : candidates) {
      if (!is_asked(at) || !is_spread(at)) continue;
      const std::int64_t share = ranking.share_of(at, least);
      if (share >= least) continue;
      least = share;
      best = at;
    }
    return best;
  };
  const auto can_run = [&](const schedule& at) {
    return fault_of_schedule(at, loop_nest, inputs, outputs, target) == nullptr;
  };
  const schedule best = with_loads(fastest([](const schedule&) { return true; }), loop_nest, inputs, outputs);
  if (can_run(best)) return best;
  const schedule narrow = fastest([](const schedule& at) { return at.vector == 1; });
  return can_run(narrow) ? narrow : proposed;
}

std::vector<estimated_schedule> list_estimates(const nest& loop_nest, const schedule& chosen,
                                               const target_facts& target, std::size_t others) {
  const gpu_rates rates = gpu_rates_of(target).rates;
  nest body = loop_nest;
  step_along_pieces(body);
  bound_sizes(body);
  work_by_residence work;
  work.assign(body);
  std::vector<schedule> candidates;
  list_candidates(loop_nest, chosen, target, candidates);
  std::erase_if(candidates, [&](schedule at) {
    at.scalar_loads = chosen.scalar_loads;
    return at == chosen;
  });
  std::vector<estimated_schedule> all;
  const auto estimate = [&](const schedule& at) {
    return cost_of(work_of(body, work.of(at), at, target), rates);
  };
  for (const schedule& at : candidates) all.push_back({at, estimate(at)});
  const auto last = all.begin() + static_cast<std::ptrdiff_t>(std::min(others, all.size()));
  std::ranges::partial_sort(all, last, {}, [](const estimated_schedule& at) { return at.cost.cycles; });
  all.erase(last, all.end());
  all.insert(all.begin(), {chosen, estimate(chosen)});
  return all;
}

}  // namespace sinter::inline v0
