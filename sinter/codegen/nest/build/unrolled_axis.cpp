#include <sinter/codegen/graph/graph_limits.hpp>
#include <sinter/codegen/nest/build/unrolled_axis.hpp>

#include <algorithm>

namespace sinter::inline v0 {
namespace {

/// Weights of what a nest computes for each element of its loops.
struct loop_weights {
  std::uint64_t along = 0;   ///< of values that differ along the axis
  std::uint64_t shared = 0;  ///< of all others
};

class unrolled_axis_search {
 public:
  unrolled_axis_search(const call_facts& call, const node_demands& demands, const nest& built,
                       std::span<const stored_node> stored)
      : call_(call), demands_(demands), nest_(built), stored_(stored) {}

  unrolled_axis find() const {
    const unsigned results = result_rank();
    if (nest_.shape_generic || nest_.reduced == 0 || has_elements_of_loops(results)) return {};
    for (unsigned axis = 0; axis < results; ++axis) {
      const std::int64_t extent = nest_.extents[axis];
      if (extent < 2 || extent > max_unrolled) continue;
      const loop_weights weights = weigh(axis);
      const std::uint64_t all = weights.shared + static_cast<std::uint64_t>(extent) * weights.along;
      if (weights.shared >= std::max(weights.along, min_shared_weight) && all <= max_nest_work)
        return {axis, extent};
    }
    return {};
  }

 private:
  unsigned result_rank() const {
    return static_cast<unsigned>(call_.shapes.of(demands_.all[nest_.stores.front().value].node).size());
  }
  /// Whether some reduced axis is one of the results, which then have an element for each of its positions.
  bool has_elements_of_loops(unsigned results) const {
    for (unsigned axis = 0; axis < results; ++axis)
      if (nest_.is_reduced(axis) && nest_.extents[axis] != 1) return true;
    return false;
  }

  loop_weights weigh(unsigned axis) const {
    loop_weights weights;
    for (const node_demands::demand& at : demands_.all) {
      const auto rank = static_cast<unsigned>(call_.shapes.of(at.node).size());
      const std::uint32_t axes = demands_.axes_of(at, rank);
      const operation op = call_.recorded.nodes[at.node].op;
      if ((axes & nest_.reduced) == 0 || moves_elements(op) || find_stored(stored_, at.node) != nullptr)
        continue;
      const std::uint64_t weight = std::uint64_t{weight_of(op)} * std::max(1u, at.unrolled);
      (((axes >> axis & 1) != 0) ? weights.along : weights.shared) += weight;
    }
    return weights;
  }

  const call_facts& call_;
  const node_demands& demands_;
  const nest& nest_;
  std::span<const stored_node> stored_;
};

}  // namespace

unrolled_axis find_unrolled_axis(const call_facts& call, const node_demands& demands, const nest& built,
                                 std::span<const stored_node> stored) {
  return unrolled_axis_search(call, demands, built, stored).find();
}

}  // namespace sinter::inline v0
