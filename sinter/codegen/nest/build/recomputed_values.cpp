#include <sinter/codegen/base/integers.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_limits.hpp>
#include <sinter/codegen/nest/build/recomputed_values.hpp>
#include <sinter/codegen/nest/build/recomputing_weights.hpp>
#include <sinter/codegen/nest/nest_bodies.hpp>
#include <sinter/codegen/nest/nest_facts.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <ranges>

namespace sinter::inline v0 {
namespace {

/// Elements of a shape, as far as weights need their number.
double count_of(std::span<const std::int64_t> extents) {
  double count = 1;
  for (const std::int64_t extent : extents) count *= static_cast<double>(extent);
  return count;
}

class recomputed_search {
 public:
  recomputed_search(const call_facts& call, std::span<const stored_node> stored, node_demands& demands,
                    const nest& built)
      : call_(call),
        graph_(call.recorded),
        stored_(stored),
        weights_(recomputing_weights_of(call.target)),
        demands_(demands),
        nest_(built) {}

  node_id find(std::span<const stored_node> wanted) {
    if (const node_id loop = find_broadcast_loop(wanted); loop != no_node) return loop;
    if (!is_possible()) return no_node;
    demands_.weighed.assign(graph_.nodes.size(), 0);
    find_loops();
    node_id best = no_node;
    std::uint64_t most = 0;
    for (const node_id id : demands_.nodes) {
      const std::uint64_t positions = positions_of(id), times = times_of(id);
      if (times < weights_.min_times || !is_computed(id) || !has_near_positions(id)) continue;
      if (std::ranges::find(wanted, id, &stored_node::node) != wanted.end()) continue;
      const std::uint64_t again = times * weight_below(id, positions, lane_axis(), own_axis(id), freed::yes),
                          stored = weight_of_storing(id, positions, times);
      if (again < stored || again - stored < most || (again - stored == most && id < best)) continue;
      if (static_cast<double>(again - stored) * count_of(call_.shapes.of(id)) < weights_.stage_weight)
        continue;
      most = again - stored;
      best = id;
    }
    return best;
  }

 private:
  /// The first result of bodies that is broadcast, so that the nest would run the bodies again for elements
  /// that share it, and that takes less time if it is stored first.
  node_id find_broadcast_loop(std::span<const stored_node> wanted) const {
    node_id found = no_node;
    for (const node_id id : demands_.nodes) {
      const node& at = graph_.nodes[id];
      if (at.op != operation::component || combining_owner(graph_, id) != id || is_stored(id)) continue;
      if (std::ranges::find(wanted, id, &stored_node::node) != wanted.end()) continue;
      const double space = evaluations_of(id), elements = count_of(call_.shapes.of(id)),
                   bytes = static_cast<double>(size_of(at.type));
      if (2 * elements > space) continue;
      const auto once = static_cast<double>(weight_of_node(at.inputs[0])),
                 byte = static_cast<double>(weights_.memory_byte);
      const double again = (space - elements) * once, stored = elements * 2 * byte * bytes + space;
      if (again >= stored + static_cast<double>(weights_.stage_weight)) found = std::min(found, id);
    }
    return found;
  }

  /// How often the nest evaluates a value: for each row, or for each element of it.
  double evaluations_of(node_id id) const {
    std::uint32_t axes = 0;
    const auto rank = static_cast<unsigned>(call_.shapes.of(id).size());
    for (std::uint32_t d = demands_.first_of_node[id]; d != no_demand; d = demands_.all[d].next)
      axes |= demands_.axes_of(demands_.all[d], rank);
    const bool is_of_elements = (axes & nest_.reduced) != 0;
    double count = 1;
    for (unsigned axis = 0; axis < nest_.rank; ++axis)
      if (is_of_elements || !nest_.is_reduced(axis)) count *= static_cast<double>(nest_.extents[axis]);
    return count;
  }

  bool is_stored(node_id id) const { return find_stored(stored_, id) != nullptr; }
  bool is_read(node_id id) const { return graph_.nodes[id].op == operation::input || is_stored(id); }
  bool is_computed(node_id id) const {
    const operation op = graph_.nodes[id].op;
    return (weight_of(op) > 0 || op == operation::component) && !moves_elements(op) && !is_reduction(op) &&
           !needs_chunk(op) && combining_owner(graph_, id) == id && !is_stored(id);
  }
  std::uint64_t positions_of(node_id id) const {
    std::uint64_t count = 0;
    for (std::uint32_t d = demands_.first_of_node[id]; d != no_demand; d = demands_.all[d].next) ++count;
    return count;
  }

