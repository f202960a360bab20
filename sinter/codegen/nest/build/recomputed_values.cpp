#include <sinter/codegen/graph/graph_limits.hpp>
#include <sinter/codegen/nest/build/recomputed_values.hpp>

#include <algorithm>

namespace sinter::inline v0 {
namespace {

class recomputed_search {
 public:
  recomputed_search(const call_facts& call, std::span<const stored_node> stored, node_demands& demands,
                    const nest& built)
      : call_(call), graph_(call.recorded), stored_(stored), demands_(demands), nest_(built) {}

  node_id find(std::span<const stored_node> wanted) {
    if (!is_possible()) return no_node;
    demands_.weighed.assign(graph_.nodes.size(), no_node);
    node_id best = no_node;
    std::uint64_t most = 0;
    for (const node_id id : demands_.nodes) {
      const std::uint64_t positions = positions_of(id);
      if (positions < 2 || !is_computed(id) || !has_near_positions(id)) continue;
      if (std::ranges::find(wanted, id, &stored_node::node) != wanted.end()) continue;
      const std::uint64_t saved = (positions - 1) * weight_below(id, positions);
      if (saved < cost_of_storing(id) || saved < most || (saved == most && id < best)) continue;
      most = saved;
      best = id;
    }
    return best;
  }

 private:
  bool is_stored(node_id id) const { return find_stored(stored_, id) != nullptr; }
  bool is_computed(node_id id) const {
    const operation op = graph_.nodes[id].op;
    return weight_of(op) > 0 && op != operation::view && !is_reduction(op) && !is_scan(op) && !is_stored(id);
  }
  std::uint64_t positions_of(node_id id) const {
    std::uint64_t count = 0;
    for (std::uint32_t d = demands_.first_of_node[id]; d != no_demand; d = demands_.all[d].next) ++count;
    return count;
  }
  std::uint64_t cost_of_storing(node_id id) const {
    return 2 * weight_of_a_byte * size_of(graph_.nodes[id].type);
  }

  /// False for most nests, without looking at what each value depends on.
  bool is_possible() const {
    std::uint64_t repeated = 0;
    for (const node_id id : demands_.nodes)
      if (is_computed(id)) repeated += (positions_of(id) - 1) * weight_of(graph_.nodes[id].op);
    return repeated >= 2 * weight_of_a_byte;
  }

  /// Whether about as many elements are needed as the value has: along each axis at least half of them, and
  /// each once. Extents enter by factors of two of what slices take off (size_classes.cpp).
  bool has_near_positions(node_id id) const {
    const auto shape = call_.shapes.of(id);
    for (std::uint32_t d = demands_.first_of_node[id]; d != no_demand; d = demands_.all[d].next) {
      const auto maps = demands_.maps_of(demands_.all[d], static_cast<unsigned>(shape.size()));
      for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (call_.is_single(shape[axis])) continue;
        const axis_map& at = maps[axis];
        if (at.axis < 0 || (at.step != 1 && at.step != -1)) return false;
        if (shape[axis] > 2 * nest_.extents[static_cast<std::size_t>(at.axis)]) return false;
      }
    }
    return true;
  }

  /// The weight of computing a value at one position.
  std::uint64_t weight_below(node_id id, std::uint64_t positions) {
    std::uint64_t sum = 0;
    pending_.assign(1, id);
    while (!pending_.empty()) {
      const node_id next = pending_.back();
      pending_.pop_back();
      if (demands_.weighed[next] == id || is_stored(next)) continue;
      demands_.weighed[next] = id;
      const node& at = graph_.nodes[next];
      sum += weight_of(at.op) * std::max<std::uint64_t>(1, positions_of(next) / positions);
      if (at.op == operation::coordinate || at.op == operation::extent) continue;
      for (unsigned i = 0; i < at.arity; ++i) pending_.push_back(at.inputs[i]);
    }
    return sum;
  }

  const call_facts& call_;
  const graph& graph_;
  std::span<const stored_node> stored_;
  node_demands& demands_;
  const nest& nest_;
  std::vector<node_id> pending_;
};

}  // namespace

node_id find_recomputed(const call_facts& call, std::span<const stored_node> stored,
                        std::span<const stored_node> wanted, node_demands& demands, const nest& built) {
  if (built.shape_generic) return no_node;
  return recomputed_search(call, stored, demands, built).find(wanted);
}

}  // namespace sinter::inline v0
