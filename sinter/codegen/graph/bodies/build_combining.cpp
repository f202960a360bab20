#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/bodies/graph_bodies.hpp>
#include <sinter/codegen/graph/describe.hpp>
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
  return std::string(facts(op).name) + describe(where) + ": ";
}

std::string counted(std::size_t count, const char* one, const char* several) {
  return std::to_string(count) + " " + (count == 1 ? one : several);
}

}  // namespace

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
      throw type_error(called + name + " is " + std::string(facts(operands[i].type.type).name) +
                       ", which the body's " + std::string(facts(declared.type).name) + " cannot hold");
    operands[i] = cast(operands[i], declared.type, where);
  }
  for (std::size_t k = 0; k < count; ++k) {
    const element_type type = combining_body.inputs[k].type;
    const node& result = combining_body.nodes[combining_body.outputs[k]];
    if (combining_body.inputs[count + k].type != type || result.type != type || result.rank != 0)
      throw type_error(called + "the body takes " + std::string(facts(type).name) + " and " +
                       std::string(facts(combining_body.inputs[count + k].type).name) + " as value " +
                       std::to_string(k) + " and returns " + describe(result.type, result.rank) +
                       ": both sides and the result are scalars of one type");
  }
  const std::uint64_t number = body(combining_body);
  return with_bodies(op, operands, number | std::uint64_t{axes} << 32, where);
}

std::vector<graph_value> graph_builder::identities_if_empty(std::span<const graph_value> identities,
                                                            std::span<const graph_value> values,
                                                            std::span<const graph_value> combined,
                                                            std::uint32_t axes,
                                                            const std::source_location& where) {
  const unsigned rank = combined.front().rank;
  const graph_value zero = literal(std::int64_t{0}, element_type::int64, where);
  std::vector<graph_value> found, made;
  for (const graph_value& value : values)
    for (unsigned axis = rank - value.rank; axis < rank; ++axis)
      if ((axes >> axis & 1) != 0)
        found.push_back(
            apply(operation::equal, {extent(value, axis - (rank - value.rank), where), zero}, where));
  graph_value is_empty = found.front();
  for (std::size_t i = 1; i < found.size(); ++i)
    is_empty = apply(operation::logical_or, {is_empty, found[i]}, where);
  // first, because results are nodes next to each other
  for (std::size_t k = 0; k < combined.size(); ++k)
    made.push_back(cast(identities[k], combined[k].type.type, where));
  for (std::size_t k = 0; k < combined.size(); ++k)
    made[k] = apply(operation::where, {is_empty, made[k], combined[k]}, where);
  return made;
}

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
    // row by row: what an inner axis comes to is an element along the outer one
    for (unsigned axis = rank; axis-- > 0;)
      if ((axes >> axis & 1) != 0)
        made = combined(operation::reduce, identities, made, captured, body, 1u << axis | is_ordered, where);
    // where an inner axis is empty, the outer one has identities, which the body has combined
    const std::uint32_t inner = axes & (axes - 1);
    if (inner != 0) made = identities_if_empty(identities, values, made, inner, where);
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
