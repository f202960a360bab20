#pragma once
// Instructions for a position along an axis of a node.

#include <sinter/codegen/nest/positions/derived_positions.hpp>

namespace sinter::inline v0 {

/// Appends the position along an axis with this mapping, of a derived one with its rule; returns its
/// instruction.
std::uint32_t append_position(const derived_positions& derived, const axis_map& map, nest& to);

/// Appends the row-major position in a node of these extents: one access, which axes collapse with, unless an
/// axis has a rule.
std::uint32_t append_row_major(const derived_positions& derived, std::span<const axis_map> maps,
                               std::span<const std::int64_t> extents, nest& to);

}  // namespace sinter::inline v0
