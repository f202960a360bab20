#pragma once
// Reductions of few elements, which are combined where they are used, without a loop.

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/shape/shape_inference.hpp>

namespace sinter::inline v0 {

/// The number of elements that are reduced to one result.
std::int64_t elements_reduced(const graph& recorded, const shape_table& shapes, node_id reduction);

/// A reduction of more than one element whose result a nest needs.
struct wanted_reduction {
  node_id node = 0;
  std::uint64_t times = 1;      ///< how often the nest evaluates what lies below it
  bool is_within_loop = false;  ///< whether the nest loops over an axis along which its result varies
};

/// Whether to unroll a reduction: not if it combines by a body, nor if it has many elements, nor if the graph
/// below it would be copied too often.
bool is_worth_unrolling(const graph& recorded, const shape_table& shapes, const wanted_reduction& wanted);

}  // namespace sinter::inline v0
