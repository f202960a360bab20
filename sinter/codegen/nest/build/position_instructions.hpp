#pragma once
// Instructions for a position along an axis of a node.

#include <sinter/codegen/nest/build/indices/report_indices.hpp>
#include <sinter/codegen/nest/positions/derived_positions.hpp>

#include <functional>

namespace sinter::inline v0 {

/// Appends the position of an index on an axis: from the end where it is negative, the nearest one where it
/// is out of range.
index_check checked_position(nest& to, std::uint32_t index, std::int64_t extent);

/// Appends instructions for positions to a nest.
class position_writer {
 public:
  /// `position_of_index` gives the instruction that has the position of an index.
  using index_positions = std::function<std::uint32_t(const derived_position&)>;
  position_writer(const derived_positions& derived, nest& to, index_positions position_of_index)
      : derived_(derived), to_(to), position_of_index_(std::move(position_of_index)) {}

  /// The position along an axis with this mapping, of a derived one with its rule.
  std::uint32_t position(const axis_map& map);
  /// The row-major position in a node of these extents.
  std::uint32_t row_major(std::span<const axis_map> maps, std::span<const std::int64_t> extents);
  /// The sum of positions times strides: one access, which axes collapse with, unless an axis has a rule or
  /// an index.
  std::uint32_t offset(std::span<const axis_map> maps, std::span<const std::int64_t> strides);

 private:
  std::uint32_t scaled(std::uint32_t number, std::int64_t by);

  const derived_positions& derived_;
  nest& to_;
  index_positions position_of_index_;
};

}  // namespace sinter::inline v0
