#pragma once
// What earlier stages can compute for a nest.

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/nest/build/node_demands.hpp>
#include <sinter/codegen/shape/call_facts.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace sinter::inline v0 {

/// Marks of nodes: working memory, reused between calls.
struct node_marks {
  std::vector<std::uint8_t> needed, dependent, reductions;
  std::vector<node_id> visited;  ///< those that are marked as needed
};

/// Whether the nodes `made` depend on all of `wanted`, so that computing them ahead would be the same work
/// again. What is computed ahead never does: it is a proper part of the remaining work. Such a part always
/// exists, because the first reduction of a nest depends on no other one. If that reduction needs everything
/// that is wanted, it is wanted itself, and the nest holds it as its only reduction.
bool needs_all_of(const graph& recorded, std::span<const stored_node> made,
                  std::span<const stored_node> wanted, std::span<const stored_node> stored,
                  node_marks& marks);

/// Reductions of a nest that the stages for the reduction `first` can compute with it: each has its shape and
/// reduces the same axes of operands of one shape.
struct alike_reductions {
  std::vector<node_id> ready;  ///< independent of every other reduction of the nest
  std::vector<node_id> later;  ///< dependent on one, ascending
};
alike_reductions find_alike(const call_facts& call, const node_demands& demands,
                            std::span<const stored_node> stored, node_id first, node_marks& marks);

/// The last value that is neither stored nor a reduction and that both what is made ahead and the rest are
/// computed from; no_node if there is none.
node_id last_in_common(const graph& recorded, std::span<const stored_node> ahead,
                       std::span<const stored_node> rest, std::span<const stored_node> stored,
                       node_marks& marks);

}  // namespace sinter::inline v0
