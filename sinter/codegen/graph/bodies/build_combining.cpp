#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/bodies/graph_bodies.hpp>
#include <sinter/codegen/graph/describe.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/graph/reduction_start.hpp>
#include <sinter/codegen/types/rank.hpp>
#include <sinter/codegen/types/type_rules.hpp>

#include <algorithm>
#include <bit>
#include <string>

namespace sinter::inline v0 {
namespace {

std::string call_text(operation op, const std::source_location& where) {
  return std::string(facts_of(op).name) + describe(where) + ": ";
}

std::string counted(std::size_t count, const char* one, const char* several) {
  return std::to_string(count) + " " + (count == 1 ? one : several);
}

/// A body that takes a condition more, and gives its left side where that holds: nothing is combined then.
graph left_where(const graph& body) {
  graph_builder builder, left;
  builder.restart(body.mode);
  left.restart(body.mode);
  std::vector<graph_value> inputs;
  for (std::size_t i = 0; i < body.inputs.size(); ++i) {
    inputs.push_back(builder.input(body.inputs[i].type, body.inputs[i].rank));
    const graph_value same = left.input(body.inputs[i].type, body.inputs[i].rank);
    if (i < body.outputs.size()) left.output(same);
  }
  const graph_value condition = builder.input(element_type::boolean, 0);
  for (const graph_value& result : builder.when(condition, inputs, left.recorded(), body))
    builder.output(result);
  return builder.recorded();
}

/// Whether values of this rank together have no elements along any of the axes.
graph_value is_empty_along(graph_builder& builder, std::span<const graph_value> values, unsigned rank,
                           std::uint32_t axes, const std::source_location& where) {
  const graph_value zero = builder.literal(std::int64_t{0}, element_type::int64, where);
  graph_value found = builder.literal(element_type::boolean, 0);
  for (const graph_value& value : values)
    for (unsigned axis = rank - value.rank; axis < rank; ++axis)
      if ((axes >> axis & 1) != 0) {
        const graph_value extent = builder.extent(value, axis - (rank - value.rank), where);
        found = builder.apply(operation::logical_or,
                              {found, builder.apply(operation::equal, {extent, zero}, where)}, where);
      }
  return found;
}

}  // namespace

// NOLINTNEXTLINE(readability-function-size): what a node is made of, and a sentence for each fault of it
std::vector<graph_value> graph_builder::combined(operation op, std::span<const graph_value> identities,
                                                 std::span<const graph_value> values,
                                                 std::span<const graph_value> captured,
                                                 const graph& combining_body, std::uint32_t axes,
                                                 const std::source_location& where) {
  const std::string called = call_text(op, where);
  const std::size_t count = values.size();
  if (count == 0) throw type_error(called + "there is no value to combine");
  if (identities.size() != count)
    throw type_error(called + counted(identities.size(), "identity", "identities") + " for " +
                     counted(count, "value", "values") + ": give one for each value");
  if (combining_body.inputs.size() != 2 * count + captured.size() || combining_body.outputs.size() != count)
    throw type_error(called + "the body takes " + counted(combining_body.inputs.size(), "value", "values") +
                     " and returns " + std::to_string(combining_body.outputs.size()) + ": for " +
                     counted(count, "value", "values") + " it takes two sides of " + std::to_string(count) +
                     " and " + counted(captured.size(), "captured value", "captured values") +
                     ", and returns " + std::to_string(count));
  std::vector<graph_value> operands(values.begin(), values.end());
  operands.insert(operands.end(), identities.begin(), identities.end());
  operands.insert(operands.end(), captured.begin(), captured.end());
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const input_declaration& declared = combining_body.inputs[i];
    const std::string name = i < count       ? "value " + std::to_string(i)
                             : i < 2 * count ? "identity " + std::to_string(i - count)
                                             : "captured value " + std::to_string(i - 2 * count);
    if (!owns(operands[i])) throw type_error(called + name + " is not a value of this graph");
    if (declared.rank != 0)
      throw shape_error(called + "input " + std::to_string(i) + " of the body is " +
                        describe(declared.type, declared.rank) + ": a body combines scalars");
    if (i >= count && operands[i].rank != 0)
      throw shape_error(called + name + " is " + describe(operands[i].type.type, operands[i].rank) +
                        ", and is a scalar: it is the same for all elements");
    if (promote(operands[i].type, {declared.type}).type != declared.type)
      throw type_error(called + name + " is " + std::string(facts_of(operands[i].type.type).name) +
                       ", which the body's " + std::string(facts_of(declared.type).name) + " cannot hold");
    operands[i] = cast(operands[i], declared.type, where);
  }
  for (std::size_t k = 0; k < count; ++k) {
    const element_type type = combining_body.inputs[k].type;
    const node& result = combining_body.nodes[combining_body.outputs[k]];
    if (combining_body.inputs[count + k].type != type || result.type != type || result.rank != 0)
      throw type_error(called + "the body takes " + std::string(facts_of(type).name) + " and " +
                       std::string(facts_of(combining_body.inputs[count + k].type).name) + " as value " +
                       std::to_string(k) + " and returns " + describe(result.type, result.rank) +
                       ": both sides and the result are scalars of one type");
  }
  const std::uint64_t number = body(combining_body);
  return with_bodies(op, operands, number | std::uint64_t{axes} << 32, where);
}

