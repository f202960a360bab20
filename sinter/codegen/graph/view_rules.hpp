#pragma once
// What a list of view items may be, and the rank it gives: needs no extents.

#include <sinter/codegen/graph/graph.hpp>

#include <span>
#include <string_view>

namespace sinter {

/// Rank of a view's result, or why there is none.
struct view_outcome {
  unsigned rank = 0;
  std::string_view fault;  ///< empty: none
};

/// `parameters` are the graph's: bounds may name those of int64.
view_outcome check_view(std::span<const view_item> items, unsigned rank,
                        std::span<const element_type> parameters);

}  // namespace sinter
