#pragma once
// The typed graph: every front end records it, and the lowering pass reads it.

#include <sinter/codegen/base/export.hpp>
#include <sinter/codegen/graph/external_function.hpp>
#include <sinter/codegen/graph/graph_value.hpp>
#include <sinter/codegen/graph/operation.hpp>
#include <sinter/codegen/graph/scatters/scatter_call.hpp>

#include <array>
#include <cstdint>
#include <source_location>
#include <span>
#include <string>
#include <vector>

namespace sinter::inline v0 {

namespace ir {

/// One node; 32 bytes without padding, because nodes are hashed and compared as bytes.
struct node {
  operation op{};
  element_type type{};
  std::uint8_t rank = 0;
  std::uint8_t arity = 0;
  std::array<node_id, 3> inputs{};  ///< operands, but for has_operand_list()
  std::uint64_t payload = 0;        ///< by operation; of a node with bodies their numbers (body_number())
  /// Of a reduction a composed_function; by has_operand_list() the node's operands in graph::operands: the
  /// first one's place, and in the upper half how many there are.
  std::uint64_t attribute = 0;
  bool operator==(const node&) const = default;
};
static_assert(sizeof(node) == 32);

struct view_range {
  std::uint32_t first = 0, count = 0;
  bool operator==(const view_range&) const = default;
};

struct input_declaration {
  element_type type{};
  std::uint8_t rank = 0;
  bool whole = false;  ///< of a body: an array whose elements it takes at indices (operation::element)
  bool operator==(const input_declaration&) const = default;
};

/// The body of a node, by its number in the graph. `when` has a second one.
constexpr std::uint32_t body_number(const node& entry, unsigned which = 0) {
  return static_cast<std::uint32_t>(entry.payload >> (32 * which));
}

/// A recorded function. A graph_builder fills it; afterwards it is immutable. Source locations and calls are
/// not part of the content: hash, comparison and emitted text ignore them.
struct SINTER_API graph {
  std::vector<node> nodes;  ///< in order of definition: inputs of a node come before it
  std::vector<view_item> view_items;
  std::vector<view_range> views;
  std::vector<node_id> operands;  ///< of nodes that has_operand_list(), one list after the other
  /// Functions that nodes run (graph_bodies.hpp), each once. A body has no parameters and no bodies in common
  /// with the graph around it: what it needs of that are its inputs.
  std::vector<graph> bodies;
  std::vector<input_declaration> inputs;
  std::vector<element_type> parameters;
  std::vector<const external_function*> externals;  ///< the functions that nodes call
  /// The integer parameter `first` must fit the type `second` that it meets as a weak one, or uint64 as the
  /// exponent of an integer, which must not be negative; the host checks this at each call.
  std::vector<std::pair<std::uint32_t, element_type>> parameter_limits;
  /// The same for node `first`, an integer computed from scalars. The host checks this at
  /// each call if the node depends on literals and parameters alone (scalar_limits.hpp). Only recorded graphs
  /// have these: simplified graphs and those in packs have none, because their calls are already checked.
  std::vector<std::pair<node_id, element_type>> derived_limits;
  std::vector<node_id> outputs;
  arithmetic_mode mode = arithmetic_mode::standard;

  std::string name;  ///< kernel name, "" for none; part of the content, because it is in the text
  std::vector<std::source_location> locations;  ///< of each node; empty if unknown
  std::source_location defined_at{};            ///< of the call of fuse(), or of the statement
  std::vector<scatter_call> calls;              ///< by ascending nodes; not part of the content

  /// The operands of a node of this graph.
  std::span<const node_id> operands_of(const node& entry) const {
    if (!has_operand_list(entry.op)) return std::span(entry.inputs).first(entry.arity);
    return std::span(operands).subspan(static_cast<std::uint32_t>(entry.attribute), entry.attribute >> 32);
  }
  std::span<const node_id> operands_of(node_id id) const { return operands_of(nodes[id]); }
  std::span<node_id> operands_of(node& entry) {
    if (!has_operand_list(entry.op)) return std::span(entry.inputs).first(entry.arity);
    return std::span(operands).subspan(static_cast<std::uint32_t>(entry.attribute), entry.attribute >> 32);
  }

  void clear();
  bool same_content(const graph& other) const;
};

/// Two independent 64-bit hashes of the content (xxHash3-128).
struct graph_hash {
  std::uint64_t low = 0, high = 0;
  bool operator==(const graph_hash&) const = default;
};
SINTER_API graph_hash hash_of(const graph& recorded);

/// One line per node, such as "n2 = add(n0, n1)  float32[:,:]"; explain() prints it.
SINTER_API std::string to_string(const graph& recorded);

}  // namespace ir

// Sinter's own code and tests name these without `ir::`. Programs that include sinter/sinter.hpp do not see
// this header, so their own `node` and `graph` stand beside `using namespace sinter`.
using ir::body_number;
using ir::bound;
using ir::graph;
using ir::graph_hash;
using ir::hash_of;
using ir::input_declaration;
using ir::node;
using ir::to_string;
using ir::view_range;

}  // namespace sinter::inline v0
