#pragma once
// Where a recording is cut that is too long for one nest: a compiler takes a kernel of some hundred
// operations in a second, and one of thousands not at all. What follows a cut reads the values stored there.

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_limits.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace sinter {

/// Nodes that are stored before what needs them is computed, ascending: one nest may make those of one shape.
struct graph_cut {
  std::vector<node_id> nodes;
  std::vector<node_id> done;  ///< stored by cuts up to this one, and read by nothing after it
};

/// Working memory of nest_cutter, kept between calls.
struct cut_scratch {
  std::vector<std::uint64_t> weight;  ///< of each node: no less than what computing it weighs
  std::vector<std::uint32_t> depth;   ///< likewise its reductions and scans of each other
  std::vector<std::uint8_t> stored;
  std::vector<node_id> last_user;
  std::vector<std::uint32_t> seen;  ///< the walk that met a node last
  std::vector<node_id> pending, met;
  std::vector<graph_cut> cuts;
};

/// Cuts a graph so that computing any node of it takes no more than most_nest_work. The cuts follow from the
/// graph alone: a function has the same ones whatever its extents are.
class nest_cutter {
 public:
  nest_cutter(const graph& recorded, cut_scratch& scratch);

  /// In an order in which each needs only those before it. None for a graph of usual size.
  std::span<const graph_cut> cuts() const { return scratch_.cuts; }

  /// Begins a nest that makes several nodes.
  void begin_nest();
  /// Adds a node to it, the first one always; false, and nothing is added, where the nest would be too much.
  bool add_to_nest(node_id id);

 private:
  struct cost {
    std::uint64_t weight = 0, depth = 0;
    bool too_much() const { return weight * (1 + depth) > most_nest_work; }
  };

  void begin_walk();
  bool is_read(node_id id) const { return scratch_.stored[id] != 0; }
  std::span<const node_id> operands_of(node_id id) const;
  cost bound_of(node_id id) const;
  cost cost_of(node_id id);
  void walk_from(node_id id, cost& sum);
  node_id heaviest_operand(node_id id);
  void cut_at(node_id id);
  void find_done();

  const graph& graph_;
  cut_scratch& scratch_;
  bool is_usual_ = false;
  std::uint32_t walk_ = 0;
  cost nest_;
};

}  // namespace sinter
