#pragma once
// What stages ahead of a nest can make for it.

#include <sinter/codegen/nest/node_demands.hpp>
#include <sinter/codegen/shape/call_facts.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace sinter {

/// Marks of nodes: working memory, kept between calls.
struct node_marks {
  std::vector<std::uint8_t> needed, dependent, reductions;
};

/// Whether nodes that are to be made for others need all of those, so that nothing would be left to make but
/// the same again. What is made ahead never does: it is a part of what has not been made. There is always
/// such a part, as the first of a nest's reductions needs no other one: where it needs everything that is
/// wanted, it is wanted itself, and the nest holds it, being the only one.
bool needs_all_of(const graph& recorded, std::span<const stored_node> made,
                  std::span<const stored_node> wanted, std::span<const stored_node> stored,
                  node_marks& marks);

/// Reductions of a nest that the stages which make the reduction `first` can make with it: each has its shape
/// and walks the same axes of operands of one shape.
struct alike_reductions {
  std::vector<node_id> ready;  ///< that need no other reduction of the nest
  std::vector<node_id> later;  ///< that do, ascending
};
alike_reductions find_alike(const call_facts& call, const node_demands& demands,
                            std::span<const stored_node> stored, node_id first, node_marks& marks);

}  // namespace sinter
