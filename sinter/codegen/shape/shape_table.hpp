#pragma once
// Extents of the nodes of a graph, for one call.

#include <sinter/codegen/graph/array_layout.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/types/rank.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace sinter::inline v0 {

/// Extents of every node. Reused between calls, so that a repeated call allocates nothing.
struct shape_table {
  std::vector<std::int64_t> extents;  ///< of all nodes, one after the other
  std::vector<std::uint32_t> first;   ///< where a node's extents begin; one entry more than nodes
  /// Extents of the results of nodes with bodies, and for each such node where its results begin. A result's
  /// shape is that of its component; the node has no shape of its own, but the greatest extents of all.
  std::vector<std::array<std::int64_t, max_rank>> results;
  std::vector<std::pair<node_id, std::uint32_t>> first_result;
  /// By node: the integers that parts of arrays take (scalars_of()). Nothing else is set, and without such
  /// parts all of it is of an earlier call.
  std::vector<std::int64_t> integers;
  std::vector<shape_table> of_bodies;  ///< at most one; working memory, as `layouts`
  std::vector<array_layout> layouts;
  std::span<const std::int64_t> of(node_id id) const {
    return std::span(extents).subspan(first[id], first[id + 1] - first[id]);
  }
  std::int64_t integer(node_id id) const { return integers[id]; }
};

}  // namespace sinter::inline v0
