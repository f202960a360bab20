#pragma once
// Makes a graph smaller without changing a bit of what it computes.

#include <sinter/codegen/graph/graph.hpp>

namespace sinter {

/// The same function with constants folded, common subexpressions merged, exact identities applied
/// (identities.hpp lists them) and unused nodes removed. Pure and deterministic; simplifying twice changes
/// nothing more. Inputs, parameters and parameter limits stay as declared, used or not: their numbers are how
/// a call passes them. NaNs stay NaNs, but not their payloads. Shapes of removed nodes are checked no more.
graph simplify(const graph& recorded);

}  // namespace sinter
