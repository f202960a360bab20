#include <sinter/codegen/base/integers.hpp>
#include <sinter/codegen/nest/reduction_phases.hpp>
#include <sinter/codegen/schedule/choose/choose_scan.hpp>
#include <sinter/codegen/schedule/device_fill.hpp>
#include <sinter/codegen/schedule/reduction_facts.hpp>
#include <sinter/codegen/schedule/thresholds.hpp>
#include <sinter/codegen/schedule/tiling.hpp>
#include <sinter/codegen/target/cuda_limits.hpp>

#include <algorithm>

namespace sinter::inline v0 {
namespace {

void widen_rows(const nest& loop_nest, const target_facts& target, unsigned attempt, schedule& chosen) {
  const gpu_scan_thresholds& table = gpu_thresholds_of(target).scans;
  const std::int64_t whole = power_above(count_rows(loop_nest, true)), rows = count_rows(loop_nest, false);
  const bool few = attempt == 0 && rows * table.block < max_block_threads * target.multiprocessors;
  const std::int64_t most = few ? max_block_threads : table.block;
  const bool in_a_warp = whole <= table.row_of_a_warp;
  const std::int64_t wanted = in_a_warp ? std::min(warp_threads(target.kind), whole / table.steps_in_a_warp)
                                        : std::min(whole / table.elements_of_a_thread, most);
  const std::int64_t threads =
      std::clamp<std::int64_t>(wanted, 1, std::max<std::int64_t>(1, whole / chosen.vector));
  const std::int64_t max_steps = attempt != 0 ? 1
                                 : in_a_warp  ? table.steps_in_a_warp
                                              : table.steps_in_a_block;
  chosen.cluster = chosen.rows_per_thread = 1;
  chosen.threads_along = narrow(threads);
  chosen.threads_across = narrow(std::max<std::int64_t>(1, table.block / 2 / threads));
  chosen.steps = narrow(std::clamp<std::int64_t>(whole / (threads * chosen.vector), 1, max_steps));
}

/// Narrows strips and adds threads along them until there are enough blocks.
void narrow_columns(const nest& loop_nest, const target_facts& target, schedule& chosen) {
  const auto blocks = [&] { return count_tiles(loop_nest, chosen, tile_of(loop_nest, chosen, target.kind)); };
  while (chosen.vector > 1 && blocks() < blocks_to_fill(target)) chosen.vector /= 2;
  if (chosen.vector == 1) chosen.scalar_loads = false;
  const std::int64_t length = count_rows(loop_nest, true);
  while (blocks() < blocks_to_fill(target) &&
         chosen.threads_along * chosen.threads_across < max_block_threads &&
         chosen.threads_across * chosen.steps < length)
    chosen.threads_across = narrow(2 * chosen.threads_across);
  while (chosen.threads_across > 1 &&
         bytes_of_scan_exchange(loop_nest, chosen) > gpu_thresholds_of(target).scans.max_shared_bytes)
    chosen.threads_across = narrow(chosen.threads_across / 2);
}

}  // namespace

void adapt_to_scans(const nest& loop_nest, const target_facts& target, unsigned attempt, schedule& chosen) {
  if (target.kind == target_kind::cpu || chosen.resident) return;
  if (reduces_columns(chosen.order))
    narrow_columns(loop_nest, target, chosen);
  else
    widen_rows(loop_nest, target, attempt, chosen);
}

bool has_enough_threads(const schedule& chosen, std::int64_t blocks, const target_facts& target) {
  return blocks * chosen.threads_along * chosen.threads_across >=
         gpu_thresholds_of(target).scans.threads_to_fill * target.multiprocessors;
}

}  // namespace sinter::inline v0
