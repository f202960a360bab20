#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/reduction_start.hpp>
#include <sinter/codegen/nest/build_nest.hpp>
#include <sinter/codegen/nest/nest_accesses.hpp>
#include <sinter/codegen/nest/operation_weight.hpp>
#include <sinter/codegen/nest/reduction_phases.hpp>
#include <sinter/codegen/nest/shape_generic.hpp>
#include <sinter/codegen/nest/simplify_body.hpp>
#include <sinter/codegen/simplify/unroll_reductions.hpp>

#include <algorithm>

namespace sinter {
namespace {

constexpr std::uint32_t none = ~0u;

/// Collects what each node is wanted as (users first), then emits instructions (definitions first). Both
/// walks are loops over node numbers, so a graph may be as deep as it likes.
class binder {
 public:
  binder(const graph& recorded, const shape_table& shapes, std::span<const array_layout> inputs,
         std::span<const std::uint64_t> scalars, std::span<const stored_node> stored, bind_scratch& scratch,
         nest& bound, lowering_variant variant)
      : graph_(recorded),
        shapes_(shapes),
        inputs_(inputs),
        scalars_(scalars),
        stored_(stored),
        scratch_(scratch),
        nest_(bound),
        general_(variant == lowering_variant::general) {
    scratch_.forms.clear();
    scratch_.demands.clear();
    scratch_.maps.clear();
    scratch_.reductions.clear();
    scratch_.has_too_many_values = false;
    scratch_.first_of_node.assign(graph_.nodes.size(), none);
  }

  std::uint32_t want_result(node_id id) {
    // an extent of 1 has one position, as it has where it is broadcast: a value wanted both ways is one value
    if (general_) made_here_ = reduction_within(graph_, id);
    wanted_ = id;
    last_ = std::max(last_, id);
    map_.clear_to(graph_.nodes[id].rank);
    for (unsigned axis = 0; axis < map_.size; ++axis)
      if (general_ || shapes_.of(id)[axis] != 1)
        map_.axes[axis] = {static_cast<std::int32_t>(map_.size - 1 - axis), 0, 1};
    return want(id, map_);
  }

  /// Returns a node that is better stored first, since the nest would compute too many values without.
  node_id collect() {
    for (node_id id = last_ + 1; id-- > 0;) {
      for (std::uint32_t d = scratch_.first_of_node[id]; d != none; d = scratch_.demands[d].next)
        collect_inputs(id, d);
      if (scratch_.demands.size() <= most_nest_values) continue;
      if (const node_id often = wanted_often(); often != no_node) {
        scratch_.has_too_many_values = true;
        return often;
      }
    }
    return no_node;
  }

  /// The first reduction or scan that does not walk all of the nest's reduced axes, depends on one of them,
  /// or is the same along an axis that the nest keeps, so that it would be made again for each step along
  /// that; no_node if none.
  node_id misfit() const {
    std::uint32_t kept = 0;
    for (unsigned axis = 0; axis < nest_.rank; ++axis)
      if (!nest_.is_reduced(axis) && nest_.extents[axis] != 1) kept |= 1u << axis;
    node_id found = no_node;
    for (const bind_scratch::reduction_axes& at : reductions_) {
      const bool is_repeated = !general_ && (kept & ~at.kept) != 0;
      if (at.own != nest_.reduced || (at.kept & nest_.reduced) != 0 || is_repeated)
        found = std::min(found, at.node);
    }
    return found;
  }

  void emit() {
    for (node_id id = 0; id <= last_; ++id)
      for (std::uint32_t d = scratch_.first_of_node[id]; d != none; d = scratch_.demands[d].next)
        scratch_.demands[d].instruction = emit_one(id, scratch_.demands[d]);
  }

 private:
  struct mapping {
    std::array<axis_map, max_rank> axes;
    unsigned size = 0;
    void clear_to(unsigned rank) {
      size = rank;
      std::fill_n(axes.begin(), rank, axis_map{});
    }
  };

