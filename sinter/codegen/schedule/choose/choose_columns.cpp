#include <sinter/codegen/base/integers.hpp>
#include <sinter/codegen/nest/reduction_phases.hpp>
#include <sinter/codegen/schedule/choose/choose_columns.hpp>
#include <sinter/codegen/schedule/choose/choose_scan.hpp>
#include <sinter/codegen/schedule/device_fill.hpp>
#include <sinter/codegen/schedule/reduction_facts.hpp>
#include <sinter/codegen/schedule/thresholds.hpp>
#include <sinter/codegen/schedule/tiling.hpp>
#include <sinter/codegen/schedule/warp_shape.hpp>
#include <sinter/codegen/target/cuda_limits.hpp>

#include <algorithm>

namespace sinter::inline v0 {
namespace {

/// Whether the loads of a column nest serve all elements of a thread, so that arithmetic is the bottleneck.
bool loads_for_all_lanes(const nest& loop_nest) {
  bool any = false;
  for (const access& at : loop_nest.accesses) {
    if (at.what != access::kind::read || !moves_along_reduced_axes(loop_nest, at)) continue;
    if (at.strides[0] != 0) return false;
    any = true;
  }
  return any;
}

std::int64_t column_lanes(const nest& loop_nest, const target_facts& target) {
  const gpu_thresholds& table = gpu_thresholds_of(target);
  std::int64_t lanes = loads_for_all_lanes(loop_nest)
                           ? std::min(table.columns.lanes_of_arithmetic,
                                      power_below(table.reductions.max_sum_bytes / bytes_of_sums(loop_nest)))
                           : lanes_along(loop_nest, 0, target);
  lanes = std::min(lanes, power_above(loop_nest.extents[0]));
  // strips that several phases read are not split; if they are few, they are made narrower
  if (loops_of(loop_nest) < 2 || count_work(loop_nest, target) < enough_work(target)) return lanes;
  const std::int64_t outer = count_rows(loop_nest, false) / loop_nest.extents[0];
  const std::int64_t threads = table.columns.strip_threads;
  const auto strips = [&] { return outer * divide_up(loop_nest.extents[0], threads * lanes); };
  while (lanes > 1 && loop_nest.extents[0] > threads * lanes && strips() < blocks_to_fill(target)) lanes /= 2;
  return lanes;
}

std::int64_t column_threads_along(const nest& loop_nest, const target_facts& target) {
  const std::int64_t vector = column_lanes(loop_nest, target);
  return std::min(gpu_thresholds_of(target).columns.strip_threads,
                  power_above(divide_up(loop_nest.extents[0], vector)));
}

/// Threads along axis 0, at most `along`: fewer where operands are contiguous along the reduced axis instead.
std::int64_t square_threads_along(const nest& loop_nest, std::int64_t vector, std::int64_t along,
                                  const target_facts& target) {
  const unsigned across = first_reduced_axis(loop_nest);
  if (has_scans(loop_nest) || !reads_transposed(loop_nest, 0, across)) return along;
  return warp_threads_along(loop_nest, 0, across, vector, along, target);
}

/// Elements of a resident column that a thread has: fewer where the text of its elements would be long, and
/// possibly none.
std::int64_t resident_steps(const nest& loop_nest, const target_facts& target) {
  const gpu_thresholds& table = gpu_thresholds_of(target);
  std::int64_t weight = 0;
  for (const instruction& at : loop_nest.body) weight += at.per_element ? weight_of(at.op) : 0;
  for (const access& at : loop_nest.accesses) weight += at.what == access::kind::read ? 1 : 0;
  const std::int64_t most = table.columns.max_resident_weight /
                            (std::max<std::int64_t>(1, weight) * column_lanes(loop_nest, target));
  return most == 0 ? 0 : std::min(table.columns.resident_steps, power_below(most));
}

/// The schedule of columns that stay resident from one phase to the next.
schedule choose_resident_columns(const nest& loop_nest, std::span<const array_layout> inputs,
                                 std::span<const array_layout> outputs, const target_facts& target) {
  const gpu_thresholds& table = gpu_thresholds_of(target);
  const std::int64_t length = count_rows(loop_nest, true);
  const std::int64_t vector = column_lanes(loop_nest, target);
  const std::int64_t along =
      square_threads_along(loop_nest, vector, column_threads_along(loop_nest, target), target);
  const std::int64_t across =
      std::clamp<std::int64_t>(power_above(divide_up(length, resident_steps(loop_nest, target))),
                               std::max<std::int64_t>(1, table.reductions.min_block_threads / along),
                               table.columns.max_resident_threads / along);
  schedule chosen;
  chosen.order = loop_order::column_reduction;
  chosen.resident = true;
  chosen.vector = narrow(vector);
  chosen.scalar_loads = vector > 1 && !loads_whole_lanes(loop_nest, 0, vector, inputs, outputs);
  chosen.threads_along = narrow(along);
  chosen.threads_across = narrow(across);
  chosen.steps = narrow(std::max<std::int64_t>(1, power_above(length) / across));
  return chosen;
}

}  // namespace

bool is_column_order(const nest& loop_nest, const target_facts& target) {
  if (loop_nest.is_reduced(0) || loop_nest.extents[0] < 2) return false;
  if (target.kind == target_kind::cpu)
    return loop_nest.extents[0] >= cpu_thresholds_of(target).narrowest_column;
  const gpu_thresholds& table = gpu_thresholds_of(target);
  if (loops_of(loop_nest) != 1) {
    if (loop_nest.extents[0] < table.columns.narrowest) return false;
    if (is_needed_again(loop_nest)) return true;
  }
  const std::int64_t max_across =
      power_above(divide_up(count_rows(loop_nest, true), table.reductions.loads_in_flight));
  return power_above(loop_nest.extents[0]) * max_across >= table.columns.min_block_threads;
}

std::int64_t max_resident_column_extent(const nest& loop_nest, const target_facts& target) {
  const gpu_column_thresholds& table = gpu_thresholds_of(target).columns;
  return table.max_resident_threads / column_threads_along(loop_nest, target) *
         resident_steps(loop_nest, target);
}

schedule choose_columns(const nest& loop_nest, std::span<const array_layout> inputs,
                        std::span<const array_layout> outputs, const target_facts& target, unsigned attempt) {
  const std::int64_t length = count_rows(loop_nest, true);
  if (attempt == 0 && !has_scans(loop_nest) && loops_of(loop_nest) > 1 && length > 0 &&
      length <= max_resident_column_extent(loop_nest, target) && is_needed_again(loop_nest))
    return choose_resident_columns(loop_nest, inputs, outputs, target);
  const gpu_reduction_thresholds& common = gpu_thresholds_of(target).reductions;
  const gpu_column_thresholds& table = gpu_thresholds_of(target).columns;
  const std::int64_t warp = warp_threads(target.kind);
  std::int64_t vector = column_lanes(loop_nest, target);
  const std::int64_t most = power_above(divide_up(length, common.loads_in_flight));
  while (vector > 1 && power_above(divide_up(loop_nest.extents[0], vector)) * most < table.min_block_threads)
    vector /= 2;
  const std::int64_t widest = power_above(divide_up(loop_nest.extents[0], vector));
  std::int64_t along = std::min(warp, widest);  // whole cache lines
  // columns that several phases read are not split into pieces: if they are few, they have larger blocks
  // instead
  const bool few =
      loops_of(loop_nest) > 1 && count_rows(loop_nest, false) < along * vector * target.multiprocessors;
  std::int64_t across = std::min((few ? max_block_threads : table.block) / along, most);
  while (across > 1 &&
         bytes_of_column_exchange(loop_nest, along, across, vector, warp) > common.max_static_bytes)
    across /= 2;
  if (along * across < common.min_block_threads) along = std::min(common.min_block_threads / across, widest);
  if (const std::int64_t square = square_threads_along(loop_nest, vector, along, target); square < along) {
    across = std::min(along * across / square, power_above(length));
    along = square;
  }
  schedule chosen;
  chosen.order = loop_order::column_reduction;
  chosen.vector = narrow(vector);
  chosen.scalar_loads = vector > 1 && !loads_whole_lanes(loop_nest, 0, vector, inputs, outputs);
  chosen.steps = narrow(
      attempt == 0 ? std::clamp<std::int64_t>(power_above(length) / across, 1, common.loads_in_flight) : 1);
  chosen.threads_along = narrow(along);
  chosen.threads_across = narrow(across);
  return chosen;
}

}  // namespace sinter::inline v0
