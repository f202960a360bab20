#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_limits.hpp>
#include <sinter/codegen/graph/parts/graph_parts.hpp>
#include <sinter/codegen/graph/reduction_start.hpp>
#include <sinter/codegen/nest/build/demand_mappings.hpp>
#include <sinter/codegen/nest/build/indices/index_of_rows.hpp>
#include <sinter/codegen/nest/build/nest_accesses.hpp>
#include <sinter/codegen/nest/build/node_demands.hpp>
#include <sinter/codegen/nest/build/recomputed_values.hpp>
#include <sinter/codegen/nest/build/sorted_in_nest.hpp>
#include <sinter/codegen/simplify/unroll_reductions.hpp>
#include <sinter/codegen/target/sort_limits.hpp>

#include <algorithm>
#include <bit>

namespace sinter::inline v0 {
namespace {

/// Visits users before their operands, latest first, without recursion, so that graphs may be arbitrarily
/// deep.
class demand_collector : demand_mappings {
 public:
  /// Of a nest over the shape of a node.
  demand_collector(const call_facts& call, std::span<const stored_node> stored, node_id over,
                   node_demands& demands, nest& built)
      : demand_mappings(call, demands, built), space_(call.shapes.of(over)), stored_(stored) {
    demands_.mapping_names.clear();
    // only what the nest before asked for is reset: a long graph has many nests
    for (const node_id id : demands_.nodes) demands_.first_of_node[id] = no_demand;
    demands_.nodes.clear();
    demands_.waiting.clear();
    demands_.all.clear();
    demands_.maps.clear();
    demands_.derived.clear();
    demands_.elements.clear();
    demands_.bodies.clear();
    demands_.reductions.clear();
    demands_.why = stored_first::another_loop;
    demands_.last = 0;
    if (demands_.first_of_node.size() < graph_.nodes.size())
      demands_.first_of_node.resize(graph_.nodes.size(), no_demand);
  }

  /// At one position of the unrolled axis, if there is one.
  std::uint32_t want_result(node_id id, const unrolled_axis& unrolled, std::int64_t position) {
    // an extent of 1 has one position, like a broadcast axis: a value wanted in both ways is one value
    if (nest_.shape_generic) made_here_ = reduction_within(graph_, id);
    wanted_ = combining_owner(graph_, id);
    demands_.last = std::max(demands_.last, id);
    map_.clear_to(graph_.nodes[id].rank);
    unsigned to = 0;
    for (unsigned axis = map_.size; axis-- > 0;) {
      if (call_.is_single(shapes_.of(id)[axis])) continue;
      to = nest_.shape_generic ? map_.size - 1 - axis : call_facts::next_long_axis(space_, to);
      if (unrolled.extent > 1 && to == unrolled.axis)
        map_.axes[axis] = {-1, position, 0};
      else
        map_.axes[axis] = {static_cast<std::int32_t>(to), 0, 1};
      ++to;
    }
    return want(id, map_);
  }

  /// Returns a node that must be stored first, because the nest would compute too many values otherwise.
  node_id collect() {
    while (!demands_.waiting.empty()) {
      const node_id id = demands_.waiting.front();
      std::ranges::pop_heap(demands_.waiting);
      demands_.waiting.pop_back();
      for (std::uint32_t d = demands_.first_of_node[id]; d != no_demand; d = demands_.all[d].next)
        if (const node_id before = collect_inputs(id, d); before != no_node) return before;
      demands_.why = stored_first::another_loop;
      if (demands_.all.size() <= max_nest_values) continue;
      if (const node_id often = wanted_often(); often != no_node) {
        demands_.why = stored_first::many_values;
        return often;
      }
    }
    return no_node;
  }