  std::uint32_t want(node_id id, const mapping& map) {
    for (std::uint32_t d = scratch_.first_of_node[id]; d != none; d = scratch_.demands[d].next)
      if (std::equal(map.axes.begin(), map.axes.begin() + map.size,
                     scratch_.maps.begin() + scratch_.demands[d].map,
                     [this](const axis_map& a, const axis_map& b) {
                       return general_ ? a.axis == b.axis && a.form == b.form : a == b;
                     }))
        return d;
    const auto made = static_cast<std::uint32_t>(scratch_.demands.size());
    bind_scratch::demand demand;
    demand.node = id;
    demand.map = static_cast<std::uint32_t>(scratch_.maps.size());
    demand.next = scratch_.first_of_node[id];
    scratch_.maps.insert(scratch_.maps.end(), map.axes.begin(), map.axes.begin() + map.size);
    scratch_.demands.push_back(demand);
    scratch_.first_of_node[id] = made;
    return made;
  }

  /// Positions multiply from one stencil to the next below it: the first node that is wanted at as many as
  /// the root of the most, so that what is above it and what is below have about as many each.
  node_id wanted_often() const {
    const auto positions = [&](node_id id) {
      const bool is_computed = weight_of(graph_.nodes[id]) > 0 && find_stored(id) == nullptr;
      return is_computed ? positions_of(id) : 0;
    };
    std::size_t most = 1;
    for (node_id id = 0; id <= last_; ++id) most = std::max<std::size_t>(most, positions(id));
    for (node_id id = last_ + 1; id-- > 0 && most > 1;)
      if (const std::size_t many = positions(id); many > 1 && many * many >= most) return id;
    return no_node;
  }

  const axis_map& map_of(std::uint32_t demand, unsigned axis) const {
    return scratch_.maps[scratch_.demands[demand].map + axis];
  }

  const stored_node* find_stored(node_id id) const {
    const auto found =
        std::find_if(stored_.begin(), stored_.end(), [id](const stored_node& at) { return at.node == id; });
    return found == stored_.end() ? nullptr : &*found;
  }

  void collect_inputs(node_id id, std::uint32_t demand) {
    if (find_stored(id) != nullptr) return;
    const node& at = graph_.nodes[id];
    if (general_ && id != wanted_ && is_stored_first(at, positions_of(id)) &&
        (id != made_here_ || positions_of(id) > 1)) {
      reductions_.push_back({id, 0, bind_scratch::reduction_axes::cannot_walk});
      return;
    }
    if (general_ && is_reduction(at.op) && walks(at)) return map_to_own_axes(id, demand);
    if (is_reduction(at.op)) {
      const std::int64_t walked = elements_walked(graph_, shapes_, id);
      if (walked == 0) return;
      if (walked > 1 && is_unrolled(id, demand)) return map_to_positions(id, demand);
      if (walked > 1) return map_through_reduction(id, demand);
      map_through_broadcast(at, id, 0, demand);
      const std::uint32_t wanted = want(at.inputs[0], map_);
      scratch_.demands[demand].inputs[0] = wanted;
      return;
    }
    if (is_scan(at.op) && (general_ || shapes_.of(id)[at.payload] > 1)) return map_through_scan(id, demand);
    switch (at.op) {
      case operation::input:
      case operation::parameter:
      case operation::literal:
      case operation::coordinate:
      case operation::extent:
        return;  // they read the shape of their operand, not its elements
      case operation::view:
        map_through_view(at, id, demand);
        break;
      default:
        break;
    }
    for (unsigned i = 0; i < at.arity; ++i) {
      if (at.op != operation::view) map_through_broadcast(at, id, i, demand);
      const std::uint32_t wanted = want(at.inputs[i], map_);
      scratch_.demands[demand].inputs[i] = wanted;
    }
  }

  void map_through_broadcast(const node& at, node_id id, unsigned input, std::uint32_t demand) {
    const node& source = graph_.nodes[at.inputs[input]];
    const auto wide = shapes_.of(id), narrow = shapes_.of(at.inputs[input]);
    map_.clear_to(source.rank);
    const unsigned missing = at.rank - source.rank;
    for (unsigned axis = 0; axis < source.rank; ++axis) {
      const axis_map& outer = map_of(demand, axis + missing);
      if (general_)
        map_.axes[axis] = perhaps_broadcast(outer, at.inputs[input], axis, narrow[axis] == 1);
      else if (narrow[axis] == wide[axis + missing])
        map_.axes[axis] = outer;
    }
  }

  // the general variant

  /// An operand of one element has stride 0 in this call, and may have another one in the next.
  axis_map perhaps_broadcast(axis_map outer, node_id operand, unsigned axis, bool is_one) {
    outer.form = scratch_.forms.of_operand(outer.form, operand, axis);
    if (is_one) outer.start = outer.step = 0;
    return outer;
  }

