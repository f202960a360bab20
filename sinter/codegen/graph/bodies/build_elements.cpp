#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/describe.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace sinter::inline v0 {
namespace {

[[noreturn]] void refuse(const node& source, const std::source_location& where, const std::string& reason) {
  throw type_error("element of " + describe(source.type, source.rank) + describe(where) + ": " + reason);
}

}  // namespace

graph_value graph_builder::whole_input(element_type type, unsigned rank) {
  if (rank == 0) throw shape_error("an array of rank 0 has no axis for an index: capture it as a value");
  const graph_value made = input(type, rank);
  graph_.inputs.back().whole = true;
  return made;
}

/// An index as an int64. A number beyond int64 is beyond every axis; one that wraps stays what it is.
graph_value graph_builder::index_of_element(graph_value index, index_rule rule,
                                            const std::source_location& where) {
  constexpr element_type integer = element_type::int64;
  if (index.type.type != element_type::uint64 || index.type.weak) return cast(index, integer, where);
  if (rule == index_rule::wrap) return index;
  return cast(apply(operation::minimum, {index, literal(element_type::uint64, INT64_MAX)}, where), integer,
              where);
}

graph_value graph_builder::element(graph_value whole, std::span<const graph_value> indices, index_rule rule,
                                   const std::source_location& where) {
  const bool is_whole = owns(whole) && graph_.nodes[whole.id].op == operation::input &&
                        graph_.inputs[graph_.nodes[whole.id].payload].whole;
  if (!is_whole) throw type_error("element" + describe(where) + ": its array is no whole_input() of a body");
  const node source = graph_.nodes[whole.id];
  if (indices.size() != source.rank)
    refuse(source, where,
           "a body takes an index for each axis, and there are " + std::to_string(indices.size()));
  std::vector<graph_value> operands{whole};
  node made;
  made.op = operation::element;
  made.type = source.type;
  made.payload = static_cast<std::uint64_t>(rule);
  for (const graph_value& index : indices) {
    if (!owns(index)) refuse(source, where, "an index is not a value of this graph");
    if (is_boolean(index.type.type)) refuse(source, where, "a bool is no index: use where");
    if (!is_integer(index.type.type))
      refuse(source, where, "an index is an integer: convert it with astype<std::int64_t>(i)");
    operands.push_back(index_of_element(index, rule, where));
    made.rank = std::max(made.rank, index.rank);
  }
  made.attribute = graph_.operands.size() | static_cast<std::uint64_t>(operands.size()) << 32;
  for (const graph_value& operand : operands) graph_.operands.push_back(operand.id);
  const graph_value added = append_node(made.op, {made.type}, made.rank, {}, made.payload, where);
  graph_.nodes.back().attribute = made.attribute;
  return added;
}

}  // namespace sinter::inline v0