  /// The first reduction or scan that does not reduce all of the nest's reduced axes, depends on one of them,
  /// or is constant along an axis that the nest keeps and would be recomputed for each step along it; no_node
  /// if none.
  node_id misfit() const {
    std::uint32_t kept = 0;
    for (unsigned axis = 0; axis < nest_.rank; ++axis)
      if (!nest_.is_reduced(axis) && nest_.extents[axis] != 1) kept |= 1u << axis;
    node_id found = no_node;
    for (const node_demands::reduction_axes& at : demands_.reductions) {
      // how often a shape-generic nest would repeat one is unknown; reduction_within() says which it may hold
      const bool is_repeated = !nest_.shape_generic && (kept & ~at.kept) != 0;
      if (at.own != nest_.reduced || (at.kept & nest_.reduced) != 0 || is_repeated)
        found = std::min(found, at.node);
    }
    return found;
  }

 private:
  std::uint32_t want(node_id id, const mapping& map) {
    for (std::uint32_t d = demands_.first_of_node[id]; d != no_demand; d = demands_.all[d].next)
      if (std::equal(map.axes.begin(), map.axes.begin() + map.size,
                     demands_.maps.begin() + demands_.all[d].map))
        return d;
    const auto made = static_cast<std::uint32_t>(demands_.all.size());
    node_demands::demand demand;
    demand.node = id;
    demand.map = static_cast<std::uint32_t>(demands_.maps.size());
    demand.next = demands_.first_of_node[id];
    if (demand.next == no_demand) {
      demands_.nodes.push_back(id);
      demands_.waiting.push_back(id);
      std::ranges::push_heap(demands_.waiting);
    }
    demands_.maps.insert(demands_.maps.end(), map.axes.begin(), map.axes.begin() + map.size);
    if (has_body(graph_.nodes[id].op)) {
      demand.body = static_cast<std::uint32_t>(demands_.bodies.size());
      demands_.bodies.emplace_back().parts.components.resize(component_count(graph_, graph_.nodes[id]));
    }
    demands_.all.push_back(demand);
    demands_.first_of_node[id] = made;
    return made;
  }

  /// Adds demands for an operand under the current mapping.
  void want_input(const node& at, unsigned input, std::uint32_t demand) {
    const std::uint32_t wanted = want(at.inputs[input], map_);
    demands_.all[demand].inputs[input] = wanted;
  }

  /// Positions multiply through a chain of stencils. Returns the first node that is wanted at as many
  /// positions as the square root of the largest count, so that the parts above and below it have about
  /// equally many.
  node_id wanted_often() const {
    const auto positions = [&](node_id id) {
      const operation op = graph_.nodes[id].op;
      const bool is_weighty =
          (weight_of(op) > 0 || op == operation::component) && find_stored(stored_, id) == nullptr;
      return is_weighty ? positions_of(id) : 0;
    };
    std::size_t most = 1;
    for (node_id id = 0; id <= demands_.last; ++id) most = std::max<std::size_t>(most, positions(id));
    for (node_id id = demands_.last + 1; id-- > 0 && most > 1;)
      if (const std::size_t many = positions(id); many > 1 && many * many >= most) return id;
    return no_node;
  }