  unsigned positions_of(node_id id) const {
    unsigned count = 0;
    for (std::uint32_t d = scratch_.first_of_node[id]; d != none; d = scratch_.demands[d].next) ++count;
    return count;
  }

  /// A reduction that the nest is for has axes of its own for those that it walks, the innermost first: those
  /// along which its result has one element, if that is all that the nest makes.
  void map_to_own_axes(node_id id, std::uint32_t demand) {
    const node& at = graph_.nodes[id];
    const auto source = shapes_.of(at.inputs[0]);
    map_.clear_to(at.rank);
    std::uint32_t own = 0;
    for (unsigned axis = at.rank; axis-- > 0;) {
      if ((at.payload >> axis & 1) == 0) {
        map_.axes[axis] = map_of(demand, axis);
        continue;
      }
      const unsigned chosen = id == wanted_ ? at.rank - 1 - axis : nest_.rank++;
      nest_.extents[chosen] = source[axis];
      map_.axes[axis] = {static_cast<std::int32_t>(chosen), 0, 1};
      own |= 1u << chosen;
    }
    reductions_.push_back({id, kept_axes(at, demand), own});
    nest_.reduced |= own;
    if (finds_position(at.op)) scratch_.demands[demand].inputs[1] = position_in(id);
    const std::uint32_t wanted = want(at.inputs[0], map_);
    scratch_.demands[demand].inputs[0] = wanted;
  }

  /// Axes of the nest that the result of a reduction varies along.
  std::uint32_t kept_axes(const node& at, std::uint32_t demand) const {
    std::uint32_t kept = 0;
    for (unsigned axis = 0; axis < at.rank; ++axis)
      if ((at.payload >> axis & 1) == 0 && map_of(demand, axis).axis >= 0)
        kept |= 1u << map_of(demand, axis).axis;
    return kept;
  }

  /// Whether an axis of the nest's result is one that a reduction walks and is broadcast back along.
  bool is_broadcast_along(unsigned axis, std::int64_t extent, std::uint32_t taken) const {
    return axis < result_rank_ && nest_.extents[axis] == extent && (taken >> axis & 1) == 0;
  }

  /// Whether the elements of a reduction are combined where they are needed, without a loop: not where each
  /// of them needs the result, too.
  bool is_unrolled(node_id id, std::uint32_t demand) const {
    std::uint64_t times = 0;
    for (std::uint32_t d = scratch_.first_of_node[id]; d != none; d = scratch_.demands[d].next) ++times;
    if (!is_worth_unrolling(graph_, shapes_, id, times)) return false;
    const node& at = graph_.nodes[id];
    const std::uint32_t kept = kept_axes(at, demand);
    const auto source = shapes_.of(at.inputs[0]);
    for (unsigned axis = 0; axis < at.rank; ++axis)
      if ((at.payload >> axis & 1) != 0 && source[axis] != 1 &&
          is_broadcast_along(at.rank - 1 - axis, source[axis], kept))
        return false;
    return true;
  }

  /// Wants each element of an unrolled reduction at its position, in row-major order.
  void map_to_positions(node_id id, std::uint32_t demand) {
    const node& at = graph_.nodes[id];
    const auto source = shapes_.of(at.inputs[0]);
    const std::int64_t walked = elements_walked(graph_, shapes_, id);
    for (std::int64_t element = 0; element < walked; ++element) {
      std::int64_t rest = element;
      map_.clear_to(at.rank);
      for (unsigned axis = at.rank; axis-- > 0;) {
        if ((at.payload >> axis & 1) == 0) {
          map_.axes[axis] = map_of(demand, axis);
          continue;
        }
        map_.axes[axis].start = rest % source[axis];
        rest /= source[axis];
      }
      const std::uint32_t wanted = want(at.inputs[0], map_);
      scratch_.demands[demand].inputs[static_cast<std::size_t>(element)] = wanted;
    }
    scratch_.demands[demand].unrolled = static_cast<std::uint32_t>(walked);
  }

