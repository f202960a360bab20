#pragma once
// A short axis of a nest's results whose elements are computed side by side, as several stores of one nest.

#include <sinter/codegen/nest/build/node_demands.hpp>

namespace sinter::inline v0 {

/// The axis that is worth unrolling: what the loops over reduced axes compute is mostly the same for its few
/// elements, as the distances are for each coordinate of a force between points. None where results have
/// elements for each of a reduction. `demands` are those of the nest with the axis.
unrolled_axis find_unrolled_axis(const call_facts& call, const node_demands& demands, const nest& built,
                                 std::span<const stored_node> stored);

}  // namespace sinter::inline v0