  /// A node that must be stored before the nest, because of how elements are moved or read, which
  /// demands_.why says then; no_node if there is none.
  node_id collect_inputs(node_id id, std::uint32_t demand) {
    const node& at = graph_.nodes[id];
    if (find_stored(stored_, id) != nullptr) return no_node;
    demands_.why = stored_first::updated;
    if (at.op == operation::scatter) return id;
    demands_.why = stored_first::ordered;
    if (at.op == operation::argsort && !is_sorted_in_nest(call_, id)) return id;
    demands_.why = stored_first::read_in_body;
    if (const node_id computed = computed_source(at); computed != no_node) return computed;
    demands_.why = stored_first::moved_twice;
    if (at.op != operation::gather && is_part(at.op)) return collect_sources(id, demand) ? no_node : id;
    demands_.why = stored_first::index_of_rows;
    if (at.op == operation::gather) return collect_gather(id, demand);
    collect_operands(id, demand);
    return no_node;
  }
  /// The first node under the arrays of which a node's bodies take elements that is neither in memory nor
  /// positions in another array; no_node if there is none.
  node_id computed_source(const node& at) const {
    const auto operands = graph_.operands_of(at);
    for (std::size_t i = 0; has_body(at.op) && i < operands.size(); ++i) {
      if (!is_whole(graph_, at, i)) continue;
      node_id id = operands[i];
      while (find_stored(stored_, id) == nullptr && graph_.nodes[id].op != operation::input) {
        if (!reads_one_array(graph_.nodes[id].op)) return id;
        id = graph_.nodes[id].inputs[0];
      }
    }
    return no_node;
  }
  /// Whether an element is one of the node's array at a position that is a sum.
  static bool reads_one_array(operation op) {
    return op == operation::input || (moves_one_source(op) && op != operation::gather);
  }
  bool collect_sources(node_id id, std::uint32_t demand) {
    const node& at = graph_.nodes[id];
    const unsigned sources = at.op == operation::concatenate ? 2 : 1;
    for (unsigned operand = 0; operand < sources; ++operand) {
      const bool is_empty =
          sources > 1 && !nest_.shape_generic && shapes_.of(at.inputs[operand])[part_axis(at)] == 0;
      if (is_empty) continue;
      if (!map_to_source(id, operand, demand)) return false;
      want_input(at, operand, demand);
    }
    return true;
  }
  /// The index is wanted where the node is, and the source at the position that the index is.
  node_id collect_gather(node_id id, std::uint32_t demand) {
    const node& at = graph_.nodes[id];
    if (const node_id index = computed_index_of_rows(call_, stored_, id); index != no_node) return index;
    const mapping of_node = maps_of(demand, at);
    map_to_operand(of_node.maps(), at.inputs[1]);
    want_input(at, 1, demand);
    const std::uint32_t index = demands_.all[demand].inputs[1];
    map_to_operand(of_node.maps(), at.inputs[0]);
    map_.axes[part_axis(at)] = map_to_index(id, index);
    want_input(at, 0, demand);
    return no_node;
  }
  void collect_operands(node_id id, std::uint32_t demand) {
    const node& at = graph_.nodes[id];
    if (nest_.shape_generic && is_stored_first(id, at)) {
      demands_.reductions.push_back({id, 0, node_demands::reduction_axes::cannot_loop_over});
      return;
    }
    if (is_reduction(at.op)) {
      const std::int64_t reduced = elements_reduced(call_, id);
      if (reduced > 1 && has_body(at.op)) return map_through_reduction(id, demand);
      if (has_body(at.op)) return want_parts(at, demand, maps_of(demand, at));
      if (reduced == 0) return;
      if (reduced > 1 && is_unrolled(id, demand)) return map_to_positions(id, demand);
      if (reduced > 1) return map_through_reduction(id, demand);
      map_through_broadcast(at, id, 0, demand);
      return want_input(at, 0, demand);
    }
    if (needs_chunk(at.op) && (nest_.shape_generic || shapes_.of(id)[scanned_axis(at)] > 1))
      return map_through_scan(id, demand);
    switch (at.op) {
      case operation::input:
      case operation::parameter:
      case operation::literal:
      case operation::coordinate:
      case operation::extent:
        return;  // these read the shape of their operand, not its elements
      case operation::repeat:
      case operation::repeat_while:
      case operation::when:
      case operation::scan:
        return want_parts(at, demand, maps_of(demand, at));
      case operation::component:
        return want_component(at, demand);
      case operation::view:
        map_through_view(at, id, demand);
        break;
      default:
        break;
    }
    for (unsigned i = is_constant_in_shape(at) ? at.arity - 1u : 0; i < at.arity; ++i) {
      if (at.op != operation::view) map_through_broadcast(at, id, i, demand);
      want_input(at, i, demand);
    }
  }

