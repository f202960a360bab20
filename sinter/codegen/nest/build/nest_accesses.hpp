#pragma once
// The accesses of a nest, derived from the mapping of a node's axes.

#include <sinter/codegen/nest/build/node_demands.hpp>

namespace sinter::inline v0 {

/// A read with these strides, one for each mapped axis; its array and type are not set. Adds its terms to the
/// nest, and the positions that they are of: the read itself must follow.
/// `index_reads` has, for derived positions that are indices, the access that reads the index.
access mapped_read(const derived_positions& derived, std::span<const axis_map> maps,
                   std::span<const std::int64_t> strides, nest& to,
                   std::span<const std::uint32_t> index_reads = {});

/// The number that a mapping makes of the nest's positions, without a rule.
access mapped_position(const derived_positions& derived, const axis_map& map);

/// The position that counts the elements of a reduction, in row-major order of the reduced axes of its
/// operand.
access counting_access(std::uint64_t reduced, std::span<const std::int64_t> extents,
                       std::span<const axis_map> maps);

/// Where an input of the graph or a node that is stored lies.
struct memory_of_node {
  access::where place{};
  std::uint32_t array = 0;
  std::array<std::int64_t, max_rank> strides{};  ///< of the node's axes
};
memory_of_node memory_of(const call_facts& call, std::span<const stored_node> stored, node_id id);
/// The same of what is stored, or of the codes beside it.
memory_of_node memory_of(const call_facts& call, const stored_node& stored);
memory_of_node memory_of_codes(const call_facts& call, const stored_node& stored);

/// The write of a result or a temporary over the whole space of a nest, which is the shape of the node `over`
/// and whose reduced axes are known.
access write_of(const call_facts& call, const stored_node& result, node_id over, const nest& built);

/// The index of an equal access of the nest; adds the access if there is none. In a shape-generic nest
/// equality is not known for other calls, so the access is always added; it may step along `axes`.
std::uint32_t add_access(nest& to, access made, std::uint32_t axes);

}  // namespace sinter::inline v0