  /// Gives each reduced axis an axis of the nest: the result's at the same distance from the end, where the
  /// reduction is broadcast along it (the element that is reduced is then the one that meets the result),
  /// else one that another reduction has, else a new one.
  void map_through_reduction(node_id id, std::uint32_t demand) {
    const node& at = graph_.nodes[id];
    const auto source = shapes_.of(at.inputs[0]);
    map_.clear_to(at.rank);
    for (unsigned axis = 0; axis < at.rank; ++axis)
      if ((at.payload >> axis & 1) == 0) map_.axes[axis] = map_of(demand, axis);
    const std::uint32_t taken = kept_axes(at, demand);
    std::uint32_t own = 0;
    for (unsigned axis = 0; axis < at.rank; ++axis) {
      if ((at.payload >> axis & 1) == 0 || source[axis] == 1) continue;
      const unsigned chosen = axis_for(source[axis], at.rank - 1 - axis, taken | own);
      if (chosen == max_rank) {
        reductions_.push_back({id, 0, bind_scratch::reduction_axes::cannot_walk});
        return;
      }
      nest_.extents[chosen] = source[axis];
      own |= 1u << chosen;
      map_.axes[axis] = {static_cast<std::int32_t>(chosen), 0, 1};
    }
    reductions_.push_back({id, taken, own});
    nest_.reduced |= own;
    if (finds_position(at.op)) scratch_.demands[demand].inputs[1] = position_in(id);
    const std::uint32_t wanted = want(at.inputs[0], map_);
    scratch_.demands[demand].inputs[0] = wanted;
  }

  /// A scan walks the axis that its results lie along, from the beginning to the end.
  void map_through_scan(node_id id, std::uint32_t demand) {
    const node& at = graph_.nodes[id];
    map_.clear_to(at.rank);
    std::uint32_t kept = 0;
    for (unsigned axis = 0; axis < at.rank; ++axis) {
      map_.axes[axis] = map_of(demand, axis);
      if (axis != at.payload && map_.axes[axis].axis >= 0) kept |= 1u << map_.axes[axis].axis;
    }
    const axis_map along = map_.axes[at.payload];
    const bool whole =
        general_ || (along.axis >= 0 && along.start == 0 && along.step == 1 &&
                     nest_.extents[static_cast<std::size_t>(along.axis)] == shapes_.of(id)[at.payload]);
    const std::uint32_t own = whole ? 1u << along.axis : bind_scratch::reduction_axes::cannot_walk;
    reductions_.push_back({id, kept, own});
    if (whole) nest_.reduced |= own;
    const std::uint32_t wanted = want(at.inputs[0], map_);
    scratch_.demands[demand].inputs[0] = wanted;
  }

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

  /// Where a nest has all the axes that it can have: one of the result's of extent 1, which nothing is mapped
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

  /// The access that counts the elements which a reduction walks, in row-major order of its reduced axes.
  std::uint32_t position_in(node_id id) {
    const node& at = graph_.nodes[id];
    return add_access(counting_access(at.payload, shapes_.of(at.inputs[0]), map_.axes), nest_.reduced);
  }

  void map_through_view(const node& at, node_id id, std::uint32_t demand) {
    const view_range range = graph_.views[at.payload];
    const auto source = shapes_.of(at.inputs[0]);
    map_.clear_to(static_cast<unsigned>(source.size()));
    unsigned from = 0, result = 0;
    for (std::uint32_t i = range.first; i < range.first + range.count; ++i) {
      const view_item& item = graph_.view_items[i];
      const auto form = [&](std::uint32_t outer) {
        return general_ ? scratch_.forms.of_view(outer, id, i - range.first) : 0;
      };
      switch (item.what) {
        case view_item::kind::newaxis:
          ++result;
          break;
        case view_item::kind::permute:
          map_.axes[static_cast<std::size_t>(item.start.value)] = map_of(demand, result++);
          ++from;
          break;
        case view_item::kind::index:
          map_.axes[from] = {-1, resolve(item, source[from], scalars_).start, 0, form(0)};
          ++from;
          break;
        case view_item::kind::slice: {
          const resolved_slice slice = resolve(item, source[from], scalars_);
          const axis_map outer = map_of(demand, result++);
          map_.axes[from++] = {outer.axis, slice.start + slice.step * outer.start, slice.step * outer.step,
                               form(outer.form)};
          break;
        }
      }
    }
    while (from < source.size()) map_.axes[from++] = map_of(demand, result++);
  }

  std::uint32_t append(const instruction& made) {
    nest_.body.push_back(made);
    return static_cast<std::uint32_t>(nest_.body.size() - 1);
  }

  std::uint32_t append_literal(element_type type, std::uint64_t bits) {
    instruction made;
    made.op = operation::literal;
    made.type = made.compute = type;
    made.payload = bits;
    return append(made);
  }

