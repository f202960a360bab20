#pragma once
// Bodies: graphs that a node runs. A body's inputs are its node's operands, in this order:
//
//   repeat        count, states, captured      body (iteration, states, captured) -> next states
//   repeat_while  states, captured             body (iteration, states, captured) -> condition, next states
//   when          condition, captured          then (captured) -> results, otherwise (captured) -> results
//   reduce, scan  values, identities, captured body (left side, right side, captured) -> combined values
//
// The body of a reduction or scan takes scalars: from each side an element of every value, or what several
// elements combine to. It never takes an identity, which is the result over no elements.
// A body is elementwise: input, literal, cast, external and operations of the table, and nodes with bodies.
// Inputs that are `whole` are arrays around it, which are not broadcast with the others. What a body does
// with them is `element`: operands are the array and an integer for each axis, the payload is an index_rule.

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/parts/index_rule.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace sinter::inline v0 {

/// Bodies in bodies in …; one more is refused.
inline constexpr unsigned max_body_depth = 16;

/// Where the parts of a node with bodies are.
struct body_layout {
  unsigned lead = 0;        ///< operands before those that are inputs of the body: a count, a condition
  unsigned iteration = 0;   ///< inputs of the body before those that are operands: the iteration's number
  unsigned conditions = 0;  ///< results of the body before the states
  bool has_states = false;  ///< the first operands after `lead` are states
  bool combines = false;    ///< the first operands are values whose elements the body combines
};
constexpr body_layout layout_of(operation op) {
  if (op == operation::repeat) return {.lead = 1, .iteration = 1, .has_states = true};
  if (op == operation::repeat_while) return {.iteration = 1, .conditions = 1, .has_states = true};
  if (combines_by_body(op)) return {.combines = true};
  return {.lead = 1};
}

constexpr index_rule rule_of_element(const node& element) { return static_cast<index_rule>(element.payload); }

/// The first body of a node, or its second one.
inline const graph& body_of(const graph& recorded, const node& entry, unsigned which = 0) {
  return recorded.bodies[body_number(entry, which)];
}
constexpr unsigned body_count(operation op) { return op == operation::when ? 2 : has_body(op) ? 1 : 0; }
/// Whether an operand is an array of which the bodies take elements.
inline bool is_whole(const graph& recorded, const node& entry, std::size_t operand) {
  const body_layout layout = layout_of(entry.op);
  return operand >= layout.lead &&
         body_of(recorded, entry).inputs[operand - layout.lead + layout.iteration].whole;
}
/// The number of components of a node with bodies.
inline unsigned component_count(const graph& recorded, const node& entry) {
  return static_cast<unsigned>(body_of(recorded, entry).outputs.size()) - layout_of(entry.op).conditions;
}
/// The node of a body that computes a component, or the next state.
inline node_id component_of(const graph& body, operation op, unsigned number) {
  return body.outputs[layout_of(op).conditions + number];
}

/// What the payload of a node has beside the numbers of its bodies: of `reduce` the axes, of `scan` the axis.
constexpr std::uint64_t payload_beside_bodies(const node& entry) {
  return combines_by_body(entry.op) ? entry.payload >> 32 << 32 : 0;
}

/// The rank of a component: of a loop that of its state, of `when` that of the condition and both sides
/// together, of a reduction or scan that of all values together. Reduced axes stay, with extent 1.
unsigned rank_of_component(const graph& recorded, const node& entry, unsigned number);
/// The greatest of them: the rank of the node.
unsigned rank_of_components(const graph& recorded, const node& entry);

/// What a node with bodies needs for some of its components: of `repeat` also the states on which their next
/// values depend, of `repeat_while` those on which the condition depends.
struct needed_parts {
  std::vector<bool> operands;    ///< those that have to be known
  std::vector<bool> components;  ///< those that have to be computed
};
needed_parts needed_for(const graph& recorded, const node& entry, std::vector<bool> components);

/// The nodes of a body on which its results `wanted` depend, and which components of its own nodes with
/// bodies.
struct needed_nodes {
  std::vector<bool> nodes;
  std::vector<std::vector<bool>> components;  ///< by node; empty where it has no bodies
};
needed_nodes nodes_needed_for(const graph& body, std::span<const node_id> wanted);
/// The results of a body that compute components, and its condition if it has one.
std::vector<node_id> results_for(const graph& body, operation op, const std::vector<bool>& components);

/// The weight of a node's operation; of a node with bodies that of its bodies, once.
std::uint64_t weight_of(const graph& recorded, const node& entry);
/// How often a node runs its bodies, as far as it is known: 16 times where it is not.
std::uint64_t iterations_of(const graph& recorded, const node& entry);

}  // namespace sinter::inline v0
