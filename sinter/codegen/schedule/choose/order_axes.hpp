#pragma once
// The pass in front of the schedule: which axes of a nest lie innermost, where the target decides that.

#include <sinter/codegen/nest/nest.hpp>
#include <sinter/codegen/schedule/thresholds.hpp>
#include <sinter/codegen/target/target.hpp>

#include <optional>

namespace sinter::inline v0 {

/// Swaps axes of a nest of known extents: a transposed operand's contiguous axis becomes axis 1, for tiles,
/// and on the CPU a kept axis takes the place of short rows, for lanes. A nest that was ordered stays as it
/// is.
void order_axes(nest& loop_nest, const target_facts& target);

/// The contiguous axis of a read that is strided along axis 0, where both are long enough for tiles; in an
/// ordered nest axis 1, or none.
std::optional<unsigned> transposed_axis(const nest& loop_nest, std::int64_t min_extent);

/// Whether each row is one of a strip: a lane then has a row of its own, and lanes need not be combined. Not
/// where registers hold few elements and rows are long enough for groups of lanes along them.
bool has_rows_in_lanes(const nest& loop_nest, const cpu_thresholds& table);

}  // namespace sinter::inline v0
