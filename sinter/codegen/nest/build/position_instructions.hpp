#pragma once
// Instructions for a position along an axis of a node.

#include <sinter/codegen/nest/positions/derived_positions.hpp>

namespace sinter::inline v0 {

/// Appends the position along an axis with this mapping, of a derived one with its rule; returns its
/// instruction.
std::uint32_t append_position(const derived_positions& derived, const axis_map& map, nest& to);

}  // namespace sinter::inline v0
