#include <sinter/codegen/schedule/model/cost_model.hpp>

#include <sinter/codegen/base/integers.hpp>

#include <algorithm>
#include <numeric>

namespace sinter::inline v0 {
namespace {

constexpr std::int64_t sixteenths = 16, whole = 1024;

/// What the busiest multiprocessor has of something that all blocks do. If several waves of blocks follow
/// each other, those that are done early take blocks from the next.
std::int64_t share_of(std::int64_t all, const kernel_work& work, std::int64_t multiprocessors) {
  const std::int64_t fullest = all / work.blocks * divide_up(work.blocks, multiprocessors);
  if (work.blocks <= multiprocessors * work.resident_blocks) return fullest;
  return (all / multiprocessors + fullest) / 2;
}

}  // namespace

cost_limit kernel_cost::tightest() const {
  return static_cast<cost_limit>(std::ranges::max_element(limits) - limits.begin());
}

kernel_cost cost_of(const kernel_work& work, const gpu_rates& rates) {
  const std::int64_t multiprocessors = rates.multiprocessors;
  const auto share = [&](std::int64_t all) { return share_of(all, work, multiprocessors); };
  const instruction_counts& each = work.instructions;
  const std::int64_t issued = each.issued * rates.instruction + each.integers * rates.integer +
                              each.doubles * rates.float64 + each.special * rates.special;
  const std::int64_t of_warp = each.issued / std::max<std::int64_t>(1, work.blocks * work.warps);
  const std::int64_t of_block =
      work.chunks * rates.latency + of_warp * rates.dependence / sixteenths + work.waits * rates.wait;
  const std::int64_t slots = multiprocessors * work.resident_blocks;
  kernel_cost made;
  made.limits = {share(issued) / sixteenths * (whole + work.spilled * rates.spill) / whole,
                 share(work.lookups) * rates.lookup / sixteenths,
                 share(work.sectors) * rates.sector / sixteenths,
                 work.memory_sectors * rates.memory_sector / sixteenths / multiprocessors,
                 work.blocks > slots ? of_block * (work.blocks + slots / 2) / slots : of_block};
  const std::int64_t most = *std::ranges::max_element(made.limits);
  const std::int64_t all = std::accumulate(made.limits.begin(), made.limits.end(), std::int64_t{0});
  made.cycles = rates.launch + most + (all - most) * rates.overlapped / whole;
  return made;
}

}  // namespace sinter::inline v0