  /// The node that a component is one of, at the component's positions; it may have further axes, on which
  /// the component does not depend.
  void want_component(const node& at, std::uint32_t demand) {
    const unsigned missing = graph_.nodes[at.inputs[0]].rank - at.rank;
    map_.clear_to(at.rank + missing);
    for (unsigned axis = 0; axis < at.rank; ++axis) map_.axes[axis + missing] = map_of(demand, axis);
    want_input(at, 0, demand);
    const std::uint32_t owner = demands_.all[demand].inputs[0];
    demands_.bodies[demands_.all[owner].body].parts.components[at.payload] = true;
  }

  /// What the components that are wanted need, at positions of the node: users come first, so all of them are
  /// known.
  void want_parts(const node& at, std::uint32_t demand, const mapping& of_node) {
    const std::uint32_t body = demands_.all[demand].body;
    const auto operands = graph_.operands_of(at);
    const needed_parts parts = needed_for(graph_, at, demands_.bodies[body].parts.components);
    std::vector<std::uint32_t> wanted(operands.size(), no_demand);
    const bool has_no_elements = at.op == operation::reduce && elements_reduced(call_, node_of(demand)) == 0;
    for (std::size_t i = has_no_elements ? parts.components.size() : 0; i < operands.size(); ++i) {
      if (!parts.operands[i]) continue;
      if (is_whole(graph_, at, i))
        map_to_indices_of_body(operands[i]);
      else
        map_to_operand(of_node.maps(), operands[i]);
      wanted[i] = want(operands[i], map_);
    }
    demands_.bodies[body].parts = parts;
    demands_.bodies[body].operands = std::move(wanted);
  }
  node_id node_of(std::uint32_t demand) const { return demands_.all[demand].node; }
  mapping maps_of(std::uint32_t demand, const node& at) const {
    mapping made;
    made.size = at.rank;
    for (unsigned axis = 0; axis < at.rank; ++axis) made.axes[axis] = map_of(demand, axis);
    return made;
  }
  /// The elements that a reduction or scan combines, at the positions in map_.
  void want_elements(const node& at, std::uint32_t demand) {
    if (!has_body(at.op)) return want_input(at, 0, demand);
    const mapping of_elements = map_;
    want_parts(at, demand, of_elements);
  }

  /// Whether a shape-generic nest only reads a value that is stored first: it needs a loop other than the
  /// nest's one reduction, or it is computed and wanted at many positions.
  bool is_stored_first(node_id id, const node& at) const {
    if (id == wanted_ || (id == made_here_ && positions_of(id) == 1)) return false;
    return is_loop(at) || (is_computed(at) && positions_of(id) > max_positions);
  }

  /// Axes of the nest that the result of a reduction varies along.
  std::uint32_t kept_axes(const node& at, std::uint32_t demand) const {
    std::uint32_t kept = 0;
    for (unsigned axis = 0; axis < at.rank; ++axis)
      if ((reduced_axes(at) >> axis & 1) == 0) kept |= demands_.derived.axes_of(map_of(demand, axis));
    return kept;
  }

  /// Whether a reduction reduces an axis of the nest's result and is then broadcast back along it.
  bool is_broadcast_along(unsigned axis, std::int64_t extent, std::uint32_t taken) const {
    return axis < result_rank_ && nest_.extents[axis] == extent && (taken >> axis & 1) == 0;
  }

  /// Whether the elements of a reduction are combined where they are used, without a loop. Not if each
  /// element needs the result too and a loop can serve both, nor if their number differs between calls.
  bool is_unrolled(node_id id, std::uint32_t demand) const {
    const node& at = graph_.nodes[id];
    const std::uint32_t kept = kept_axes(at, demand);
    const bool is_within_loop = (kept & nest_.reduced) != 0;
    if (nest_.shape_generic || !is_worth_unrolling(graph_, shapes_, {id, positions_of(id), is_within_loop}))
      return false;
    if (is_within_loop) return true;
    const auto source = shapes_.of(at.inputs[0]);
    for (unsigned axis = 0; axis < at.rank; ++axis)
      if ((reduced_axes(at) >> axis & 1) != 0 && source[axis] != 1 &&
          is_broadcast_along(at.rank - 1 - axis, source[axis], kept))
        return false;
    return true;
  }

