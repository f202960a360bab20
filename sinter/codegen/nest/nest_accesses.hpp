#pragma once
// The accesses of a nest: what the mapping of a node's axes makes of arrays, positions and results.

#include <sinter/codegen/nest/build_nest.hpp>

namespace sinter {

/// A read with these strides, one for each axis that is mapped; its array and type are not set.
access mapped_read(std::span<const axis_map> maps, std::span<const std::int64_t> strides);

/// The position along an axis that is mapped so.
access mapped_position(const axis_map& map);

/// The position that counts the elements which a reduction walks, in row-major order of the reduced ones of
/// its operand's axes.
access counting_access(std::uint64_t reduced, std::span<const std::int64_t> extents,
                       std::span<const axis_map> maps);

/// The write of a result or a temporary over all of the space.
access write_of(const graph& recorded, std::span<const array_layout> outputs, const stored_node& result,
                std::span<const std::int64_t> space);

/// The number of the access of a nest that is equal to this one, which is added where there is none.
std::uint32_t find_or_add(nest& to, const access& made);

}  // namespace sinter
