#pragma once
// Checks a graph that no graph_builder made: one read from a file, or filled by hand.

#include <sinter/codegen/graph/graph.hpp>

namespace sinter::inline v0 {

/// Throws type_error or shape_error that names the first node that a graph_builder would not make: operands
/// must come before their users, types and ranks follow the rules, payloads be in range, literals canonical.
/// A graph that passes is safe for every other function.
void verify(const graph& recorded);

/// The same for the body of a node: it also has to be elementwise, without parameters and with a bounded
/// depth of bodies in it (graph_bodies.hpp).
void verify_body(const graph& recorded);

}  // namespace sinter::inline v0
