#pragma once
// The loops of lowered kernels as text, as passes leave them.

#include "sweep/sweep.hpp"
#include "sweep/sweep_layout.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/loops/build_loops.hpp>
#include <sinter/codegen/loops/ir/loop_text.hpp>

#include <string>
#include <string_view>

namespace sinter::test {

/// What a pass leaves of a stage's loops.
inline std::string loops_after(std::string_view pass, const stage& made) {
  const kernel_description kernel = read_signature(made.signature).value();
  codegen::loop_tree tree;
  std::string text;
  codegen::build_loops(kernel, tree, [&](std::string_view done, const codegen::loop_tree& now) {
    if (done == pass) text = codegen::to_string(now);
  });
  return text;
}
/// What it leaves of the loops of a graph's only kernel.
inline std::string cpu_loops_after(std::string_view pass, const graph& recorded, const layout& input) {
  return loops_after(pass, lower(recorded, {input}, cpu_facts()).stages[0]);
}
inline std::string cuda_loops_after(std::string_view pass, const graph& recorded, const layout& input) {
  return loops_after(pass, lower(recorded, {input}, cuda_facts()).stages[0]);
}

/// Softmax's shape: exp(x - max(x)) / its sum, over an axis.
inline graph softmax_over(unsigned axis) {
  graph_builder builder;
  const graph_value x = builder.input(element_type::float32, 2);
  const auto over = [&](operation op, graph_value of) { return builder.reduce(op, of, 1u << axis, true); };
  const graph_value e =
      builder.apply(operation::exp, {builder.apply(operation::subtract, {x, over(operation::max, x)})});
  builder.output(builder.apply(operation::true_divide, {e, over(operation::sum, e)}));
  return builder.recorded();
}

/// The sum over some axes.
inline graph sum_over(std::uint32_t axes, unsigned rank) {
  graph_builder builder;
  builder.output(builder.reduce(operation::sum, builder.input(element_type::float32, rank), axes, false));
  return builder.recorded();
}

inline bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}
inline std::size_t times(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

}  // namespace sinter::test
