#pragma once
// The identities that simplify() applies. Each holds for every operand value, bit for bit: infinities, NaN
// (but for its payload), -0, denormals, the least integers.

#include <sinter/codegen/graph/graph.hpp>

#include <optional>
#include <span>
#include <unordered_map>

namespace sinter {

/// A graph under construction whose nodes are simplified as they are added and exist once each.
class graph_algebra {
 public:
  /// Takes declarations, mode and name from `declared`, no nodes.
  explicit graph_algebra(const graph& declared);

  /// The node that stands for `entry`: one that exists, a simpler one, or itself, added. Inputs are nodes of
  /// this graph; the payload of a view is a view of this graph (view_of).
  node_id add(node entry);
  node_id literal(element_type type, std::uint64_t bits);
  node_id apply(operation op, element_type type, std::initializer_list<node_id> operands);
  /// Number of the view of these items.
  std::uint64_t view_of(std::span<const view_item> items);

  const node& at(node_id id) const { return made_.nodes[id]; }
  std::span<const view_item> items_of(const node& entry) const;
  arithmetic_mode mode() const { return made_.mode; }
  /// The first node that has the shape of `id`; itself if none before it is known to.
  node_id same_shape(node_id id) const { return shapes_[id]; }
  /// Whether every result of an operation on both has the shape of `kept`, so that `dropped` may go.
  bool covers(node_id kept, node_id dropped) const {
    return at(dropped).rank == 0 || shapes_[kept] == shapes_[dropped];
  }
  /// Whether a value of a half type is one of its elements already. (Computed ones are float32 inside a
  /// kernel.)
  bool is_element(node_id id) const;

  /// Place in the source for the nodes added from here on.
  std::source_location where{};
  graph take() && { return std::move(made_); }

 private:
  struct node_hash {
    std::size_t operator()(const node& entry) const;
  };
  std::optional<node_id> find(const node& entry) const;
  node_id shape_of_new(const node& entry, node_id id) const;

  graph made_;
  std::vector<node_id> shapes_;
  std::unordered_map<node, node_id, node_hash> known_;
  std::unordered_multimap<std::uint64_t, std::uint64_t> known_views_;  ///< by the hash of their items
};

/// One identity or family of them: the node to use instead of `entry`, or none.
using identity = std::optional<node_id> (*)(graph_algebra& algebra, const node& entry);

/// All of them, in the order they are tried.
std::span<const identity> identities();

}  // namespace sinter
