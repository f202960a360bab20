#pragma once
// Reductions of so few elements that these are combined where they are needed, without a loop.

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/shape/shape_inference.hpp>

namespace sinter {

/// Elements that one result of a reduction is made of.
std::int64_t elements_walked(const graph& recorded, const shape_table& shapes, node_id reduction);

/// Whether a reduction of more than one element, whose result is wanted so many times, may do without a loop:
/// not where the graph below it would be copied too often.
bool is_worth_unrolling(const graph& recorded, const shape_table& shapes, node_id reduction,
                        std::uint64_t times);

}  // namespace sinter
