#pragma once
// Checks a graph that was not made by a graph_builder: read from a file, or filled by hand.

#include <sinter/codegen/graph/graph.hpp>

namespace sinter {

/// Throws type_error or shape_error naming the first node that is not as a graph_builder makes them: operands
/// before their users, types and ranks as the rules have them, payloads in range, literals canonical. A graph
/// that passes is safe to hand to every other function of the graph.
void verify(const graph& recorded);

}  // namespace sinter
