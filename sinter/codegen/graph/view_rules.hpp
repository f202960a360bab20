#pragma once
// Checks a list of view items, and gives the rank of its result; needs no extents.

#include <sinter/codegen/graph/graph.hpp>

#include <span>
#include <string_view>

namespace sinter::inline v0 {

/// The rank of a view's result, or the fault in its items.
struct view_outcome {
  unsigned rank = 0;
  std::string_view fault;  ///< empty: none
};

/// `parameters` are those of the graph: bounds may name its int64 parameters.
view_outcome check_view(std::span<const view_item> items, unsigned rank,
                        std::span<const element_type> parameters);

}  // namespace sinter::inline v0
