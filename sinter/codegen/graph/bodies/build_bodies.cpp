#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/bodies/graph_bodies.hpp>
#include <sinter/codegen/graph/describe.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/graph/verify_graph.hpp>
#include <sinter/codegen/types/type_rules.hpp>

#include <algorithm>
#include <string>

namespace sinter::inline v0 {
namespace {

std::string call_text(operation op, const std::source_location& where) {
  return std::string(facts_of(op).name) + describe(where) + ": ";
}

/// The name of an operand in a message: "state 0", "captured value 2".
std::string name_of_operand(operation op, std::size_t operand, std::size_t states) {
  const body_layout layout = layout_of(op);
  if (operand < layout.lead) return op == operation::when ? "the condition" : "the count";
  const std::size_t number = operand - layout.lead;
  if (layout.has_states && number < states) return "state " + std::to_string(number);
  return "captured value " + std::to_string(layout.has_states ? number - states : number);
}

}  // namespace

std::uint32_t graph_builder::body(graph added) {
  added.derived_limits.clear();  // what derives from the iteration's number converts by wrapping
  const auto known =
      std::ranges::find_if(graph_.bodies, [&](const graph& each) { return each.same_content(added); });
  if (known != graph_.bodies.end()) return static_cast<std::uint32_t>(known - graph_.bodies.begin());
  verify_body(added);
  if (added.mode != graph_.mode)
    throw type_error("a body is recorded in another arithmetic mode than the graph around it");
  for (const external_function* called : added.externals)
    if (std::ranges::find(graph_.externals, called) == graph_.externals.end())
      graph_.externals.push_back(called);
  graph_.bodies.push_back(std::move(added));
  return static_cast<std::uint32_t>(graph_.bodies.size() - 1);
}

std::vector<graph_value> graph_builder::with_bodies(operation op, std::span<const graph_value> operands,
                                                    std::uint64_t numbers,
                                                    const std::source_location& where) {
  const auto first = static_cast<std::uint64_t>(graph_.operands.size());
  for (const graph_value& operand : operands) graph_.operands.push_back(operand.id);
  const graph& of = graph_.bodies[static_cast<std::uint32_t>(numbers)];
  const std::size_t conditions = layout_of(op).conditions;
  // the node has the type of its first result, and the rank of all of them together
  const element_type type = of.nodes[of.outputs[conditions]].type;
  const std::size_t count = of.outputs.size() - conditions;
  const graph_value owner = append_node(op, {type}, 0, {}, numbers, where);
  node& made = graph_.nodes.back();
  made.attribute = first | static_cast<std::uint64_t>(operands.size()) << 32;
  made.rank = static_cast<std::uint8_t>(rank_of_components(graph_, made));
  std::vector<graph_value> components;
  for (unsigned k = 0; k < count; ++k) {
    const node& entry = graph_.nodes[owner.id];
    const element_type own = body_of(graph_, entry).nodes[component_of(body_of(graph_, entry), op, k)].type;
    components.push_back(append_node(operation::component, {own}, rank_of_component(graph_, entry, k),
                                     std::span(&owner, 1), k, where));
  }
  return components;
}

std::vector<graph_value> graph_builder::repeated(operation op, std::span<const graph_value> counts,
                                                 std::span<const graph_value> states,
                                                 std::span<const graph_value> captured,
                                                 const graph& repeated_body,
                                                 const std::source_location& where) {
  const body_layout layout = layout_of(op);
  const std::size_t wanted = layout.iteration + states.size() + captured.size();
  if (states.empty()) throw type_error(call_text(op, where) + "there is no state");
  if (repeated_body.inputs.size() != wanted ||
      repeated_body.outputs.size() != layout.conditions + states.size())
    throw type_error(call_text(op, where) + "the body takes " + std::to_string(repeated_body.inputs.size()) +
                     " values and returns " + std::to_string(repeated_body.outputs.size()) + "; " +
                     std::to_string(states.size()) + " states and " + std::to_string(captured.size()) +
                     " captured values need " + std::to_string(wanted) + " and " +
                     std::to_string(layout.conditions + states.size()));
  std::vector<graph_value> operands(counts.begin(), counts.end());
  operands.insert(operands.end(), states.begin(), states.end());
  operands.insert(operands.end(), captured.begin(), captured.end());
  for (std::size_t i = layout.lead; i < operands.size(); ++i) {
    const input_declaration& declared = repeated_body.inputs[i - layout.lead + layout.iteration];
    const bool is_state = i < layout.lead + states.size();
    const std::string name = name_of_operand(op, i, states.size());
    if (!owns(operands[i])) throw type_error(call_text(op, where) + name + " is not a value of this graph");
    if (is_state ? operands[i].rank > declared.rank : operands[i].rank != declared.rank)
      throw shape_error(call_text(op, where) + name + " is " +
                        describe(operands[i].type.type, operands[i].rank) + ", and the body takes " +
                        describe(declared.type, declared.rank));
    if (promote(operands[i].type, {declared.type}).type != declared.type)
      throw type_error(call_text(op, where) + name + " is " +
                       std::string(facts_of(operands[i].type.type).name) + ", which the body's " +
                       std::string(facts_of(declared.type).name) + " cannot hold");
    operands[i] = cast(operands[i], declared.type, where);
  }
  const std::uint32_t number = body(repeated_body);
  if (layout.conditions == 1 && !is_boolean(repeated_body.nodes[repeated_body.outputs[0]].type))
    throw type_error(call_text(op, where) + "the body's first result, the condition, is not bool");
  for (std::size_t k = 0; k < states.size(); ++k) {
    const input_declaration& declared = repeated_body.inputs[layout.iteration + k];
    const node& next = repeated_body.nodes[repeated_body.outputs[layout.conditions + k]];
    if (next.type != declared.type || next.rank > declared.rank)
      throw type_error(call_text(op, where) + "state " + std::to_string(k) + " is " +
                       describe(declared.type, declared.rank) + " and becomes " +
                       describe(next.type, next.rank) +
                       ": a state keeps its type, and its rank does not grow");
    if (layout.conditions == 1 && repeated_body.nodes[repeated_body.outputs[0]].rank > declared.rank)
      throw shape_error(
          call_text(op, where) + "state " + std::to_string(k) + " is " +
          describe(declared.type, declared.rank) +
          ", and the condition has a higher rank: a state has an element for each of its results");
  }
  return with_bodies(op, operands, number, where);
}

std::vector<graph_value> graph_builder::repeat(graph_value count, std::span<const graph_value> states,
                                               std::span<const graph_value> captured, const graph& body,
                                               const std::source_location& where) {
  if (!owns(count) || !is_integer(count.type.type) || count.rank != 0)
    throw type_error(call_text(operation::repeat, where) +
                     "the count is not an integer of rank 0 of this graph");
  const graph_value converted = cast(count, element_type::int64, where);
  return repeated(operation::repeat, std::span(&converted, 1), states, captured, body, where);
}

std::vector<graph_value> graph_builder::repeat_while(std::span<const graph_value> states,
                                                     std::span<const graph_value> captured, const graph& body,
                                                     const std::source_location& where) {
  return repeated(operation::repeat_while, {}, states, captured, body, where);
}

std::vector<graph_value> graph_builder::when(graph_value condition, std::span<const graph_value> captured,
                                             const graph& then, const graph& otherwise,
                                             const std::source_location& where) {
  const std::string called = call_text(operation::when, where);
  if (!owns(condition)) throw type_error(called + "the condition is not a value of this graph");
  if (then.outputs.empty() || then.outputs.size() != otherwise.outputs.size())
    throw type_error(called + "one side returns " + std::to_string(then.outputs.size()) +
                     " values, the other " + std::to_string(otherwise.outputs.size()));
  if (then.inputs != otherwise.inputs || then.inputs.size() != captured.size())
    throw type_error(called + "both sides take the values that are captured, of which there are " +
                     std::to_string(captured.size()));
  std::vector<graph_value> operands{cast(condition, element_type::boolean, where)};
  for (std::size_t i = 0; i < captured.size(); ++i) {
    if (!owns(captured[i]) || captured[i].rank != then.inputs[i].rank ||
        promote(captured[i].type, {then.inputs[i].type}).type != then.inputs[i].type)
      throw type_error(called + "captured value " + std::to_string(i) + " is not " +
                       describe(then.inputs[i].type, then.inputs[i].rank));
    operands.push_back(cast(captured[i], then.inputs[i].type, where));
  }
  const std::uint64_t first = body(then), second = body(otherwise);
  for (std::size_t k = 0; k < then.outputs.size(); ++k)
    if (then.nodes[then.outputs[k]].type != otherwise.nodes[otherwise.outputs[k]].type)
      throw type_error(called + "result " + std::to_string(k) + " is " +
                       std::string(facts_of(then.nodes[then.outputs[k]].type).name) + " on one side and " +
                       std::string(facts_of(otherwise.nodes[otherwise.outputs[k]].type).name) +
                       " on the other");
  return with_bodies(operation::when, operands, first | second << 32, where);
}

}  // namespace sinter::inline v0
