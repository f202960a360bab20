#pragma once
// Makes a graph smaller without changing a bit of its results.

#include <sinter/codegen/graph/graph.hpp>

namespace sinter::inline v0 {

/// The same function with constants folded, common subexpressions merged, exact identities applied
/// (identities.hpp lists them) and unused nodes removed. Pure and deterministic; simplifying twice changes
/// nothing more. Inputs, parameters and parameter limits stay as declared, used or not, because calls pass
/// them by number. NaN stays NaN, but its payload may change. Shapes of removed nodes are no longer checked.
graph simplify(const graph& recorded);

}  // namespace sinter::inline v0
