#pragma once
// Identifies how a node's axes map to a nest's axes, for shape-generic kernels.

#include <sinter/codegen/graph/graph.hpp>

#include <map>
#include <tuple>
#include <vector>

namespace sinter::inline v0 {

/// The mapping of an axis depends on the extents of a call, but the views and operands on the path to the
/// node do not. That path is the name of the mapping: in every call, maps with the same nest axis and the
/// same name are equal. Names are numbers; a nest's own axis has 0.
class axis_mapping_names {
 public:
  void clear();
  /// An axis of a view's operand, for an item of the view.
  std::uint32_t of_view(std::uint32_t outer, node_id view, unsigned item);
  /// An axis of an operand that may be broadcast along its user's axis. Along a chain of operands only the
  /// last one counts: if it has more than one element, so have those between.
  std::uint32_t of_operand(std::uint32_t outer, node_id operand, unsigned axis);

 private:
  struct path_step {
    bool is_operand = false;
    std::uint32_t outer = 0;
  };
  std::uint32_t find_or_add(std::uint32_t outer, node_id node, unsigned step, bool is_operand);

  std::vector<path_step> steps_;  ///< of name i + 1
  std::map<std::tuple<std::uint32_t, node_id, unsigned, bool>, std::uint32_t> known_;
};

}  // namespace sinter::inline v0
