#include "run_program.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/runtime/call.hpp>
#include <sinter/runtime/compile_policy.hpp>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "build_graph.hpp"
#include "build_parts.hpp"
#include "device_memory.hpp"
#include "layout_view.hpp"
#include "write_results.hpp"

namespace differential {
namespace {

using namespace sinter;

using clock = std::chrono::steady_clock;

std::int64_t microseconds_since(clock::time_point begin) {
  return std::chrono::duration_cast<std::chrono::microseconds>(clock::now() - begin).count();
}

bool has_parameters(const program& source) {
  return std::ranges::any_of(source.values, [](const value_line& value) { return value.kind == "param"; });
}

/// By evaluate(), as most users call the run-time builder.
std::string run_evaluate(const program& source) {
  const std::vector<any_view> operands = operands_of(source);
  const auto begin = clock::now();
  const std::vector<any_array> results = evaluate(
      std::span<const any_view>(operands), [&](graph_builder& builder, std::span<const graph_value> inputs) {
        builder.recorded().mode = mode_of(source);
        add_program(builder, source, inputs);
      });
  std::string answer = first_line(microseconds_since(begin), results.size());
  for (const any_array& result : results) append_array(answer, result);
  return answer;
}

/// By runtime::call(): evaluate() takes no scalars, and targets only as an initializer list.
std::string run_call(const program& source) {
  const std::vector<any_view> operands = operands_of(source), targets = targets_of(source);

  const auto begin = clock::now();
  graph_builder builder;
  builder.restart(mode_of(source));
  std::vector<graph_value> inputs;
  std::vector<runtime::operand> erased_operands, erased_targets;
  std::vector<runtime::scalar> scalars;
  for (const any_view& operand : operands) {
    inputs.push_back(builder.input(operand.type(), operand.rank()));
    erased_operands.push_back(operand.erased());
  }
  for (const any_view& target : targets) erased_targets.push_back(target.erased());
  for (const value_line& value : source.values)
    if (value.kind == "param") scalars.push_back(value.bits);
  add_program(builder, source, inputs);

  std::vector<runtime::result> results(targets.empty() ? source.outputs.size() : 0);
  runtime::call_options options;
  if (source.variant == "general") options.variant = lowering_variant::general;
  runtime::call(runtime::intern(builder.recorded()), erased_operands, scalars, erased_targets, results,
                options);

  std::string answer = first_line(microseconds_since(begin), source.outputs.size());
  for (runtime::result& result : results) append_array(answer, any_array(std::move(result)));
  wait_for_device();
  for (const any_view& target : targets) append_view(answer, target);
  if (!targets.empty())
    for (const memory_block& buffer : source.buffers) answer.append(buffer.data(), buffer.size());
  return answer;
}

bool is_scalar(const value_line& value) { return value.kind == "literal" || value.kind == "param"; }

/// A number of rank 0 that was computed before.
graph_value literal_of(graph_builder& builder, const any_view& computed) {
  std::string element;
  append_from_device(element, computed.data(), size_of(computed.type()));
  std::uint64_t bits = 0;
  std::memcpy(&bits, element.data(), element.size());
  return builder.literal(computed.type(), bits);
}

/// One value by a kernel of its own, of operands that were computed before; a component by all of its node.
any_array run_value(const program& source, const value_line& line, std::span<const any_view> computed) {
  const value_line& value = line.kind == "component" ? source.values.at(line.operands.at(0)) : line;
  const auto is_array = [&](std::size_t operand) {
    return !is_scalar(source.values[value.operands[operand]]) && !is_integer_of_part(value, operand);
  };
  std::vector<any_view> operands;
  for (std::size_t i = 0; i < value.operands.size(); ++i)
    if (is_array(i)) operands.push_back(computed[value.operands[i]]);
  const auto body = [&](graph_builder& builder, std::span<const graph_value> inputs) {
    builder.recorded().mode = mode_of(source);
    std::vector<graph_value> arguments;
    std::size_t next_input = 0;
    for (std::size_t i = 0; i < value.operands.size(); ++i) {
      const unsigned operand = value.operands[i];
      if (is_array(i))
        arguments.push_back(inputs[next_input++]);
      else if (is_scalar(source.values[operand]))
        arguments.push_back(add_value(builder, source.values[operand], {}));
      else
        arguments.push_back(literal_of(builder, computed[operand]));
    }
    builder.output(add_value(builder, value, arguments, line.component));
  };
  return std::move(evaluate(std::span<const any_view>(operands), body)[0]);
}

std::string run_unfused(const program& source) {
  if (has_parameters(source) || !targets_of(source).empty())
    throw std::runtime_error("driver: programs with parameters or targets do not run unfused");
  for (const output_line& output : source.outputs)
    if (is_scalar(source.values.at(output.value)))
      throw std::runtime_error("driver: a scalar is no output of an unfused program");
  std::vector<any_array> arrays(source.values.size());
  std::vector<any_view> views(source.values.size());
  const auto begin = clock::now();
  for (std::size_t number = 0; number < source.values.size(); ++number) {
    const value_line& value = source.values[number];
    if (value.kind == "input") {
      views[number] = view_of(source, value.input);
    } else if (!value.operands.empty()) {
      arrays[number] = run_value(source, value, views);
      views[number] = arrays[number].view();
    }
  }
  wait_for_device();
  std::string answer = first_line(microseconds_since(begin), source.outputs.size());
  for (const output_line& output : source.outputs) {
    if (source.values[output.value].kind == "input")
      append_view(answer, views[output.value]);
    else
      append_array(answer, arrays[output.value]);
  }
  return answer;
}

}  // namespace

std::string run_program(program& source) {
  set_compile_policy(source.variant == "quick" ? compile_policy::quick_first : compile_policy::optimised);
  if (source.variant == "unfused") return run_unfused(source);
  const bool plain = source.variant == "fused" && targets_of(source).empty() && !has_parameters(source);
  return plain ? run_evaluate(source) : run_call(source);
}

}  // namespace differential