  /// Adds a demand for each element of an unrolled reduction at its position, in row-major order.
  void map_to_positions(node_id id, std::uint32_t demand) {
    const node& at = graph_.nodes[id];
    const auto source = shapes_.of(at.inputs[0]);
    const std::int64_t reduced = elements_reduced(call_, id);
    const auto first = static_cast<std::uint32_t>(demands_.elements.size());
    for (std::int64_t element = 0; element < reduced; ++element) {
      std::int64_t rest = element;
      map_.clear_to(at.rank);
      for (unsigned axis = at.rank; axis-- > 0;) {
        if ((reduced_axes(at) >> axis & 1) == 0) {
          map_.axes[axis] = map_of(demand, axis);
          continue;
        }
        map_.axes[axis].start = rest % source[axis];
        rest /= source[axis];
      }
      demands_.elements.push_back(want(at.inputs[0], map_));
    }
    demands_.all[demand].unrolled = static_cast<std::uint32_t>(reduced);
    demands_.all[demand].first_element = first;
  }

  /// Maps each reduced axis to an axis of the nest.
  void map_through_reduction(node_id id, std::uint32_t demand) {
    const node& at = graph_.nodes[id];
    const auto source = shapes_.of(has_body(at.op) ? id : at.inputs[0]);
    map_.clear_to(at.rank);
    for (unsigned axis = 0; axis < at.rank; ++axis)
      if ((reduced_axes(at) >> axis & 1) == 0) map_.axes[axis] = map_of(demand, axis);
    const std::uint32_t taken = kept_axes(at, demand);
    if (demands_.derived.has_index(map_.maps())) {  // at any position: its loop is another one
      demands_.reductions.push_back({id, 0, node_demands::reduction_axes::cannot_loop_over});
      return;
    }
    std::uint32_t own = 0;
    for (unsigned axis = 0; axis < at.rank; ++axis) {
      if ((reduced_axes(at) >> axis & 1) == 0 || call_.is_single(source[axis])) continue;
      const unsigned chosen =
          nest_.shape_generic ? own_axis(id, axis) : axis_for(source[axis], at.rank - 1 - axis, taken | own);
      if (chosen == max_rank) {
        demands_.reductions.push_back({id, 0, node_demands::reduction_axes::cannot_loop_over});
        return;
      }
      nest_.extents[chosen] = source[axis];
      own |= 1u << chosen;
      map_.axes[axis] = {static_cast<std::int32_t>(chosen), 0, 1};
    }
    demands_.reductions.push_back({id, taken, own});
    nest_.reduced |= own;
    if (finds_position(at.op)) demands_.all[demand].inputs[1] = position_in(id);
    want_elements(at, demand);
  }

  /// The nest axis for an axis that a shape-generic nest's reduction reduces. If the reduction is the result,
  /// the result's axis in that place, which has one element; else a new axis, the innermost first.
  unsigned own_axis(node_id id, unsigned axis) {
    const node& at = graph_.nodes[id];
    if (id == wanted_) return at.rank - 1 - axis;
    const unsigned chosen =
        result_rank_ + static_cast<unsigned>(std::popcount(reduced_axes(at) >> (axis + 1)));
    nest_.rank = std::max(nest_.rank, chosen + 1);
    return chosen;
  }

  /// The nest axis for a reduced axis: the result's axis at the same distance from the end, if the reduction
  /// is broadcast along it (the reduced element is then the one that meets the result); else an axis of
  /// another reduction; else a new one; max_rank if there is none.
  unsigned axis_for(std::int64_t extent, unsigned distance, std::uint32_t taken) {
    const auto is_free = [&](unsigned axis) {
      return nest_.extents[axis] == extent && (taken >> axis & 1) == 0;
    };
    if (is_broadcast_along(distance, extent, taken)) return distance;
    for (unsigned axis = result_rank_; axis < nest_.rank; ++axis)
      if (is_free(axis)) return axis;
    if (nest_.rank == max_rank) return find_unused_axis(distance, taken);
    nest_.extents[nest_.rank] = extent;
    return nest_.rank++;
  }

