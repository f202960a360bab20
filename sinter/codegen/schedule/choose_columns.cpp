#include <sinter/codegen/base/integers.hpp>
#include <sinter/codegen/nest/reduction_phases.hpp>
#include <sinter/codegen/schedule/choose_columns.hpp>
#include <sinter/codegen/schedule/choose_scan.hpp>
#include <sinter/codegen/schedule/reduction_facts.hpp>
#include <sinter/codegen/schedule/tiling.hpp>
#include <sinter/codegen/target/device_fill.hpp>

#include <algorithm>

namespace sinter {
namespace {

// Thresholds, measured on an H200.
constexpr std::int64_t narrowest_column =
    8;  ///< extents of axis 0 below it are columns only for one loop on CUDA
constexpr std::int64_t column_block = 256, narrowest_strip = 16;  ///< threads of a block, and along axis 0
constexpr std::int64_t most_exchanged_bytes = 40 * 1024;  ///< of the 48 KiB that a block has without asking
constexpr std::int64_t least_column_block = 64;   ///< threads: with fewer, rows of a block fill it better
constexpr std::int64_t lanes_of_arithmetic = 16;  ///< of columns whose elements are loaded for many lanes
// columns are kept by blocks of many threads along the reduced axis, so that pieces are long
constexpr std::int64_t most_kept_column_threads = 512, kept_column_steps = 8;

/// Whether what a column nest loads for each element serves all lanes: it is bound by arithmetic then.
bool loads_for_all_lanes(const nest& bound) {
  bool any = false;
  for (const access& at : bound.accesses) {
    if (at.what != access::kind::read || !walks_reduced_axes(bound, at)) continue;
    if (at.strides[0] != 0) return false;
    any = true;
  }
  return any;
}

std::int64_t column_lanes(const nest& bound, const target_facts& target) {
  std::int64_t lanes = loads_for_all_lanes(bound)
                           ? std::min(lanes_of_arithmetic, power_below(most_sum_bytes / bytes_of_sums(bound)))
                           : lanes_along(bound, 0, target);
  lanes = std::min(lanes, power_above(bound.extents[0]));
  // strips that are walked again and again are not cut along: they are narrower where they are few
  if (loops_of(bound) < 2 || count_rows(bound, false) * count_rows(bound, true) < enough_work(target))
    return lanes;
  const std::int64_t outer = count_rows(bound, false) / bound.extents[0];
  const auto strips = [&] { return outer * divide_up(bound.extents[0], narrowest_strip * lanes); };
  while (lanes > 1 && bound.extents[0] > narrowest_strip * lanes && strips() < 2 * target.multiprocessors)
    lanes /= 2;
  return lanes;
}

/// Bytes that the warps of a block exchange for each column, in all phases: they lie in static shared memory.
std::int64_t exchanged_bytes(const nest& bound) {
  std::size_t bytes = 0;
  for (const instruction& at : bound.body)
    if (is_reduction(at.op))
      bytes += size_of(facts(at.compute).compute) + (finds_position(at.op) ? sizeof(std::int64_t) : 0);
  return static_cast<std::int64_t>(bytes);
}

std::int64_t column_threads_along(const nest& bound, const target_facts& target) {
  const std::int64_t vector = column_lanes(bound, target);
  return std::min(narrowest_strip, power_above(divide_up(bound.extents[0], vector)));
}

}  // namespace

bool is_column_walk(const nest& bound, target_kind target) {
  if (bound.is_reduced(0) || bound.extents[0] < 2) return false;
  const unsigned loops = loops_of(bound);
  if (target == target_kind::host || loops != 1) {
    if (bound.extents[0] < narrowest_column) return false;
    if (target == target_kind::host || is_needed_again(bound)) return true;
  }
  return power_above(bound.extents[0]) * power_above(divide_up(count_rows(bound, true), loads_in_flight)) >=
         least_column_block;
}

std::int64_t longest_kept_column(const nest& bound, const target_facts& target) {
  return most_kept_column_threads / column_threads_along(bound, target) * kept_column_steps;
}

schedule choose_columns(const nest& bound, std::span<const array_layout> inputs,
                        std::span<const array_layout> outputs, const target_facts& target, unsigned attempt) {
  schedule chosen;
  chosen.order = walk::column_reduction;
  const std::int64_t length = count_rows(bound, true);
  std::int64_t vector = column_lanes(bound, target);
  const std::int64_t kept_along = column_threads_along(bound, target);
  const std::int64_t most_across = most_kept_column_threads / kept_along;
  if (attempt == 0 && !has_scans(bound) && loops_of(bound) > 1 && length <= most_across * kept_column_steps &&
      is_needed_again(bound)) {
    const std::int64_t across =
        std::clamp<std::int64_t>(power_above(divide_up(length, kept_column_steps)),
                                 std::max<std::int64_t>(1, smallest_block / kept_along), most_across);
    chosen.kept = true;
    chosen.vector = narrow(vector);
    chosen.scalar_loads = vector > 1 && !loads_whole_lanes(bound, 0, vector, inputs, outputs);
    chosen.threads_along = narrow(kept_along);
    chosen.threads_across = narrow(across);
    chosen.steps = narrow(std::max<std::int64_t>(1, power_above(length) / across));
    return chosen;
  }
  const std::int64_t most = power_above(divide_up(length, loads_in_flight));
  while (vector > 1 && power_above(divide_up(bound.extents[0], vector)) * most < least_column_block)
    vector /= 2;
  const std::int64_t widest = power_above(divide_up(bound.extents[0], vector));
  std::int64_t along = std::min<std::int64_t>(32, widest);
  // columns that are walked again and again are not cut into pieces: few of them have larger blocks instead
  const bool few = loops_of(bound) > 1 && count_rows(bound, false) < along * vector * target.multiprocessors;
  std::int64_t across = std::min((few ? most_threads : column_block) / along, most);
  while (across > 1 &&
         exchanged_bytes(bound) * along * vector * divide_up(across * along, warp) > most_exchanged_bytes)
    across /= 2;
  if (along * across < smallest_block) along = std::min(smallest_block / across, widest);
  chosen.vector = narrow(vector);
  chosen.scalar_loads = vector > 1 && !loads_whole_lanes(bound, 0, vector, inputs, outputs);
  chosen.steps =
      narrow(attempt == 0 ? std::clamp<std::int64_t>(power_above(length) / across, 1, loads_in_flight) : 1);
  chosen.threads_along = narrow(along);
  chosen.threads_across = narrow(across);
  return chosen;
}

}  // namespace sinter
