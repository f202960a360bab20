#pragma once
// Which nodes are values that a nest computes, and which reduction one of them derives from.

#include <sinter/codegen/graph/graph.hpp>

#include <span>

namespace sinter::inline v0 {

inline constexpr node_id no_node = ~node_id{0};

/// Whether a node is a value that takes time. Nodes with bodies are none: their components are.
bool is_computed(const node& at);

/// Whether a reduction or scan takes a loop.
bool is_loop(const node& at);

/// Of a result of a reduction or scan by a body the node with the body, which has the loop; else the node.
node_id combining_owner(const graph& recorded, node_id id);

/// The reduction that a node derives from by views and by operations with single elements, so that one nest
/// can compute both in every call; no_node if there is none. May be the node itself.
node_id reduction_within(const graph& recorded, node_id wanted);

/// Whether a node is one value in the shape of a condition: a choice between equal sides, as simplification
/// makes it. The condition is not evaluated then.
bool is_constant_in_shape(const node& at);

/// The operands of which a node needs elements: not those of which it only takes an extent or a position, or
/// its shape, and none of the integers of parts, which the host knows.
std::span<const node_id> operands_read(const graph& recorded, node_id id);
/// The number of the first of them among the node's operands.
std::size_t first_operand_read(const graph& recorded, node_id id);

}  // namespace sinter::inline v0
