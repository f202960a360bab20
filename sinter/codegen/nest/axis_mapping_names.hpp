#pragma once
// Names for how the axes of a node are mapped to those of a nest, for the general variant.

#include <sinter/codegen/graph/graph.hpp>

#include <map>
#include <tuple>
#include <vector>

namespace sinter {

/// Where an axis of a node lies depends on the extents of a call; by which views and operands it was reached
/// does not. That is its form: in every call, maps of one axis of the nest and of one form are equal. The
/// form of an axis of the nest itself is 0.
class map_forms {
 public:
  void clear();
  /// An axis of a view's operand, by an item of the view.
  std::uint32_t of_view(std::uint32_t outer, node_id view, unsigned item);
  /// An axis of an operand that may be broadcast along its user's. Of operands of operands the last one alone
  /// counts: where it has more than one element, so have those between.
  std::uint32_t of_operand(std::uint32_t outer, node_id operand, unsigned axis);

 private:
  struct form {
    bool is_operand = false;
    std::uint32_t outer = 0;
  };
  std::uint32_t find_or_add(std::uint32_t outer, node_id node, unsigned step, bool is_operand);

  std::vector<form> forms_;  ///< form i + 1
  std::map<std::tuple<std::uint32_t, node_id, unsigned, bool>, std::uint32_t> known_;
};

}  // namespace sinter
