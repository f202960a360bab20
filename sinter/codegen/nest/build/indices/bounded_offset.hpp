#pragma once
// On the CPU lanes behind the last element read, too: where their positions decide what they read, that may
// lie behind the end of the array.

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/nest/nest.hpp>
#include <sinter/codegen/nest/positions/derived_positions.hpp>

#include <cstdint>
#include <span>

namespace sinter::inline v0 {

/// Whether positions of a nest decide, beside indices, which element of an array with these extents is read.
bool moves_beside_indices(const derived_positions& derived, std::span<const axis_map> maps,
                          bool shape_generic, std::span<const std::int64_t> extents);

/// Whether some index is neither checked nor clipped: where there is no element, it may be any number.
bool has_unbounded_index(const derived_positions& derived, std::span<const axis_map> maps,
                         const graph& recorded);

/// The instruction of an offset that is between those of the first and the last element of an array with
/// these strides and extents.
std::uint32_t bounded_offset(std::uint32_t offset, std::span<const std::int64_t> strides,
                             std::span<const std::int64_t> extents, nest& built);

}  // namespace sinter::inline v0
