#include "build_graph.hpp"

#include <stdexcept>

namespace differential {
namespace {

sinter::operation operation_named(const std::string& name) {
  for (const auto& row : sinter::operations())
    if (row.name == name) return row.op;
  throw std::runtime_error("driver: no operation " + name);
}

}  // namespace

sinter::arithmetic_mode mode_of(const program& source) {
  if (source.mode == "strict") return sinter::arithmetic_mode::strict;
  if (source.mode == "fast") return sinter::arithmetic_mode::fast;
  return sinter::arithmetic_mode::standard;
}

sinter::graph_value add_value(sinter::graph_builder& builder, const value_line& value,
                              std::span<const sinter::graph_value> operands) {
  if (value.kind == "literal") return builder.literal(value.type, value.bits, value.weak);
  if (value.kind == "param") return builder.parameter(value.type, value.weak);
  if (value.kind == "apply") return builder.apply(operation_named(value.operation), operands);
  if (value.kind == "cast") return builder.cast(operands[0], value.type);
  if (value.kind == "reduce")
    return builder.reduce(operation_named(value.operation), operands[0], value.axes, value.keep_axes);
  if (value.kind == "scan") return builder.scan(operation_named(value.operation), operands[0], value.axes);
  if (value.kind == "coordinate") return builder.coordinate(operands[0], value.axes);
  if (value.kind == "extent") return builder.extent(operands[0], value.axes);
  return builder.view(operands[0], value.items);
}

void add_program(sinter::graph_builder& builder, const program& source,
                 std::span<const sinter::graph_value> inputs) {
  std::vector<sinter::graph_value> values;
  std::size_t next_input = 0;
  for (const value_line& value : source.values) {
    if (value.kind == "input") {
      values.push_back(inputs[next_input++]);
      continue;
    }
    std::vector<sinter::graph_value> operands;
    for (unsigned operand : value.operands) operands.push_back(values.at(operand));
    values.push_back(add_value(builder, value, operands));
  }
  for (const output_line& output : source.outputs) builder.output(values.at(output.value));
}

}  // namespace differential
