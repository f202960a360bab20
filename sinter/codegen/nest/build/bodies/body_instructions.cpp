#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/reduction_start.hpp>
#include <sinter/codegen/nest/build/bodies/body_instructions.hpp>
#include <sinter/codegen/nest/nest_writer.hpp>

#include <algorithm>

namespace sinter::inline v0 {
namespace {

constexpr std::uint32_t none = instruction::no_owner;

/// The place of a component among those that are kept.
std::size_t place_of(const std::vector<bool>& kept, std::uint64_t number) {
  return static_cast<std::size_t>(
      std::count(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(number), true));
}

}  // namespace

std::uint32_t body_instructions::add(instruction made) {
  made.owner = current_;  // a scope until set_owners()
  nest_.body.push_back(made);
  return static_cast<std::uint32_t>(nest_.body.size() - 1);
}

void body_instructions::open_scope(bool otherwise) {
  around_.push_back(current_);
  current_ = static_cast<std::uint32_t>(scopes_.size());
  scopes_.push_back({none, otherwise, {}});
}

void body_instructions::set_owners() {
  if (scopes_.empty()) return;
  for (instruction& at : nest_.body) {
    if (at.owner == none) continue;
    const scope& of = scopes_[at.owner];
    at.owner = of.owner;
    at.otherwise = of.otherwise;
  }
}

std::uint32_t body_instructions::append(const node& entry, const node_demands::demand& demand) {
  const node_demands::body_demand& wanted = demands_.bodies[demand.body];
  root_ = demand.node;
  values operands;
  for (std::size_t i = 0; i < wanted.operands.size(); ++i) {
    const std::uint32_t operand = wanted.operands[i];
    const bool is_value = operand != no_demand && !is_whole(graph_, entry, i);
    operands.push_back(is_value ? demands_.all[operand].instruction : operand);
  }
  return append(graph_, entry, wanted.parts, operands);
}

std::uint32_t body_instructions::component(const node_demands::demand& owner, std::uint64_t number,
                                           std::int64_t elements) {
  const node_demands::body_demand& wanted = demands_.bodies[owner.body];
  const std::vector<bool>& kept = wanted.parts.components;
  const node& entry = graph_.nodes[owner.node];
  if (combines_by_body(entry.op) && elements <= 1)
    return demands_.all[wanted.operands[elements == 1 ? number : kept.size() + number]].instruction;
  const graph& body = body_of(graph_, entry);
  const element_type type = body.nodes[component_of(body, entry.op, static_cast<unsigned>(number))].type;
  return append_component(owner.instruction, type, place_of(kept, number));
}

/// What a scan comes to: a reduction in the order of its elements.
std::uint32_t body_instructions::append_last(std::uint32_t scan) {
  instruction made;
  made.op = operation::last;
  made.type = made.compute = nest_.body[scan].type;
  made.arity = 1;
  made.arguments[0] = scan;
  return add(made);
}

std::uint32_t body_instructions::append_component(std::uint32_t owner, element_type type,
                                                  std::size_t number) {
  const std::uint32_t made = nest_writer(nest_).component(owner, type, number);
  nest_.body[made].owner = current_;
  return made;
}

std::uint32_t body_instructions::append(const graph& around, const node& entry, const needed_parts& parts,
                                        const values& operands) {
  const body_layout layout = layout_of(entry.op);
  std::vector<std::uint32_t> arguments;
  const auto first_scope = static_cast<std::uint32_t>(scopes_.size());
  values own_scopes;
  if (layout.combines) {
    own_scopes.push_back(first_scope);
    append_combining(around, entry, parts, operands, arguments);
  } else if (layout.has_states) {
    own_scopes.push_back(first_scope);
    append_loop(around, entry, parts, operands, arguments);
  } else {
    const values inputs(operands.begin() + layout.lead, operands.end());
    values sides[2];
    for (const unsigned which : {0u, 1u}) {
      open_scope(which == 1);
      own_scopes.push_back(current_);
      const graph& body = body_of(around, entry, which);
      sides[which] = append_body(body, results_for(body, entry.op, parts.components), inputs);
      close_scope();
    }
    arguments.push_back(operands[0]);
    for (std::size_t k = 0; k < sides[0].size(); ++k) {
      arguments.push_back(sides[0][k]);
      arguments.push_back(sides[1][k]);
    }
  }
  instruction made;
  made.op = entry.op;
  // the node's own type may be that of a component that is not kept: masks have the width of this one
  made.type = made.compute = nest_.body[arguments[layout.combines ? 0 : 1]].type;
  made.payload = nest_.arguments.size();
  made.argument_count = static_cast<std::uint32_t>(arguments.size());
  nest_.arguments.insert(nest_.arguments.end(), arguments.begin(), arguments.end());
  const bool in_order = combines_in_order(entry);
  if (in_order) made.op = operation::scan;
  const std::uint32_t number = add(made);
  for (const std::uint32_t each : own_scopes) scopes_[each].owner = number;
  return in_order ? append_last(number) : number;
}

/// The carried states, the body, and for each state the carried one and its next value.
void body_instructions::append_loop(const graph& around, const node& entry, const needed_parts& parts,
                                    const values& operands, std::vector<std::uint32_t>& arguments) {
  const body_layout layout = layout_of(entry.op);
  const graph& body = body_of(around, entry);
  open_scope(false);
  values inputs(body.inputs.size(), none), carried;
  instruction made;
  made.op = operation::iteration;
  made.type = made.compute = element_type::int64;
  inputs[0] = add(made);
  for (std::size_t i = layout.lead; i < operands.size(); ++i) {
    const std::size_t state = i - layout.lead;
    std::uint32_t& input = inputs[state + layout.iteration];
    input = operands[i];
    if (state >= parts.components.size() || !parts.components[state]) continue;
    made.op = operation::carried;
    made.type = made.compute = body.inputs[state + layout.iteration].type;
    made.arity = 1;
    made.arguments[0] = operands[i];
    made.payload = carried.size();
    input = add(made);
    carried.push_back(input);
  }
  const values results =
      append_body(body, results_for(body, entry.op, parts.components), inputs, layout.conditions == 1);
  close_scope();
  arguments.push_back(layout.conditions == 1 ? results[0] : operands[0]);
  for (std::size_t k = 0; k < carried.size(); ++k) {
    arguments.push_back(carried[k]);
    arguments.push_back(results[layout.conditions + k]);
  }
}

/// The values and identities, the body, and what it returns.
void body_instructions::append_combining(const graph& around, const node& entry, const needed_parts& parts,
                                         const values& operands, std::vector<std::uint32_t>& arguments) {
  const graph& body = body_of(around, entry);
  const std::size_t all = parts.components.size();
  const auto kept = static_cast<std::size_t>(std::ranges::count(parts.components, true));
  open_scope(false);
  values inputs(operands);
  for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
    std::size_t number = side * kept;
    for (std::size_t k = 0; k < all; ++k) {
      if (!parts.components[k]) continue;
      arguments.push_back(operands[side * all + k]);
      instruction made;
      made.op = operation::partial;
      made.type = made.compute = body.inputs[k].type;
      made.payload = number++;
      inputs[side * all + k] = add(made);
    }
  }
  const values results = append_body(body, results_for(body, entry.op, parts.components), inputs);
  close_scope();
  arguments.insert(arguments.end(), results.begin(), results.end());
}