  /// False for most nests, without looking at what each value depends on.
  bool is_possible() const {
    std::uint64_t repeated = 0, read = 0;
    for (const node_id id : demands_.nodes) {
      const std::uint64_t positions = positions_of(id);
      if (is_computed(id)) repeated += (positions - 1) * weight_of_node(id);
      if (has_body(graph_.nodes[id].op)) repeated += (positions - 1) * weight_of_node(id);
      if (is_read(id)) read += positions * (weight_of_read(id, lane_axis()) - weights_.contiguous_read);
    }
    return repeated + read >= 2 * weights_.memory_byte;
  }

  /// Counts users, and finds in which loops each value of a row is evaluated that does not stay on the chip:
  /// those of the reductions and scans that need it, and the one that stores what follows from their results.
  void find_loops() {
    loops_.assign(demands_.all.size(), 0);
    users_.assign(graph_.nodes.size(), 0);
    users_below_.assign(graph_.nodes.size(), 0);
    std::ranges::sort(demands_.nodes);
    for (const node_id id : demands_.nodes)
      for (const node_id operand : operands_of(id)) ++users_[operand];
    std::int64_t reduced = 1;
    for (unsigned axis = 0; axis < nest_.rank; ++axis)
      if (nest_.is_reduced(axis)) reduced *= nest_.extents[axis];
    const std::int64_t longest =
        nest_.is_reduced(0) ? weights_.max_resident_row_extent : weights_.max_resident_column_extent;
    if (nest_.reduced == 0 || reduced <= longest) return;
    std::vector<std::uint32_t> level(graph_.nodes.size(), 0);
    const auto ends_loop = [&](node_id id) {
      return (is_reduction(graph_.nodes[id].op) || needs_chunk(graph_.nodes[id].op)) && !is_stored(id);
    };
    for (const node_id id : demands_.nodes) {
      if (is_read(id)) continue;
      for (const node_id operand : operands_of(id)) level[id] = std::max(level[id], level[operand]);
      if (ends_loop(id)) ++level[id];
    }
    const auto loop_after = [&](node_id id) { return std::uint64_t{1} << std::min(level[id], 63u); };
    for (const store& at : nest_.stores) loops_[at.value] |= loop_after(demands_.all[at.value].node);
    for (const node_id id : demands_.nodes | std::views::reverse)
      for (std::uint32_t d = demands_.first_of_node[id]; d != no_demand; d = demands_.all[d].next)
        for (const std::uint32_t operand : demands_of_operands(d))
          if (const node_id read = demands_.all[operand].node; !ends_loop(read))
            loops_[operand] |= ends_loop(id) ? loop_after(read) : loops_[d];
  }
  /// How often a value is computed: at each of its positions, in each loop that needs it there.
  std::uint64_t times_of(node_id id) const {
    std::uint64_t times = 0;
    for (std::uint32_t d = demands_.first_of_node[id]; d != no_demand; d = demands_.all[d].next)
      times += static_cast<std::uint64_t>(std::max(1, std::popcount(loops_[d])));
    return times;
  }
  std::span<const std::uint32_t> demands_of_operands(std::uint32_t demand) const {
    const node_demands::demand& at = demands_.all[demand];
    if (at.unrolled != 0) return demands_.elements_of(at);
    if (has_body(graph_.nodes[at.node].op)) return known_demands(demands_.bodies[at.body]);
    const bool is_loop_of_one =
        is_reduction(graph_.nodes[at.node].op) || needs_chunk(graph_.nodes[at.node].op);
    const std::size_t count = operands_of(at.node).size();
    return std::span(at.inputs)
        .subspan(first_operand_read(graph_, at.node))
        .first(is_loop_of_one ? std::min<std::size_t>(count, 1) : count);
  }
  std::span<const node_id> operands_of(node_id id) const {
    return is_read(id) ? std::span<const node_id>() : operands_read(graph_, id);
  }
  /// The demands of the operands that a node with bodies needs.
  std::span<const std::uint32_t> known_demands(const node_demands::body_demand& at) const {
    known_.clear();
    std::ranges::copy_if(at.operands, std::back_inserter(known_),
                         [](std::uint32_t operand) { return operand != no_demand; });
    return known_;
  }
  /// Of an operation at one position; of a node with bodies, of all its iterations.
  std::uint64_t weight_of_node(node_id id) const {
    const node& at = graph_.nodes[id];
    if (has_body(at.op))
      return iterations_of(graph_, at) * weight_of(graph_, at) *
             divide_up<std::uint64_t>(size_of(at.type), weights_.operation_bytes);
    return weight_of_operation(weights_, at.op, size_of(at.type));
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
        const std::uint32_t along = demands_.derived.axes_of(at);
        if (!std::has_single_bit(along) || !is_step_of_one(at)) return false;
        if (shape[axis] > 2 * nest_.extents[static_cast<std::size_t>(std::countr_zero(along))]) return false;
      }
    }
    return true;
  }

