#pragma once
// The sizes at which the cost model looks at a nest: those that stand for its class, so that neighbouring
// sizes have the same kernel.

#include <sinter/codegen/nest/nest.hpp>
#include <sinter/codegen/schedule/model/model_tables.hpp>

#include <cstdint>
#include <span>

namespace sinter::inline v0 {

/// Gives the accesses of a nest that counts pieces of rows a stride from piece to piece, which they have by
/// the position in a row instead.
void step_along_pieces(nest& loop_nest);

/// Bounds the extents of a nest so that nothing that is counted overflows.
void bound_sizes(nest& loop_nest);

/// The members of a nest's size class at which the cost model looks. Of a nest without reductions a row is
/// short or, with `has_long_rows`, long, and members differ in all else, the largest first. Of others there
/// is one, whose extents are the middle of those between two powers of two.
std::span<const class_member> members_of_class(const nest& loop_nest, bool has_long_rows);

/// Gives a nest the extents and strides of a member of its class. A stride is as it is where neighbours share
/// sectors, else that of neighbours that share no cache line.
void take_sizes(nest& loop_nest, const class_member& member);

}  // namespace sinter::inline v0