  /// What a reduction of no elements gives. Literals are real: a complex number is put together of two.
  std::uint32_t append_start(const node& at) {
    const element_type part = component_of(at.type);
    const std::uint32_t real = append_literal(part, start_bits(at.op, part));
    if (!is_complex(at.type)) return real;
    instruction made;
    made.op = operation::make_complex;
    made.type = at.type;
    made.compute = part;
    made.arity = 2;
    made.arguments = {real, append_literal(part, 0)};
    return append(made);
  }

  std::uint32_t emit_reduction(node_id id, const bind_scratch::demand& demand) {
    const node& at = graph_.nodes[id];
    instruction made;
    made.type = at.type;
    made.compute = graph_.nodes[at.inputs[0]].type;
    const std::int64_t walked = elements_walked(graph_, shapes_, id);
    if ((!general_ || !walks(at)) && walked == 1 && !finds_position(at.op))
      return scratch_.demands[demand.inputs[0]].instruction;
    if ((!general_ || !walks(at)) && walked <= 1)
      return finds_position(at.op) ? append_literal(at.type, 0) : append_start(at);
    if (demand.unrolled != 0) return emit_unrolled(at, demand);
    made.op = at.op;
    made.arity = 1;
    made.arguments[0] = scratch_.demands[demand.inputs[0]].instruction;
    if (finds_position(at.op)) {
      instruction position;
      position.op = operation::coordinate;
      position.type = position.compute = element_type::int64;
      position.payload = demand.inputs[1];
      made.arity = 2;
      made.arguments[1] = append(position);
    }
    return append(made);
  }

  /// ((a + b) + c), in the type that sums have: of half types float32, which no mode rounds in between.
  std::uint32_t emit_unrolled(const node& at, const bind_scratch::demand& demand) {
    instruction made;
    made.op = facts(at.op).combine;
    made.type = made.compute = facts(graph_.nodes[at.inputs[0]].type).compute;
    made.arity = 2;
    made.arguments[0] = scratch_.demands[demand.inputs[0]].instruction;
    for (std::uint32_t element = 1; element < demand.unrolled; ++element) {
      made.arguments[1] = scratch_.demands[demand.inputs[element]].instruction;
      made.arguments[0] = append(made);
    }
    return made.arguments[0];
  }

  std::uint32_t emit_one(node_id id, const bind_scratch::demand& demand) {
    const node& at = graph_.nodes[id];
    if (const stored_node* found = find_stored(id)) {
      instruction made;
      made.op = operation::input;
      made.type = made.compute = at.type;
      made.payload = read_stored(*found, id, demand);
      return append(made);
    }
    if (is_reduction(at.op)) return emit_reduction(id, demand);
    if (!general_ && is_scan(at.op) && shapes_.of(id)[at.payload] == 1)
      return scratch_.demands[demand.inputs[0]].instruction;
    instruction made;
    made.op = at.op;
    made.type = made.compute = at.type;
    made.payload = at.payload;
    switch (at.op) {
      case operation::view:
        return scratch_.demands[demand.inputs[0]].instruction;
      case operation::input:
        made.payload = read(at, demand);
        break;
      case operation::coordinate:
        made.payload = position(at, demand);
        break;
      case operation::extent:
        made.payload = nest_.constants.size();
        nest_.constants.push_back(shapes_.of(at.inputs[0])[at.payload]);
        break;
      default:
        made.arity = at.arity;
        for (unsigned i = 0; i < at.arity; ++i)
          made.arguments[i] = scratch_.demands[demand.inputs[i]].instruction;
        if (at.arity > 0) made.compute = graph_.nodes[at.inputs[at.arity - 1]].type;
        if (is_scan(at.op)) made.payload = 0;  // the nest knows the axis
        if (at.op == operation::external)
          made.by_pointer = graph_.externals[at.payload]->host == external_form::pointer;
    }
    return append(made);
  }

  std::span<const axis_map> maps_of(const bind_scratch::demand& demand, unsigned rank) const {
    return std::span(scratch_.maps).subspan(demand.map, rank);
  }

