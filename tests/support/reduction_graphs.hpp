#pragma once
// Graphs of one reduction of a matrix, plain or broadcast back.

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>

namespace sinter::test {

/// `op` of a matrix over a mask of axes.
inline graph reduction_of(operation op, std::uint32_t axes, element_type type = element_type::float32) {
  graph_builder builder;
  builder.restart();
  builder.output(builder.reduce(op, builder.input(type, 2), axes));
  return builder.recorded();
}

/// Softmax of a matrix over a mask of axes, in float32.
inline graph softmax_over(std::uint32_t axes, element_type type = element_type::float32) {
  graph_builder builder;
  builder.restart();
  const graph_value x = builder.cast(builder.input(type, 2), element_type::float32);
  const graph_value e =
      builder.apply(operation::exp,
                    {builder.apply(operation::subtract, {x, builder.reduce(operation::max, x, axes, true)})});
  builder.output(builder.apply(operation::true_divide, {e, builder.reduce(operation::sum, e, axes, true)}));
  return builder.recorded();
}

}  // namespace sinter::test
