#include "build_graph.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/rng.hpp>

#include <array>
#include <map>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "build_order.hpp"
#include "build_parts.hpp"
#include "build_products.hpp"
#include "build_scatters.hpp"
#include "build_stencils.hpp"
#include "external_functions.hpp"

namespace differential {
namespace {

sinter::operation operation_named(const std::string& name) {
  for (const auto& row : sinter::operations())
    if (row.name == name) return row.op;
  throw std::runtime_error("driver: no operation " + name);
}

sinter::rng::distribution distribution_named(const std::string& name) {
  using enum sinter::detail::drawn;
  constexpr std::array<std::pair<std::string_view, sinter::rng::distribution>, 6> distributions{
      {{"bits", bits},
       {"uniform", uniform},
       {"normal", normal},
       {"exponential", exponential},
       {"randint", randint},
       {"bernoulli", bernoulli}}};
  for (const auto& [known, distribution] : distributions)
    if (known == name) return distribution;
  throw std::runtime_error("driver: no distribution " + name);
}

using values = std::vector<sinter::graph_value>;

void add_values(sinter::graph_builder& builder, std::span<const value_line> lines,
                std::span<const sinter::graph_value> inputs, values& to);

sinter::graph graph_of(const body& source, sinter::arithmetic_mode mode) {
  sinter::graph_builder builder;
  builder.restart(mode);
  values computed;
  add_values(builder, source.values, {}, computed);
  for (unsigned result : source.results) builder.output(computed.at(result));
  return builder.recorded();
}

/// Adds a reduction or a scan by a body, and returns its results.
values add_combining(sinter::graph_builder& builder, const value_line& value,
                     std::span<const sinter::graph_value> operands) {
  const std::size_t count = value.states;
  if (value.bodies.size() != 1 || operands.size() < 2 * count)
    throw std::runtime_error("driver: " + value.kind + " has other bodies or operands");
  const sinter::graph body = graph_of(value.bodies[0], builder.recorded().mode);
  const auto combined = operands.first(count), identities = operands.subspan(count, count),
             captured = operands.subspan(2 * count);
  if (value.kind == "scan_by") return builder.scan(identities, combined, captured, body, value.axes);
  const auto order = value.ordered ? sinter::combining_order::ascending : sinter::combining_order::any;
  return builder.reduce(identities, combined, captured, body, value.axes, value.keep_axes, order);
}

/// Adds a line with bodies, and returns its results.
values add_bodies(sinter::graph_builder& builder, const value_line& value,
                  std::span<const sinter::graph_value> operands) {
  if (value.kind == "reduce_by" || value.kind == "scan_by") return add_combining(builder, value, operands);
  const std::size_t wanted = value.kind == "when" ? 2 : 1, lead = value.kind == "repeat_while" ? 0 : 1;
  if (value.bodies.size() != wanted || operands.size() < lead + value.states)
    throw std::runtime_error("driver: " + value.kind + " has other bodies or operands");
  const sinter::arithmetic_mode mode = builder.recorded().mode;
  const sinter::graph first = graph_of(value.bodies[0], mode);
  const auto states = operands.subspan(lead, value.states), captured = operands.subspan(lead + value.states);
  if (value.kind == "when")
    return builder.when(operands[0], captured, first, graph_of(value.bodies[1], mode));
  if (value.kind == "repeat") return builder.repeat(operands[0], states, captured, first);
  return builder.repeat_while(states, captured, first);
}

/// Adds lines after each other. `inputs` are those of the program; a body adds its own.
void add_values(sinter::graph_builder& builder, std::span<const value_line> lines,
                std::span<const sinter::graph_value> inputs, values& to) {
  std::map<unsigned, values> results;  // of lines with bodies, by value
  std::size_t next_input = 0;
  for (const value_line& value : lines) {
    values operands;
    for (unsigned operand : value.operands) operands.push_back(to.at(operand));
    if (value.kind == "input") {
      to.push_back(inputs[next_input++]);
    } else if (value.kind == "component") {
      to.push_back(results.at(value.operands[0]).at(value.component));
    } else if (has_bodies(value)) {
      to.push_back((results[static_cast<unsigned>(to.size())] = add_bodies(builder, value, operands)).at(0));
    } else {
      to.push_back(add_value(builder, value, operands));
    }
  }
}

}  // namespace

sinter::arithmetic_mode mode_of(const program& source) {
  if (source.mode == "strict") return sinter::arithmetic_mode::strict;
  if (source.mode == "fast") return sinter::arithmetic_mode::fast;
  return sinter::arithmetic_mode::standard;
}

sinter::graph_value add_value(sinter::graph_builder& builder, const value_line& value,
                              std::span<const sinter::graph_value> operands, unsigned component) {
  if (has_bodies(value)) return add_bodies(builder, value, operands).at(component);
  if (value.kind == "argument") return builder.input(value.type, value.rank, value.weak);
  if (value.kind == "whole") return builder.whole_input(value.type, value.rank);
  if (value.kind == "element")
    return builder.element(operands[0], operands.subspan(1), index_rule_named(value.operation));
  if (value.kind == "literal") return builder.literal(value.type, value.bits, value.weak);
  if (value.kind == "param") return builder.parameter(value.type, value.weak);
  if (value.kind == "apply") return builder.apply(operation_named(value.operation), operands);
  if (value.kind == "extern") return builder.call(external_named(value.operation), operands);
  if (value.kind == "cast") return builder.cast(operands[0], value.type);
  if (value.kind == "reduce")
    return builder.reduce(operation_named(value.operation), operands[0], value.axes, value.keep_axes);
  if (value.kind == "scan") return builder.scan(operation_named(value.operation), operands[0], value.axes);
  if (value.kind == "coordinate") return builder.coordinate(operands[0], value.axes);
  if (value.kind == "extent") return builder.extent(operands[0], value.axes);
  if (value.kind == "random")
    return sinter::rng::draw(builder, distribution_named(value.operation), value.type, operands);
  if (is_part(value)) return add_part(builder, value, operands);
  if (is_search(value)) return add_search(builder, value, operands);
  if (is_scattering(value)) return add_scattering(builder, value, operands);
  if (is_order(value)) return add_order(builder, value, operands);
  if (is_stencil(value)) return add_stencil(builder, value, operands);
  if (is_product(value)) return add_product(builder, value, operands);
  return builder.view(operands[0], value.items);
}

void add_program(sinter::graph_builder& builder, const program& source,
                 std::span<const sinter::graph_value> inputs) {
  values computed;
  add_values(builder, source.values, inputs, computed);
  for (const output_line& output : source.outputs) builder.output(computed.at(output.value));
}

}  // namespace differential