  /// For a nest with the maximum number of axes: an axis of the result with extent 1 that nothing is mapped
  /// to, at the same distance from the end if possible; max_rank if there is none.
  unsigned find_unused_axis(unsigned distance, std::uint32_t taken) const {
    const auto is_unused = [&](unsigned axis) {
      return axis < result_rank_ && nest_.extents[axis] == 1 && ((taken | nest_.reduced) >> axis & 1) == 0;
    };
    if (is_unused(distance)) return distance;
    for (unsigned axis = 0; axis < result_rank_; ++axis)
      if (is_unused(axis)) return axis;
    return max_rank;
  }

  /// A scan or sort traverses the axis of its results from start to end.
  void map_through_scan(node_id id, std::uint32_t demand) {
    const node& at = graph_.nodes[id];
    map_.clear_to(at.rank);
    std::uint32_t kept = 0;
    for (unsigned axis = 0; axis < at.rank; ++axis) {
      map_.axes[axis] = map_of(demand, axis);
      if (axis != scanned_axis(at)) kept |= demands_.derived.axes_of(map_.axes[axis]);
    }
    const axis_map along = map_.axes[scanned_axis(at)];
    const bool whole =
        along.axis >= 0 && !demands_.derived.has_index(map_.maps()) &&
        demands_.derived.find(along) == nullptr && along.start == 0 && along.step == 1 &&
        nest_.extents[static_cast<std::size_t>(along.axis)] == shapes_.of(id)[scanned_axis(at)];
    const bool fits = at.op != operation::argsort || fits_beside_sorts(id);
    const std::uint32_t own =
        whole && fits ? 1u << along.axis : node_demands::reduction_axes::cannot_loop_over;
    demands_.reductions.push_back({id, kept, own});
    if (whole && fits) nest_.reduced |= own;
    want_elements(at, demand);
  }

  /// Whether a block has room for what its threads exchange in this sort and in those that the nest has.
  bool fits_beside_sorts(node_id id) {
    sorted_elements_ += elements_of_sort(call_, id);
    return sorted_elements_ <= max_resident_sort;
  }

  /// The access that counts the elements of a reduction, in row-major order of its reduced axes.
  std::uint32_t position_in(node_id id) {
    const node& at = graph_.nodes[id];
    return add_access(nest_, counting_access(at.payload, shapes_.of(at.inputs[0]), map_.axes), nest_.reduced);
  }

  std::span<const std::int64_t> space_;  ///< the shape that the nest is over
  std::span<const stored_node> stored_;
  node_id wanted_ = no_node, made_here_ = no_node;
  unsigned result_rank_ = nest_.rank;
  std::int64_t sorted_elements_ = 0;
};

}  // namespace

node_id node_demands::first_reduction() const {
  node_id first = no_node;
  for (const reduction_axes& at : reductions) first = std::min(first, at.node);
  return first;
}

std::int64_t elements_reduced(const call_facts& call, node_id reduction) {
  return call.shape_generic && is_loop(call.recorded.nodes[reduction])
             ? any_number
             : elements_reduced(call.recorded, call.shapes, reduction);
}

node_id collect_demands(const call_facts& call, std::span<const stored_node> stored,
                        std::span<const stored_node> wanted, const unrolled_axis& unrolled,
                        node_demands& demands, nest& built) {
  demand_collector work(call, stored, wanted.front().node, demands, built);
  for (const stored_node& result : wanted)
    for (std::int64_t position = 0; position < unrolled.extent; ++position)
      built.stores.push_back({work.want_result(result.node, unrolled, position), 0});
  if (const node_id many = work.collect(); many != no_node) return many;
  if (const node_id misfit = work.misfit(); misfit != no_node) return misfit;
  const node_id often = find_recomputed(call, stored, wanted, demands, built);
  if (often != no_node) demands.why = stored_first::recomputed;
  return often;
}

}  // namespace sinter::inline v0
