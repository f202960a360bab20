#pragma once
// A scatter whose index and updates are broadcast to its base.

#include <sinter/codegen/graph/graph_builder.hpp>

namespace sinter::test {

inline graph_value scatter_broadcast(graph_builder& builder, graph_value base, graph_value index,
                                     graph_value updates, const scatter_form& form) {
  const auto [positions, elements] = builder.scatter_operands(base, index, updates, form.axis);
  return builder.scatter(base, positions, elements, form);
}

}  // namespace sinter::test