  /// A temporary is contiguous in the node's shape.
  std::uint32_t read_stored(const stored_node& from, node_id id, const bind_scratch::demand& demand) {
    const auto extents = shapes_.of(id);
    std::array<std::int64_t, max_rank> strides;
    std::int64_t stride = 1;
    for (std::size_t axis = extents.size(); axis-- > 0; stride *= extents[axis]) strides[axis] = stride;
    access made = mapped_read(maps_of(demand, static_cast<unsigned>(extents.size())), strides);
    made.place = from.place;
    made.type = graph_.nodes[id].type;
    made.array = from.index;
    return add_access(made, axes_of(maps_of(demand, graph_.nodes[id].rank)));
  }

  std::uint32_t read(const node& at, const bind_scratch::demand& demand) {
    const array_layout& layout = inputs_[at.payload];
    access made = mapped_read(maps_of(demand, at.rank), std::span(layout.strides, at.rank));
    made.type = at.type;
    made.array = general_ ? static_cast<std::uint32_t>(at.payload) : layout.identity;
    return add_access(made, axes_of(maps_of(demand, at.rank)));
  }

  std::uint32_t position(const node& at, const bind_scratch::demand& demand) {
    const axis_map& map = scratch_.maps[demand.map + at.payload];
    return add_access(mapped_position(map), axes_of({&map, 1}));
  }

  static std::uint32_t axes_of(std::span<const axis_map> maps) {
    std::uint32_t axes = 0;
    for (const axis_map& map : maps)
      if (map.axis >= 0) axes |= 1u << map.axis;
    return axes;
  }

  /// Of the general variant no access stands for another one, and `axes` are those that it may walk.
  std::uint32_t add_access(access made, std::uint32_t axes) {
    if (!general_) return find_or_add(nest_, made);
    made.strided = axes;
    nest_.accesses.push_back(made);
    return static_cast<std::uint32_t>(nest_.accesses.size() - 1);
  }

  const graph& graph_;
  const shape_table& shapes_;
  std::span<const array_layout> inputs_;
  std::span<const std::uint64_t> scalars_;
  std::span<const stored_node> stored_;
  bind_scratch& scratch_;
  nest& nest_;
  bool general_;
  node_id wanted_ = no_node, made_here_ = no_node, last_ = 0;
  unsigned result_rank_ = nest_.rank;
  std::vector<bind_scratch::reduction_axes>& reductions_ = scratch_.reductions;
  mapping map_;
};

/// Of the general variant: a result takes steps along all axes but those that a reduction walks.
void spare_axes(access& write, const nest& bound, operation made_by) {
  for (unsigned axis = 0; axis < bound.rank; ++axis)
    if (bound.is_reduced(axis) && !is_scan(made_by))
      write.strides[axis] = 0;
    else
      write.strided |= 1u << axis;
}

}  // namespace

node_id bind_nest(const graph& recorded, const shape_table& shapes, std::span<const array_layout> inputs,
                  std::span<const array_layout> outputs, std::span<const std::uint64_t> scalars,
                  std::span<const stored_node> stored, std::span<const stored_node> wanted,
                  bind_scratch& scratch, nest& bound, lowering_variant variant) {
  bound.accesses.clear();
  bound.body.clear();
  bound.stores.clear();
  bound.constants.clear();
  bound.reduced = 0;
  bound.split = -1;
  bound.whole = 0;
  bound.phases = 1;
  const auto space = shapes.of(wanted.front().node);
  bound.rank = static_cast<unsigned>(space.size());
  std::reverse_copy(space.begin(), space.end(), bound.extents.begin());

  binder work(recorded, shapes, inputs, scalars, stored, scratch, bound, variant);
  for (const stored_node& result : wanted) {
    // the demand's number stands in for the value until instructions exist
    bound.stores.push_back({work.want_result(result.node), 0});
  }
  if (const node_id often = work.collect(); often != no_node) return often;
  if (const node_id misfit = work.misfit(); misfit != no_node) return misfit;
  work.emit();
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    store& at = bound.stores[i];
    at.value = scratch.demands[at.value].instruction;
    at.target = static_cast<std::uint32_t>(bound.accesses.size());
    access write = write_of(recorded, outputs, wanted[i], space);
    if (variant == lowering_variant::general) spare_axes(write, bound, recorded.nodes[wanted[i].node].op);
    bound.accesses.push_back(write);
  }
  merge_equal_reads(bound, scratch.renumbered);
  if (recorded.mode != arithmetic_mode::strict) fuse_multiply_add(bound, scratch.uses);
  remove_unused(bound, scratch.uses, scratch.renumbered);
  assign_phases(bound);
  return no_node;
}

}  // namespace sinter
