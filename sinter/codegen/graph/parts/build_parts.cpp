// graph_builder: arrays that are put together or taken apart.
#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/describe.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/graph/parts/graph_parts.hpp>

#include <array>
#include <string>

namespace sinter::inline v0 {
namespace {

constexpr std::uint64_t payload_of(unsigned axis, unsigned beside = 0) {
  return axis | std::uint64_t{beside} << 8;
}

}  // namespace

std::string graph_builder::describe_given(operation op, std::span<const graph_value> operands,
                                          const std::source_location& where) {
  std::string text = std::string(facts_of(op).name) + "(";
  for (std::size_t i = 0; i < operands.size(); ++i)
    text += (i == 0 ? "" : ", ") + describe(operands[i].type.type, operands[i].rank);
  return text + ")" + describe(where) + ": ";
}

graph_value graph_builder::host_integer(operation op, graph_value operand,
                                        const std::source_location& where) {
  const auto refuse = [&](const std::string& reason) {
    throw type_error(describe_given(op, std::span(&operand, 1), where) + reason);
  };
  if (!owns(operand)) refuse("an operand is not a value of this graph");
  if (!is_integer(operand.type.type))
    refuse("a size or position is an integer: convert it with astype<std::int64_t>(n)");
  if (!is_host_scalar(graph_, operand.id))
    refuse(
        "a size or position is known before the call: compute it from numbers, scalar arguments and extents, "
        "or "
        "pass what is read from an array as a scalar");
  return cast(operand, element_type::int64, where);
}

graph_value graph_builder::part(operation op, std::span<const graph_value> operands, std::uint64_t payload,
                                const std::source_location& where) {
  node made;
  made.op = op;
  made.payload = payload;
  for (const graph_value& operand : operands) {
    if (!owns(operand))
      throw type_error(std::string(facts_of(op).name) + describe(where) +
                       ": an operand is not a value of this graph");
    made.inputs[made.arity++] = operand.id;
  }
  if (const std::string fault = fault_in_axes(graph_, made); !fault.empty())
    throw shape_error(describe_given(op, operands, where) + fault);
  return append_node(op, operands[0].type, rank_of_part(graph_, made), operands, payload, where);
}

graph_value graph_builder::extended(graph_value operand, unsigned axis, extension rule, graph_value first,
                                    graph_value extent, const std::source_location& where) {
  constexpr auto op = operation::extended;
  first = is_first_read(rule) ? host_integer(op, first, where) : literal(element_type::int64, 0);
  const std::array operands{operand, first, host_integer(op, extent, where)};
  return part(op, operands, payload_of(axis, static_cast<unsigned>(rule)), where);
}

graph_value graph_builder::padded(graph_value operand, unsigned axis, extension rule, graph_value before,
                                  graph_value after, const std::source_location& where) {
  constexpr auto op = operation::extended;
  if (!is_first_read(rule)) throw type_error("padded" + describe(where) + ": the axis goes on at its ends");
  before = host_integer(op, before, where);
  after = host_integer(op, after, where);
  const graph_value first = apply(operation::negative, {before}, where);
  const graph_value longer = apply(operation::add, {extent(operand, axis, where), before}, where);
  const std::array operands{operand, first, apply(operation::add, {longer, after}, where)};
  return part(op, operands, payload_of(axis, static_cast<unsigned>(rule) | 1u << 8), where);
}

graph_value graph_builder::concatenate(graph_value a, graph_value b, unsigned axis,
                                       const std::source_location& where) {
  constexpr auto op = operation::concatenate;
  std::array operands{a, b};
  if (owns(a) && owns(b)) {
    const operand_type type = settled_elements(promote(a.type, b.type), a.rank);
    for (graph_value& operand : operands)
      if (operand.type.type != type.type) operand = cast(operand, type.type, where);
    operands[0].type = type;
  }
  return part(op, operands, payload_of(axis), where);
}

graph_value graph_builder::position_along(graph_value operand, graph_value index, unsigned axis,
                                          index_rule rule, const std::source_location& where) {
  constexpr element_type integer = element_type::int64;
  const bool needs_extent = rule == index_rule::wrap || rule == index_rule::clip;
  const graph_value length = needs_extent ? extent(operand, axis, where) : graph_value{};
  const bool is_beyond = index.type.type == element_type::uint64 && !index.type.weak;
  if (is_beyond && rule == index_rule::wrap)
    return cast(apply(operation::remainder, {index, cast(length, element_type::uint64, where)}, where),
                integer, where);
  // a number beyond int64 is beyond every axis
  if (is_beyond) index = apply(operation::minimum, {index, literal(element_type::uint64, INT64_MAX)}, where);
  index = cast(index, integer, where);
  if (rule == index_rule::wrap) return apply(operation::remainder, {index, length}, where);
  if (rule != index_rule::clip) return index;
  const graph_value last = apply(operation::subtract, {length, literal(integer, 1)}, where);
  return apply(operation::clip, {index, literal(integer, 0), last}, where);
}

graph_value graph_builder::gather(graph_value operand, graph_value index, unsigned axis, index_rule rule,
                                  unsigned named_axis, const std::source_location& where) {
  constexpr auto op = operation::gather;
  const std::array given{operand, index};
  const auto refuse = [&](const std::string& reason) {
    throw type_error(describe_given(op, given, where) + reason);
  };
  if (!owns(operand) || !owns(index)) refuse("an operand is not a value of this graph");
  if (is_boolean(index.type.type)) refuse("a boolean array is no index: use where or compress");
  if (!is_integer(index.type.type)) refuse("an index is an integer: convert it with astype<std::int64_t>(i)");
  if (axis < operand.rank) index = position_along(operand, index, axis, rule, where);
  const std::array operands{operand, index};
  const unsigned checked = rule == index_rule::checked ? 1 : 0;
  return part(op, operands, payload_of(axis, checked | named_axis << 8), where);
}

graph_value graph_builder::window(graph_value operand, unsigned axis, graph_value extent,
                                  const std::source_location& where) {
  const std::array operands{operand, host_integer(operation::window, extent, where)};
  return part(operation::window, operands, payload_of(axis), where);
}

graph_value graph_builder::diagonal(graph_value operand, unsigned axis_a, unsigned axis_b, graph_value offset,
                                    const std::source_location& where) {
  const std::array operands{operand, host_integer(operation::diagonal, offset, where)};
  return part(operation::diagonal, operands, payload_of(axis_a, axis_b), where);
}

graph_value graph_builder::merged(graph_value operand, unsigned axis, const std::source_location& where) {
  return part(operation::merged, std::span(&operand, 1), payload_of(axis), where);
}

graph_value graph_builder::split(graph_value operand, unsigned axis, graph_value extent, bool whole,
                                 const std::source_location& where) {
  const std::array operands{operand, host_integer(operation::split, extent, where)};
  return part(operation::split, operands, payload_of(axis, whole ? 1 : 0), where);
}

}  // namespace sinter::inline v0