  bool is_step_of_one(const axis_map& at) const {
    const derived_position* derived = demands_.derived.find(at);
    if (derived == nullptr) return at.step == 1 || at.step == -1;
    return keeps_positions(derived->rule.value_or(position_rule::clip)) && at.step == 1 &&
           derived->steps[static_cast<std::size_t>(std::countr_zero(derived->axes))] == 1;
  }

  /// The axis that vectors lie along; -1 where a reduction may choose another.
  std::int32_t lane_axis() const { return nest_.reduced == 0 ? 0 : -1; }

  /// Of reading an input, or a node that is stored contiguously, in vectors along an axis; of axis -1 along
  /// the one with the shortest steps.
  std::uint64_t weight_of_read(node_id id, std::int32_t axis) const {
    const auto shape = call_.shapes.of(id);
    std::array<std::int64_t, max_rank> strides;
    std::int64_t stride = 1;
    for (std::size_t i = shape.size(); i-- > 0; stride *= shape[i]) strides[i] = stride;
    const node& at = graph_.nodes[id];
    const std::int64_t* const known =
        at.op == operation::input ? call_.inputs[at.payload].strides : strides.data();
    const auto rank = static_cast<unsigned>(shape.size());
    const auto maps = demands_.maps_of(demands_.all[demands_.first_of_node[id]], rank);
    std::array<std::int64_t, max_rank> along{};
    for (std::size_t i = 0; i < rank; ++i) {
      if (const derived_position* derived = demands_.derived.find(maps[i])) {
        for (unsigned k = 0; k < nest_.rank; ++k) along[k] += known[i] * maps[i].step * derived->steps[k];
      } else if (maps[i].axis >= 0) {
        along[static_cast<std::size_t>(maps[i].axis)] += known[i] * maps[i].step;
      }
    }
    for (unsigned i = 0; i < nest_.rank && !weights_.repeats_broadcasts; ++i)
      if (nest_.extents[i] > 1 && along[i] == 0) return weights_.contiguous_read;
    const std::int64_t nearest = nearest_step(along);
    return sinter::weight_of_read(
        weights_, {.along = axis >= 0 ? along[static_cast<std::size_t>(axis)] : nearest, .nearest = nearest},
        size_of(at.type), axis < 0);
  }

  /// Whether a value is evaluated for each element along an axis.
  bool counts_along(node_id id, std::int32_t axis) const {
    if (weights_.repeats_broadcasts) return true;
    const auto rank = static_cast<unsigned>(call_.shapes.of(id).size());
    return std::ranges::any_of(demands_.maps_of(demands_.all[demands_.first_of_node[id]], rank),
                               [&](const axis_map& at) {
                                 const std::uint32_t axes = demands_.derived.axes_of(at);
                                 return axes != 0 && (axis < 0 || (axes >> axis & 1) != 0);
                               });
  }

  /// The axis that a stage of its own computes a value along.
  std::int32_t own_axis(node_id id) const {
    const auto rank = static_cast<unsigned>(call_.shapes.of(id).size());
    if (rank == 0) return -1;
    const axis_map& last = demands_.maps_of(demands_.all[demands_.first_of_node[id]], rank)[rank - 1];
    return demands_.derived.find(last) == nullptr ? last.axis : -1;
  }

  enum class freed : bool { no, yes };

