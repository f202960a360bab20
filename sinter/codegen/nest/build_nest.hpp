#pragma once
// First step of the pass: a graph and concrete shapes become a nest. Views, broadcasting and coordinates turn
// into linear accesses; nothing of them is left in the body.

#include <sinter/codegen/nest/nest.hpp>
#include <sinter/codegen/nest/node_demands.hpp>
#include <sinter/codegen/shape/call_facts.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace sinter {

/// Working memory of build_nest(), kept between calls so that a known graph allocates nothing. Where
/// build_nest() returns a node, `demands` holds what was found until then.
struct nest_scratch {
  node_demands demands;
  std::vector<std::uint32_t> uses, renumbered;  ///< of each instruction
};

/// Builds the nest that computes the nodes `wanted`, all of one shape, reading those of `stored` instead of
/// computing them. Axis i of the nest is result axis rank - 1 - i; then come reduced axes that are none of
/// the result's. Nothing is merged or dropped yet.
///
/// Returns no_node, or a reduction or scan that this nest cannot hold beside the others (it walks other axes,
/// has one result for each step along an axis that others walk, or one result for several steps along an axis
/// that is kept): that one has to be stored first. So has a value that is wanted at many positions where the
/// nest would compute more than most_nest_values.
///
/// A shape-generic nest (call_facts::shape_generic) is the same but for extents, strides, offsets and
/// constants whatever the arrays are like. One node is wanted at a time, with the reduction that it is made
/// of by views and by operations with single elements; every other reduction or scan has to be stored first,
/// and so has what is computed for many positions.
node_id build_nest(const call_facts& call, std::span<const stored_node> stored,
                   std::span<const stored_node> wanted, nest_scratch& scratch, nest& built);

}  // namespace sinter
