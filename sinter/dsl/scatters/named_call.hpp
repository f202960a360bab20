#pragma once
// Calls that messages name, of functions that are composed of scatters.

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/graph/scatters/scatter_call.hpp>

#include <span>
#include <utility>

namespace sinter::inline v0::detail {

/// Composes a call, and has messages name it and what the user gave to it, `operands`.
template <class Compose>
graph_value named_call(graph_builder& into, scatter_call call, std::span<const graph_value> operands,
                       const Compose& compose) {
  call.first = static_cast<std::uint32_t>(into.recorded().nodes.size());
  for (const graph_value& operand : operands) call.operands.push_back(operand.id);
  const graph_value made = compose();
  into.name_call(std::move(call));
  return made;
}

}  // namespace sinter::inline v0::detail
