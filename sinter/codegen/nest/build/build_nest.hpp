#pragma once
// First step of the pass: a graph and concrete shapes become a nest. Views, broadcasting and coordinates
// become linear accesses; the body contains none of them.

#include <sinter/codegen/nest/build/node_demands.hpp>
#include <sinter/codegen/nest/nest.hpp>
#include <sinter/codegen/shape/call_facts.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace sinter::inline v0 {

/// Working memory of build_nest(), reused between calls so that a known graph allocates nothing. If
/// build_nest() returns a node, `demands` has what was found up to it.
struct nest_scratch {
  node_demands demands;
  std::vector<std::uint32_t> uses, renumbered;  ///< per instruction
  std::vector<std::uint32_t> code_targets;      ///< per store: see report_indices()
};

/// Builds the nest that computes the nodes `wanted`, all of one shape. Nodes in `stored` are read, not
/// computed. Axis i of the nest is result axis rank - 1 - i; reduced axes that are not axes of the result
/// follow. Nothing is merged or removed yet.
///
/// Returns no_node, or a reduction or scan that must be stored first because this nest cannot hold it beside
/// the others: it reduces other axes, has one result for each step along an axis that others reduce, or has
/// one result for several steps along a kept axis. A value that is wanted at many positions must be stored
/// first too, if the nest would compute more than max_nest_values otherwise, or if that takes less time on
/// the target (recomputed_values.hpp).
///
/// A shape-generic nest (call_facts::shape_generic) is the same for all arrays, except for extents, strides,
/// offsets and constants. It computes one wanted node, and the reduction from which views and operations with
/// single elements derive that node. Every other reduction or scan must be stored first, and so must values
/// that are computed for many positions.
node_id build_nest(const call_facts& call, std::span<const stored_node> stored,
                   std::span<const stored_node> wanted, nest_scratch& scratch, nest& built);

}  // namespace sinter::inline v0
