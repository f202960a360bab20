#pragma once
// Axes along which accesses divide their position become two: then the quotient and the rest are positions of
// their own, and the access has no term.

#include <sinter/codegen/nest/nest.hpp>

namespace sinter::inline v0 {

/// Splits axes of a nest of known extents where that makes terms linear: of arrays that are repeated, tiled
/// or reshaped. The nest computes the same elements, those of a split axis in the same order.
void split_axes_of_terms(nest& loop_nest);

}  // namespace sinter::inline v0
