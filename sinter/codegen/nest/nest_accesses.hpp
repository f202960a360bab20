#pragma once
// The accesses of a nest: what the mapping of a node's axes makes of arrays, positions and results.

#include <sinter/codegen/nest/node_demands.hpp>

namespace sinter {

/// A read with these strides, one for each axis that is mapped; its array and type are not set.
access mapped_read(std::span<const axis_map> maps, std::span<const std::int64_t> strides);

/// The position along an axis that is mapped so.
access mapped_position(const axis_map& map);

/// The position that counts the elements which a reduction walks, in row-major order of the reduced ones of
/// its operand's axes.
access counting_access(std::uint64_t reduced, std::span<const std::int64_t> extents,
                       std::span<const axis_map> maps);

/// The write of a result or a temporary over all of the space of a nest whose reduced axes are known.
access write_of(const call_facts& call, const stored_node& result, const nest& built);

/// The number of the access of a nest that is equal to this one, which is added where there is none. In a
/// shape-generic nest none is equal for good; there an access may take steps along `axes`.
std::uint32_t add_access(nest& to, access made, std::uint32_t axes);

}  // namespace sinter
