#pragma once
// The axes that nests over pieces of rows have in common.

#include <sinter/codegen/nest/nest.hpp>

#include <cstdint>

namespace sinter::inline v0 {

/// A nest over pieces of the rows of `whole` that reduces the axes `piece_axes`, a subset of the axes that
/// `whole` reduces. The outermost of them has `length` elements, and an additional last axis counts the
/// `pieces` of a row. `length` 0 means that the axis stays whole. The nest has the run-time integers of
/// `whole`, but no instructions yet.
nest nest_of_pieces(const nest& whole, std::uint32_t axes, std::int64_t length, std::int64_t pieces);

/// A nest over the results of those pieces, one element per piece. It has only axes.
nest nest_over_pieces(const nest& whole, std::uint32_t axes, std::int64_t pieces);

}  // namespace sinter::inline v0
