// Runs programs through the reference interpreter (serve_programs.hpp): each value in memory, rounded to its
// own type. Usage: sinter_differential_interpreter cpu. Linked with the library's objects, because
// libsinter.so hides the interpreter.
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/reference/interpreter.hpp>

#include <utility>

#include "build_graph.hpp"
#include "layout_view.hpp"
#include "serve_programs.hpp"
#include "write_results.hpp"

namespace {

using namespace sinter;

std::string run_interpreter(const differential::program& source) {
  graph_builder builder;
  builder.restart(differential::mode_of(source));
  std::vector<graph_value> inputs;
  std::vector<reference_array> arrays, results;
  for (const any_view& operand : operands_of(source)) {
    inputs.push_back(builder.input(operand.type(), operand.rank()));
    std::string elements;
    differential::append_elements(elements, operand);
    arrays.push_back(load_reference(operand.type(), operand.shape(), elements.data()));
  }
  std::vector<std::uint64_t> scalars;
  for (const differential::value_line& value : source.values)
    if (value.kind == "param") scalars.push_back(value.bits);
  add_program(builder, source, inputs);
  interpret(builder.recorded(), arrays, scalars, results, reference_precision::native);

  const std::vector<any_view> targets = differential::targets_of(source);
  std::string answer = differential::first_line(0, results.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    const reference_array& result = results[i];
    std::string elements(result.size() * size_of(result.type), '\0');
    store_reference(result, elements.data());
    if (!targets.empty()) {
      differential::store_elements(elements, targets[i]);
      continue;
    }
    differential::append_shape(answer, result.type, result.extents);
    answer += elements;
  }
  for (const any_view& target : targets) differential::append_view(answer, target);
  if (!targets.empty())
    for (const differential::memory_block& buffer : source.buffers)
      answer.append(buffer.data(), buffer.size());
  return answer;
}

}  // namespace

int main() { return differential::serve_programs(run_interpreter); }
