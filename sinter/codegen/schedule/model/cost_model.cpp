#include <sinter/codegen/schedule/model/cost_model.hpp>

#include <sinter/codegen/base/integers.hpp>

#include <algorithm>
#include <cmath>

namespace sinter::inline v0 {
namespace {

/// What the busiest multiprocessor has of something that all blocks do. If several waves of blocks follow
/// each other, those that are done early take blocks from the next.
std::int64_t share_of(std::int64_t all, const kernel_work& work, std::int64_t multiprocessors) {
  const std::int64_t fullest = all / work.blocks * divide_up(work.blocks, multiprocessors);
  if (work.blocks <= multiprocessors * work.resident_blocks) return fullest;
  return (all / multiprocessors + fullest) / 2;
}

/// What limits take together: the fourth root of the sum of their fourth powers, so that what is far below
/// the tightest costs nothing. Each step is rounded as IEEE 754 says: every machine chooses the same.
std::int64_t overlapped(const std::array<std::int64_t, cost_limit_names.size()>& limits) {
  double sum = 0;
  for (const std::int64_t each : limits) {
    const double square = static_cast<double>(each) * static_cast<double>(each);
    sum += square * square;
  }
  return static_cast<std::int64_t>(std::sqrt(std::sqrt(sum)));
}

}  // namespace

cost_limit kernel_cost::tightest() const {
  return static_cast<cost_limit>(std::ranges::max_element(limits) - limits.begin());
}

std::int64_t min_cycles(std::int64_t memory_sectors, const gpu_rates& rates) {
  return rates.launch +
         overlapped({memory_sectors * rates.memory_sector / rates_in_cycle / rates.multiprocessors});
}

kernel_cost cost_of(const kernel_work& work, const gpu_rates& rates) {
  const std::int64_t multiprocessors = rates.multiprocessors;
  const auto share = [&](std::int64_t all) { return share_of(all, work, multiprocessors); };
  const instruction_counts& each = work.instructions;
  const fitted_rates& fitted = work.reads_again ? rates.rows_again : rates.others;
  const std::int64_t issued = each.issued * rates.instruction + each.integers * rates.integer +
                              each.doubles * rates.float64 + each.special * rates.special;
  const std::int64_t of_warp = each.issued / std::max<std::int64_t>(1, work.blocks * work.warps);
  const std::int64_t of_block = work.chunks * fitted.latency + of_warp * fitted.dependence / rates_in_cycle +
                                work.waits * fitted.wait + work.cluster_waits * fitted.cluster_wait +
                                work.shared_steps * fitted.shared_step;
  const std::int64_t slots = multiprocessors * work.resident_blocks;
  kernel_cost made;
  made.limits = {
      share(issued) / rates_in_cycle * (shares_in_whole + work.spilled * fitted.spill) / shares_in_whole,
      share(work.lookups) * rates.lookup / rates_in_cycle,
      share(work.sectors) * fitted.sector / rates_in_cycle,
      (work.memory_sectors * rates.memory_sector + work.memory_pages * fitted.memory_page) / rates_in_cycle /
          multiprocessors,
      work.blocks > slots ? of_block * (work.blocks + slots / 2) / slots : of_block,
      (divide_up(work.blocks, multiprocessors) - 1) * rates.block};
  made.cycles = rates.launch + overlapped(made.limits);
  return made;
}

}  // namespace sinter::inline v0
