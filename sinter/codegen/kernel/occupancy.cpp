#include <sinter/codegen/kernel/occupancy.hpp>

#include <sinter/codegen/target/cuda_limits.hpp>
#include <sinter/codegen/target/known_devices.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <vector>

namespace sinter::inline v0 {
namespace {

constexpr std::int64_t unbounded = std::numeric_limits<std::int64_t>::max();
constexpr std::array<std::string_view, occupancy_limits> limit_names = {"threads", "blocks", "registers",
                                                                        "shared memory"};

std::int64_t divided_up(std::int64_t value, std::int64_t by) { return (value + by - 1) / by; }
std::int64_t rounded_up(std::int64_t value, std::int64_t unit) { return divided_up(value, unit) * unit; }

/// Each partition of a multiprocessor has a quarter of the registers and of the warps. A launch is refused as
/// if all partitions had as many warps of the block as the fullest.
std::int64_t blocks_by_registers(const block_use& use, std::int64_t warps, std::int64_t threads_of_warp) {
  if (use.registers <= 0) return unbounded;
  const std::int64_t of_warp = rounded_up(use.registers * threads_of_warp, warp_register_unit);
  if (use.registers > max_compiled_registers ||
      of_warp * rounded_up(warps, multiprocessor_partitions) > multiprocessor_registers)
    return 0;
  const std::int64_t warps_of_partition = multiprocessor_registers / multiprocessor_partitions / of_warp;
  return warps_of_partition * multiprocessor_partitions / warps;
}

/// A block can have all of a multiprocessor's shared memory but what is reserved for one block.
std::int64_t blocks_by_shared_memory(const block_use& use, const target_facts& target) {
  const bool reserves = target.architecture >= first_with_reserved_shared;
  const std::int64_t reserved = reserves ? reserved_shared_bytes : 0;
  const std::int64_t unit = reserves ? shared_memory_unit : first_shared_memory_unit;
  const std::int64_t taken = rounded_up(use.shared_bytes + reserved, unit);
  if (taken == 0) return unbounded;
  return (std::int64_t{target.shared_bytes_per_block} + reserved) / taken;
}

}  // namespace

occupancy occupancy_of(const block_use& use, const target_facts& target) {
  const std::int64_t threads_of_warp = warp_threads(target.kind);
  const std::int64_t warps = divided_up(std::max<std::int64_t>(use.threads, 1), threads_of_warp);
  occupancy made;
  made.max_warps = target.threads_per_multiprocessor / threads_of_warp;
  made.blocks_by = {use.threads > max_block_threads ? 0 : made.max_warps / warps,
                    multiprocessor_blocks_of(target.architecture),
                    blocks_by_registers(use, warps, threads_of_warp), blocks_by_shared_memory(use, target)};
  made.blocks = *std::ranges::min_element(made.blocks_by);
  made.warps = made.blocks * warps;
  return made;
}

std::string describe(const occupancy& of, const block_use& use) {
  std::vector<std::string_view> limits;
  for (std::size_t i = 0; i < occupancy_limits; ++i)
    if (of.is_limited_by(static_cast<occupancy_limit>(i))) limits.push_back(limit_names[i]);
  return fmt::format("{} block{} of {} threads, {} of {} warps ({:.0f}%), limited by {}", of.blocks,
                     of.blocks == 1 ? "" : "s", use.threads, of.warps, of.max_warps,
                     100.0 * static_cast<double>(of.warps) / static_cast<double>(of.max_warps),
                     fmt::join(limits, " and "));
}

}  // namespace sinter::inline v0
