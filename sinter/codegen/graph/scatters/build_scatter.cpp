// graph_builder: writes at positions that are values.
#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/graph/scatters/scatter_node.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace sinter::inline v0 {
namespace {

/// What is wrong with base, index and updates before they are converted; empty: nothing.
std::string fault_in_operands(const std::array<graph_value, 3>& given, unsigned axis) {
  const auto& [base, index, updates] = given;
  if (is_boolean(index.type.type)) return "a boolean array is no index: use where or compress";
  if (!is_integer(index.type.type)) return "an index is an integer: convert it with astype<std::int64_t>(i)";
  if (axis >= base.rank) return "there is no axis " + std::to_string(axis);
  if (index.rank > base.rank || updates.rank > base.rank)
    return "index and updates have no more axes than the array";
  return {};
}

}  // namespace

void graph_builder::check_scatter(const std::array<graph_value, 3>& given, unsigned axis,
                                  const std::source_location& where) const {
  std::string fault = "an operand is not a value of this graph";
  if (std::ranges::all_of(given, [&](const graph_value& each) { return owns(each); }))
    fault = fault_in_operands(given, axis);
  if (!fault.empty()) throw type_error(describe_given(operation::scatter, given, where) + fault);
}

graph_value graph_builder::with_leading_axes(graph_value operand, unsigned rank,
                                             const std::source_location& where) {
  if (operand.rank == rank) return operand;
  const std::vector<view_item> items(rank - operand.rank, {view_item::kind::newaxis, {}, {}, {}});
  return view(operand, items, where);
}

graph_value graph_builder::broadcast_extent(const std::array<graph_value, 2>& operands, unsigned axis,
                                            const std::source_location& where) {
  const graph_value first = extent(operands[0], axis, where), second = extent(operands[1], axis, where);
  const graph_value is_single = apply(operation::equal, {first, literal(element_type::int64, 1)}, where);
  return apply(operation::where, {is_single, second, first}, where);
}

std::array<graph_value, 2> graph_builder::scatter_operands(graph_value base, graph_value index,
                                                           graph_value updates, unsigned axis,
                                                           const std::source_location& where) {
  check_scatter({base, index, updates}, axis, where);
  index = position_along(base, index, axis, index_rule::checked, where);
  std::array both{with_leading_axes(index, base.rank, where),
                  with_leading_axes(cast(updates, base.type.type, where), base.rank, where)};
  const std::array before = both;
  for (graph_value& each : both)
    for (unsigned at = 0; at < base.rank; ++at)
      each = extended(each, at, extension::broadcast, {},
                      at == axis ? broadcast_extent(before, at, where) : extent(base, at, where), where);
  return both;
}

graph_value graph_builder::scatter(graph_value base, graph_value index, graph_value updates,
                                   const scatter_form& form, const std::source_location& where) {
  constexpr auto op = operation::scatter;
  check_scatter({base, index, updates}, form.axis, where);
  index = position_along(base, index, form.axis, index_rule::checked, where);
  const std::array operands{base, index, updates};
  node made;
  made.op = op;
  made.payload = payload_of(form);
  for (const graph_value& operand : operands) made.inputs[made.arity++] = operand.id;
  if (const std::string fault = fault_in_scatter(graph_, made); !fault.empty())
    throw type_error(describe_given(op, operands, where) + fault);
  return append_node(op, base.type, base.rank, operands, made.payload, where);
}

void graph_builder::name_call(scatter_call call) {
  call.end = static_cast<node_id>(graph_.nodes.size());
  std::erase_if(graph_.calls, [&](const scatter_call& each) { return each.first >= call.first; });
  graph_.calls.push_back(std::move(call));
}

}  // namespace sinter::inline v0
