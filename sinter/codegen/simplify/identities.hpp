#pragma once
// The identities that simplify() applies. Each holds bit for bit for every operand: infinities, NaN (except
// its payload), -0, denormals and the least integers.

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/simplify/value_range.hpp>

#include <optional>
#include <span>
#include <unordered_map>

namespace sinter::inline v0 {

/// A graph under construction: nodes are simplified and deduplicated as they are added.
class graph_algebra {
 public:
  /// Takes declarations, mode and name from `declared`, but no nodes. `is_body`: inputs are computed values.
  explicit graph_algebra(const graph& declared, bool is_body = false);

  /// The node that stands for `entry`: an existing one, a simpler one, or `entry`, which is added. Inputs are
  /// nodes of this graph; the payload of a view is a view of this graph (view_of()).
  node_id add(node entry);
  node_id literal(element_type type, std::uint64_t bits);
  node_id apply(operation op, element_type type, std::initializer_list<node_id> operands);
  /// The number of the view with these items.
  std::uint64_t view_of(std::span<const view_item> items);
  /// The attribute of a node with bodies that has these operands.
  std::uint64_t operands_of(std::span<const node_id> operands);
  /// The number of this body.
  std::uint32_t body_of(graph body);

  const node& at(node_id id) const { return made_.nodes[id]; }
  /// How many nodes there are.
  node_id count() const { return static_cast<node_id>(made_.nodes.size()); }
  std::span<const view_item> items_of(const node& entry) const;
  arithmetic_mode mode() const { return made_.mode; }
  /// The first node with the shape of `id` that is refused in every call that `id` is refused in; it may be
  /// `id` itself.
  node_id same_shape(node_id id) const { return same_shapes_[id]; }
  /// A node with the shape that `entry` will have, which is refused in the same calls as `entry`; none if no
  /// node is known to be.
  std::optional<node_id> same_shape(const node& entry) const;
  /// The range of a node's values, and of those that `entry` will have; none if nothing is known.
  const std::optional<value_range>& range(node_id id) const { return ranges_[id]; }
  std::optional<value_range> range(const node& entry) const;
  /// Whether `dropped` can be removed from an operation on both: every result has the shape of `kept`, and no
  /// call is refused for `dropped`.
  bool covers(node_id kept, node_id dropped) const {
    return !may_be_refused_[dropped] && (at(dropped).rank == 0 || shapes_[kept] == shapes_[dropped]);
  }
  /// Whether a value of a half type is exactly representable in it. (Computed values are float32 inside a
  /// kernel.)
  bool is_element(node_id id) const;

  /// The source location of the nodes that are added from now on.
  std::source_location where{};
  graph take() && { return std::move(made_); }

 private:
  struct node_hash {
    std::size_t operator()(const node& entry) const;
  };
  std::optional<node_id> find(const node& entry) const;
  node_id shape_of_new(const node& entry, node_id id) const;
  node_id same_shape_of_new(const node& entry, node_id id, node_id shape) const;
  bool may_be_refused(const node& entry, bool has_shape_of_operands) const;

  graph made_;
  std::vector<node_id> shapes_;       ///< the first node that is known to have the shape
  std::vector<node_id> same_shapes_;  ///< same_shape() of each node
  std::vector<bool> may_be_refused_;  ///< whether extents of a call's inputs can make a node throw
  std::vector<std::optional<value_range>> ranges_;
  std::unordered_map<node, node_id, node_hash> known_;
  std::unordered_multimap<std::uint64_t, std::uint64_t> known_views_;     ///< by the hash of their items
  std::unordered_multimap<std::uint64_t, std::uint64_t> known_operands_;  ///< by the hash of the list
  bool is_body_;
};

/// One identity or a family of them: gives the node to use instead of `entry`, or none.
using identity = std::optional<node_id> (*)(graph_algebra& algebra, const node& entry);

/// Extremes, choices and single values that the operands' ranges decide.
std::optional<node_id> take_decided_extreme(graph_algebra& algebra, const node& entry);
std::optional<node_id> take_decided_choice(graph_algebra& algebra, const node& entry);
std::optional<node_id> fold_single_value(graph_algebra& algebra, const node& entry);

/// All identities, in the order in which they are tried.
std::span<const identity> identities();

}  // namespace sinter::inline v0