body_instructions::values body_instructions::append_body(const graph& body, std::span<const node_id> wanted,
                                                         const values& inputs, bool has_condition) {
  const needed_nodes needed = nodes_needed_for(body, wanted);
  values nodes(body.nodes.size(), none);
  for (node_id id = 0; id < body.nodes.size(); ++id) {
    if (!needed.nodes[id]) continue;
    const node& entry = body.nodes[id];
    if (entry.op == operation::input) {
      nodes[id] = inputs[entry.payload];
    } else if (has_body(entry.op)) {
      values operands;
      for (const node_id operand : body.operands_of(entry)) operands.push_back(nodes[operand]);
      nodes[id] = append(body, entry, needed_for(body, entry, needed.components[id]), operands);
    } else if (entry.op == operation::component) {
      const node& owner = body.nodes[entry.inputs[0]];
      const std::vector<bool> kept = needed_for(body, owner, needed.components[entry.inputs[0]]).components;
      nodes[id] = append_component(nodes[entry.inputs[0]], entry.type, place_of(kept, entry.payload));
    } else if (entry.op == operation::element) {
      nodes[id] = append_element(body, entry, nodes);
    } else {
      nodes[id] = append_node(body, entry, nodes);
    }
  }
  values results;
  for (const node_id id : wanted) results.push_back(nodes[id]);
  report(results, has_condition);
  return results;
}

std::uint32_t body_instructions::append_element(const graph& body, const node& entry, const values& nodes) {
  const auto operands = body.operands_of(entry);
  values indices;
  for (const node_id index : operands.subspan(1)) indices.push_back(nodes[index]);
  const std::size_t first = nest_.body.size();
  const std::uint32_t made =
      elements_.append(nodes[operands[0]], indices, rule_of_element(entry), root_, scopes_[current_].checks);
  take_into_scope(first);
  return made;
}

/// Appends the reports of the body that is being appended.
void body_instructions::report(const values& results, bool has_condition) {
  const std::size_t first = nest_.body.size();
  report_indices_of_body(
      scopes_[current_].checks, results, has_condition, [&](std::uint32_t i) { return is_visible(i); },
      nest_);
  take_into_scope(first);
}

/// Makes instructions from this one on part of the body, but those that are the same in the whole kernel.
void body_instructions::take_into_scope(std::size_t first) {
  for (instruction& at : std::span(nest_.body).subspan(first))
    if (at.op != operation::extent && at.op != operation::literal && at.op != operation::coordinate)
      at.owner = current_;
}

/// Whether the body that is being appended can use a value: it is in no body, in this one or around it.
bool body_instructions::is_visible(std::uint32_t value) const {
  const std::uint32_t owner = nest_.body[value].owner;
  for (std::uint32_t scope = current_; scope != none; scope = around_[scope])
    if (owner == scope) return true;
  return owner == none;
}

std::uint32_t body_instructions::append_node(const graph& body, const node& entry, const values& nodes) {
  instruction made;
  made.op = entry.op;
  made.type = made.compute = entry.type;
  made.payload = entry.payload;
  made.arity = entry.arity;
  for (unsigned i = 0; i < entry.arity; ++i) made.arguments[i] = nodes[entry.inputs[i]];
  if (entry.arity > 0) made.compute = body.nodes[entry.inputs[entry.arity - 1u]].type;
  if (entry.op == operation::external) {
    const external_function* called = body.externals[entry.payload];
    made.by_pointer = called->cpu == external_form::pointer;
    made.payload = external_of(called);
  }
  return add(made);
}

/// Functions that bodies call are functions of the graph.
std::uint32_t body_instructions::external_of(const external_function* called) const {
  return static_cast<std::uint32_t>(std::ranges::find(graph_.externals, called) - graph_.externals.begin());
}

}  // namespace sinter::inline v0