  /// The weight of computing a value at one position: of reads in vectors along an axis, and of operations
  /// for each element along another; with freed::yes only of what nothing else needs.
  std::uint64_t weight_below(node_id id, std::uint64_t positions, std::int32_t read_axis,
                             std::int32_t count_axis, freed alone) {
    std::uint64_t sum = 0;
    const std::uint32_t pass = ++pass_;
    const auto begin = std::ranges::lower_bound(demands_.nodes, id);
    demands_.weighed[id] = pass;
    users_below_[id] = users_[id];
    for (auto at = begin;; --at) {  // users come before their operands
      const node_id next = *at;
      if (demands_.weighed[next] == pass && (alone == freed::no || users_below_[next] == users_[next])) {
        const std::uint64_t times = std::max<std::uint64_t>(1, positions_of(next) / positions);
        if (is_read(next))
          sum += times * weight_of_read(next, read_axis);
        else if (counts_along(next, count_axis))
          sum += times * weight_of_node(next);
        for (const node_id operand : operands_of(next)) {
          if (demands_.weighed[operand] != pass) users_below_[operand] = 0;
          demands_.weighed[operand] = pass;
          ++users_below_[operand];
        }
      }
      if (at == demands_.nodes.begin()) return sum;
    }
  }

  /// The weight of computing a value once, in its own order, of storing it, and of reading it back.
  std::uint64_t weight_of_storing(node_id id, std::uint64_t positions, std::uint64_t times) {
    return weight_below(id, positions, own_axis(id), own_axis(id), freed::no) +
           2 * weights_.memory_byte * size_of(graph_.nodes[id].type) +
           times * weight_of_read(id, lane_axis());
  }

  const call_facts& call_;
  const graph& graph_;
  std::span<const stored_node> stored_;
  const recomputing_weights& weights_;
  node_demands& demands_;
  const nest& nest_;
  std::vector<std::uint32_t> users_,
      users_below_;                   ///< for each node: of all, and of those below another value
  std::vector<std::uint64_t> loops_;  ///< for each demand, a bit for each loop that evaluates it
  std::uint32_t pass_ = 0;            ///< through what values depend on
  mutable std::vector<std::uint32_t> known_;
};

}  // namespace

node_id find_recomputed(const call_facts& call, std::span<const stored_node> stored,
                        std::span<const stored_node> wanted, node_demands& demands, const nest& built) {
  if (built.shape_generic) return no_node;
  return recomputed_search(call, stored, demands, built).find(wanted);
}

bool is_worth_sharing(const nest& alone, std::uint64_t uses, target_kind target) {
  if (alone.shape_generic || alone.reduced != 0 || is_empty(alone)) return false;
  const recomputing_weights& weights = recomputing_weights_of(target);
  const std::uint64_t bytes = size_of(alone.accesses[alone.stores.front().target].type);
  const double elements = count_of({alone.extents.data(), alone.rank});
  const double moved = static_cast<double>(bytes_touched(alone)) / elements;  // also what it stores
  const double read = std::max(0.0, moved - static_cast<double>(bytes));
  auto once = static_cast<std::uint64_t>(read * static_cast<double>(weights.memory_byte));
  std::vector<bool> varies(alone.body.size(), false);  // else the value is the same for all elements
  for (std::size_t i = 0; i < alone.body.size(); ++i) {
    const instruction& at = alone.body[i];
    if (at.op == operation::input || at.op == operation::coordinate)
      varies[i] = nearest_step({alone.accesses[at.payload].strides.data(), alone.rank}) != 0 ||
                  alone.accesses[at.payload].term_count != 0;
    for (const std::uint32_t argument : alone.arguments_of(at)) varies[i] = varies[i] || varies[argument];
    if (varies[i]) once += times_evaluated(alone, at) * weight_of_operation(weights, at.op, size_of(at.type));
  }
  for (const access& at : alone.accesses)
    if (at.what == access::kind::read)
      once += weight_of_read(
          weights, {.along = at.strides[0], .nearest = nearest_step({at.strides.data(), alone.rank})},
          size_of(at.type), false);
  const std::uint64_t again = (uses - 1) * once,
                      stored = (1 + uses) * weights.memory_byte * bytes + uses * weights.contiguous_read;
  return again >= stored && static_cast<double>(again - stored) * elements >= weights.stage_weight;
}

}  // namespace sinter::inline v0
