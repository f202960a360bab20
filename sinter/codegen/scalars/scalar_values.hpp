#pragma once
// Values of scalar nodes, computed by the host before a call.

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/scalars/scalar_operations.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace sinter::inline v0 {

/// Computes given nodes and those on which they depend: literals, parameters, and casts and elementwise
/// operations on these; extents too where their values are given. Its memory is the thread's, so that a
/// repeated call allocates nothing: a thread has one that wants nodes at a time.
class scalar_values {
 public:
  scalar_values(const graph& recorded, std::span<const std::uint64_t> scalars)
      : graph_(recorded), scalars_(scalars) {}

  /// Adds a node to those that are computed.
  void want(node_id id);
  /// Wants all on which the wanted nodes depend.
  void want_operands();
  /// Computes a wanted node whose operands were evaluated, if that is possible. `extent` is the value of a
  /// node that is an extent; nullptr: unknown.
  void evaluate_node(node_id id, const std::int64_t* extent);
  /// Computes all wanted nodes; none that depends on extents.
  void evaluate_wanted();
  /// Whether a computed node, or one on which its value depends, has an int64 result that wraps around. Of a
  /// `where` that is the chosen operand.
  bool wraps(node_id id) const { return id < end_ && memory_->states[id] == state::wrapped; }
  bool is_wanted(node_id id) const { return id < end_ && memory_->states[id] != state::unused; }
  /// nullptr if the node was not computed.
  const reference_value* find(node_id id) const {
    return id < end_ && is_known(memory_->states[id]) ? &memory_->values[id] : nullptr;
  }

 private:
  enum class state : std::uint8_t {
    unused,
    wanted,
    known,
    wrapped,  ///< known, and wraps()
  };
  static bool is_known(state of) { return of == state::known || of == state::wrapped; }
  /// Each thread keeps one.
  struct memory {
    std::vector<state> states;
    std::vector<reference_value> values;
  };
  state compute(node_id id, const std::int64_t* extent);

  const graph& graph_;
  std::span<const std::uint64_t> scalars_;
  memory* memory_ = nullptr;
  node_id end_ = 0;  ///< of the nodes that may be wanted
};

}  // namespace sinter::inline v0
