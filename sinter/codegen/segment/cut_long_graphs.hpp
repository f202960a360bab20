#pragma once
// Cuts a recording that is too long for one nest: a compiler takes a second for a kernel of some hundred
// operations, and does not finish for one of thousands. Nodes after a cut read the values stored there.

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_limits.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace sinter::inline v0 {

/// Nodes that are stored before their users are computed, ascending: one nest may compute those of one shape.
struct graph_cut {
  std::vector<node_id> nodes;
  std::vector<node_id> done;  ///< stored by cuts up to this one, and not read after it
};

/// Working memory of nest_cutter, reused between calls.
struct cut_scratch {
  std::vector<std::uint64_t> weight;  ///< for each node: an upper bound of its cost
  std::vector<std::uint32_t> depth;   ///< likewise of reductions and scans of one another
  std::vector<std::uint8_t> stored;
  std::vector<node_id> last_user;
  std::vector<node_id> live;             ///< values so far that later nodes need, ascending
  std::vector<node_id> region;           ///< what a cut divides: see nest_cutter::find_region()
  std::vector<std::uint32_t> region_of;  ///< the last region that had a node
  std::vector<node_id> ends;             ///< the last users of a region's nodes, ascending
  std::vector<std::uint32_t> seen;       ///< the last traversal that visited a node
  std::vector<node_id> pending, met;
  std::vector<graph_cut> cuts;
};

/// Cuts a graph so that computing any node costs at most max_nest_work. The cuts depend on the graph alone:
/// a function has the same cuts for all extents.
class nest_cutter {
 public:
  nest_cutter(const graph& recorded, cut_scratch& scratch);

  /// In dependency order. Empty for a graph of usual size.
  std::span<const graph_cut> cuts() const { return scratch_.cuts; }

  /// Starts a nest that computes several nodes.
  void begin_nest();
  /// Adds a node to the nest. The first one is always added; returns false, and adds nothing, if the nest
  /// would be too large.
  bool add_to_nest(node_id id);

 private:
  struct cost {
    std::uint64_t weight = 0, depth = 0;
    bool too_much() const { return weight * (1 + depth) > max_nest_work; }
  };

  struct prefix {
    std::size_t count = 1;  ///< nodes of the region
    std::size_t live = 1;   ///< values that later nodes read
  };

  void begin_traversal();
  bool is_read(node_id id) const { return scratch_.stored[id] != 0; }
  std::span<const node_id> operands_of(node_id id) const;
  cost bound_of(node_id id) const;
  cost cost_of(node_id id);
  void add(node_id id, cost& nest) const;
  void traverse_from(node_id id, cost& sum);
  node_id heaviest_operand(node_id id);
  bool is_live_after(node_id id, node_id last) const { return scratch_.last_user[id] > last; }
  void cut_results();
  bool find_region(node_id id, node_id user);
  void grow_region(node_id id);
  void cut_region();
  prefix choose_prefix();
  void find_done();

  const graph& graph_;
  cut_scratch& scratch_;
  bool is_usual_ = false;
  std::uint32_t traversal_ = 0;
  std::uint32_t regions_ = 1;  ///< the number of the latest region; no node begins in one
  cost nest_;
};

}  // namespace sinter::inline v0