// NOLINTNEXTLINE(readability-function-size): see the declaration; each parameter is one of the user's
std::vector<graph_value> graph_builder::reduce(std::span<const graph_value> identities,
                                               std::span<const graph_value> values,
                                               std::span<const graph_value> captured, const graph& body,
                                               std::uint32_t axes, bool keepdims, combining_order order,
                                               const std::source_location& where) {
  unsigned rank = 0;
  for (const graph_value& each : values) rank = std::max<unsigned>(rank, each.rank);
  if (rank < 32 && axes >> rank != 0)
    throw shape_error(call_text(operation::reduce, where) + "there is no axis " +
                      std::to_string(std::bit_width(axes) - 1) + " in values of rank " +
                      std::to_string(rank));
  if (axes == 0)
    throw shape_error(call_text(operation::reduce, where) + "there is no axis to combine elements along");
  std::vector<graph_value> made(values.begin(), values.end());
  if (order == combining_order::any) {
    made = combined(operation::reduce, identities, made, captured, body, axes, where);
  } else {
    // row by row: what an inner axis comes to is an element along the outer one. Where the inner axis is
    // empty, these elements are identities, which the body does not take.
    const std::uint32_t outer = axes & ~(std::uint32_t{1} << (std::bit_width(axes) - 1));
    std::vector<graph_value> also(captured.begin(), captured.end());
    if (outer != 0) also.push_back(is_empty_along(*this, values, rank, axes & (axes - 1), where));
    for (unsigned axis = rank; axis-- > 0;) {
      const std::uint32_t own = std::uint32_t{1} << axis;
      if ((axes & own) == 0) continue;
      made = (outer & own) == 0
                 ? combined(operation::reduce, identities, made, captured, body, own | is_ordered, where)
                 : combined(operation::reduce, identities, made, also, left_where(body), own | is_ordered,
                            where);
    }
  }
  for (graph_value& each : made)
    if (!keepdims) each = without_axes(each, axes, where);
  return made;
}

std::vector<graph_value> graph_builder::scan(std::span<const graph_value> identities,
                                             std::span<const graph_value> values,
                                             std::span<const graph_value> captured, const graph& body,
                                             unsigned axis, const std::source_location& where) {
  unsigned rank = 0;
  for (const graph_value& each : values) rank = std::max<unsigned>(rank, each.rank);
  if (axis >= rank)
    throw shape_error(call_text(operation::scan, where) + "there is no axis " + std::to_string(axis) +
                      " in values of rank " + std::to_string(rank));
  return combined(operation::scan, identities, values, captured, body, axis, where);
}

}  // namespace sinter::inline v0
