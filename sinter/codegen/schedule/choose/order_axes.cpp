#include <sinter/codegen/schedule/choose/order_axes.hpp>

#include <sinter/codegen/nest/normalise.hpp>
#include <sinter/codegen/nest/reduction_phases.hpp>
#include <sinter/codegen/schedule/reduction_facts.hpp>
#include <sinter/codegen/schedule/tiling.hpp>

#include <algorithm>
#include <bit>

namespace sinter::inline v0 {
namespace {

/// Whether no access moves both along a kept axis and along a reduced one, as where all pairs of two arrays
/// are reduced. With lanes along the kept axis each element of one array is loaded once for all lanes, and
/// those of the other stay in registers.
bool pairs_arrays(const nest& loop_nest, unsigned kept) {
  if (loop_nest.split >= 0 || has_scans(loop_nest) || !has_vector_values(loop_nest)) return false;
  return std::ranges::none_of(loop_nest.accesses, [&](const access& at) {
    return at.moves_along(kept) && moves_along_reduced_axes(loop_nest, at);
  });
}

/// Whether neither the innermost reduced axis nor what lies beside it is long enough for vectors, and lanes
/// along the kept axis are near each other in an operand.
bool has_lanes_only_along(const nest& loop_nest, unsigned kept, const cpu_thresholds& table) {
  if (loop_nest.split >= 0 || has_scans(loop_nest) || !has_short_runs(loop_nest, table) ||
      joint_lanes(loop_nest) >= table.narrowest_column)
    return false;
  return std::ranges::any_of(loop_nest.accesses, [&](const access& at) {
    return at.what == access::kind::read && at.moves_along(kept) && is_near_along(at, kept) &&
           moves_along_reduced_axes(loop_nest, at);
  });
}

/// Moves the longest kept axis to axis 0, if it is long enough for strips and its lanes need not be combined.
void order_for_lanes(nest& loop_nest, const cpu_thresholds& table) {
  if (!loop_nest.is_reduced(0)) return;
  unsigned longest = 0;
  for (unsigned axis = 1; axis < loop_nest.rank; ++axis)
    if (!loop_nest.is_reduced(axis) && (longest == 0 || loop_nest.extents[axis] > loop_nest.extents[longest]))
      longest = axis;
  if (longest == 0 || loop_nest.extents[longest] < table.column_lanes) return;
  if (!has_rows_in_lanes(loop_nest, table) && !pairs_arrays(loop_nest, longest) &&
      !has_lanes_only_along(loop_nest, longest, table))
    return;
  for (unsigned axis = longest; axis > 0; --axis) swap_axes(loop_nest, axis, axis - 1);
  find_windows(loop_nest);
}

/// Moves the contiguous axis of a transposed read to axis 1.
void order_for_tiles(nest& loop_nest, std::int64_t min_extent) {
  const std::optional<unsigned> axis = transposed_axis(loop_nest, min_extent);
  if (!axis.has_value() || *axis == 1) return;
  swap_axes(loop_nest, 1, *axis);
  find_windows(loop_nest);
}

}  // namespace

bool has_rows_in_lanes(const nest& loop_nest, const cpu_thresholds& table) {
  const std::int64_t length = count_rows(loop_nest, true);
  if (loop_nest.split >= 0 || length >= table.short_row || !std::has_single_bit(loop_nest.reduced) ||
      !has_vector_values(loop_nest))
    return false;
  const unsigned along = first_reduced_axis(loop_nest);
  return length <= table.max_unrolled_row_extent ||
         std::ranges::none_of(loop_nest.accesses, [&](const access& at) {
           return at.what != access::kind::position && at.moves_along(along) &&
                  size_of(at.type) >= table.widest_strip_element;
         });
}

std::optional<unsigned> transposed_axis(const nest& loop_nest, std::int64_t min_extent) {
  if (loop_nest.rank < 2 || loop_nest.extents[0] < min_extent) return {};
  for (const store& at : loop_nest.stores)
    if (loop_nest.accesses[at.target].strides[0] != 1) return {};
  for (const access& at : loop_nest.accesses) {
    if (at.what != access::kind::read || pattern_of(at.strides[0]) != step_pattern::strided) continue;
    for (unsigned axis = 1; axis < loop_nest.rank; ++axis)
      if (at.strides[axis] == 1 &&
          (loop_nest.extents[axis] >= min_extent || loop_nest.extents[0] >= min_wide_extent))
        return axis;
  }
  return {};
}

void order_axes(nest& loop_nest, const target_facts& target) {
  if (loop_nest.shape_generic) return;  // no extent or stride decides
  const bool is_cpu = !is_gpu(target.kind);
  if (loop_nest.reduced == 0)
    order_for_tiles(loop_nest, is_cpu ? cpu_thresholds_of(target).min_tiled_axis_extent
                                      : gpu_thresholds_of(target).tiles.min_axis_extent);
  else if (is_cpu)
    order_for_lanes(loop_nest, cpu_thresholds_of(target));
}

}  // namespace sinter::inline v0
