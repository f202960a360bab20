#pragma once
// Reductions of few elements, which are combined where they are used, without a loop.

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/shape/shape_inference.hpp>

namespace sinter::inline v0 {

/// The number of elements that are reduced to one result.
std::int64_t elements_reduced(const graph& recorded, const shape_table& shapes, node_id reduction);

/// Whether to unroll a reduction of more than one element whose result is used `times` times: not if the
/// graph below it would be copied too often.
bool is_worth_unrolling(const graph& recorded, const shape_table& shapes, node_id reduction,
                        std::uint64_t times);

}  // namespace sinter::inline v0
