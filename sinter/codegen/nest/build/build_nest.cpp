#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/parts/graph_parts.hpp>
#include <sinter/codegen/graph/reduction_start.hpp>
#include <sinter/codegen/nest/build/body_instructions.hpp>
#include <sinter/codegen/nest/build/build_nest.hpp>
#include <sinter/codegen/nest/build/nest_accesses.hpp>
#include <sinter/codegen/nest/build/position_instructions.hpp>
#include <sinter/codegen/nest/build/unrolled_axis.hpp>
#include <sinter/codegen/nest/nest_bodies.hpp>
#include <sinter/codegen/nest/nest_writer.hpp>
#include <sinter/codegen/nest/positions/split_axes.hpp>
#include <sinter/codegen/nest/reduction_phases.hpp>
#include <sinter/codegen/nest/simplify_body.hpp>

#include <algorithm>

namespace sinter::inline v0 {
namespace {

/// Turns demands into instructions, definitions first: in the order of nodes, without recursion, so that
/// graphs may be arbitrarily deep.
class body_builder {
 public:
  body_builder(const call_facts& call, std::span<const stored_node> stored, node_demands& demands,
               nest& built)
      : call_(call),
        graph_(call.recorded),
        shapes_(call.shapes),
        stored_(stored),
        demands_(demands),
        nest_(built) {}

  void build() {
    std::ranges::sort(demands_.nodes);
    for (const node_id id : demands_.nodes)
      for (std::uint32_t d = demands_.first_of_node[id]; d != no_demand; d = demands_.all[d].next)
        demands_.all[d].instruction = build_one(id, demands_.all[d]);
    bodies_.set_owners();
  }

 private:
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

  /// The result of a reduction over no elements. Literals are real, so a complex number is made of two.
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

  /// The number of elements of a row of a reduction by a body, or of a scan: a scan of none is taken for its
  /// operand, which is never evaluated then.
  std::int64_t elements_combined(node_id id) const {
    const node& at = graph_.nodes[id];
    if (at.op == operation::reduce) return elements_reduced(call_, id);
    return is_scan(at.op) && !nest_.shape_generic && shapes_.of(id)[scanned_axis(at)] <= 1 ? 1 : any_number;
  }

  std::uint32_t append_reduction(node_id id, const node_demands::demand& demand) {
    const node& at = graph_.nodes[id];
    instruction made;
    made.type = at.type;
    made.compute = graph_.nodes[at.inputs[0]].type;
    const std::int64_t reduced = elements_reduced(call_, id);
    if (reduced == 1 && !finds_position(at.op))
      return from_start(at, demands_.all[demand.inputs[0]].instruction);
    if (reduced <= 1) return finds_position(at.op) ? append_literal(at.type, 0) : append_start(at);
    if (demand.unrolled != 0) return append_unrolled(at, demand);
    made.op = at.op;
    made.arity = 1;
    made.arguments[0] = demands_.all[demand.inputs[0]].instruction;
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

  /// ((a + b) + c) in the accumulator type: float32 for half types, which no mode rounds in between.
  std::uint32_t append_unrolled(const node& at, const node_demands::demand& demand) {
    instruction made;
    made.op = facts(at.op).combine;
    made.type = made.compute = facts(graph_.nodes[at.inputs[0]].type).compute;
    made.arity = 2;
    const std::span<const std::uint32_t> elements = demands_.elements_of(demand);
    made.arguments[0] = demands_.all[elements.front()].instruction;
    bool is_signed = !never_negative_zero(made.arguments[0]);  // a sum is -0 only if each element is
    for (const std::uint32_t element : elements.subspan(1)) {
      made.arguments[1] = demands_.all[element].instruction;
      is_signed = is_signed && !never_negative_zero(made.arguments[1]);
      made.arguments[0] = append(made);
    }
    return is_signed ? from_start(at, made.arguments[0]) : made.arguments[0];
  }

  /// Whether a value is known not to be -0: then adding 0 to it would be wasted.
  bool never_negative_zero(std::uint32_t value) const {
    const instruction& made = nest_.body[value];
    if (is_complex(made.type)) return false;
    switch (made.op) {
      case operation::multiply:
        return made.arguments[0] == made.arguments[1];
      case operation::square:
      case operation::absolute:
      case operation::exp:
        return true;
      case operation::cast:
        return !is_inexact(made.compute);
      case operation::add:
        return never_negative_zero(made.arguments[0]) || never_negative_zero(made.arguments[1]);
      default:
        return false;
    }
  }

  /// A reduction whose elements are combined without its start value: sums are 0 where all elements are -0.
  std::uint32_t from_start(const node& at, std::uint32_t elements) {
    if (!starts_at_zero(at.op, at.type) || never_negative_zero(elements)) return elements;
    instruction made;
    made.op = facts(at.op).combine;
    made.type = made.compute = facts(at.type).compute;
    made.arity = 2;
    made.arguments = {elements, append_start(at)};
    return append(made);
  }

  std::uint32_t build_one(node_id id, const node_demands::demand& demand) {
    const node& at = graph_.nodes[id];
    if (const stored_node* found = find_stored(stored_, id)) {
      instruction made;
      made.op = operation::input;
      made.type = made.compute = at.type;
      made.payload = read_stored(*found, id, demand);
      return append(made);
    }
    if (has_body(at.op))
      return combines_by_body(at.op) && elements_combined(id) <= 1 ? 0 : bodies_.append(at, demand);
    if (at.op == operation::component)
      return bodies_.component(demands_.all[demand.inputs[0]], at.payload, elements_combined(at.inputs[0]));
    if (is_reduction(at.op)) return append_reduction(id, demand);
    if (is_scan(at.op) && elements_combined(id) == 1) return demands_.all[demand.inputs[0]].instruction;
    instruction made;
    made.op = at.op;
    made.type = made.compute = at.type;
    made.payload = at.payload;
    switch (at.op) {
      case operation::view:
      case operation::extended:
      case operation::window:
      case operation::diagonal:
      case operation::merged:
      case operation::split:
        return demands_.all[demand.inputs[0]].instruction;
      case operation::concatenate:
        return append_parts(at, demand);
      case operation::input:
        made.payload = read(at, demand);
        break;
      case operation::coordinate:
        if (at.payload == at.rank)
          return append_row_major(demands_.derived, demands_.maps_of(demand, at.rank),
                                  shapes_.of(at.inputs[0]), nest_);
        return position(demands_.maps[demand.map + at.payload]);
      case operation::extent:
        made.payload = nest_.constants.size();
        nest_.constants.push_back(shapes_.of(at.inputs[0])[at.payload]);
        break;
      default:
        made.arity = at.arity;
        for (unsigned i = 0; i < at.arity; ++i)
          made.arguments[i] = demands_.all[demand.inputs[i]].instruction;
        if (at.arity > 0) made.compute = graph_.nodes[at.inputs[at.arity - 1]].type;
        if (is_scan(at.op)) made.payload = 0;  // the nest has the axis
        if (at.op == operation::external)
          made.by_pointer = graph_.externals[at.payload]->cpu == external_form::pointer;
    }
    return append(made);
  }

  /// Reads a temporary, which is contiguous in the node's shape.
  std::uint32_t read_stored(const stored_node& from, node_id id, const node_demands::demand& demand) {
    const auto extents = shapes_.of(id);
    std::array<std::int64_t, max_rank> strides;
    std::int64_t stride = 1;
    for (std::size_t axis = extents.size(); axis-- > 0; stride *= extents[axis]) strides[axis] = stride;
    const auto maps = demands_.maps_of(demand, static_cast<unsigned>(extents.size()));
    access made = mapped_read(demands_.derived, maps, strides, nest_);
    made.place = from.place;
    made.type = graph_.nodes[id].type;
    made.array = from.index;
    return add_access(nest_, made, axes_of(maps));
  }

  std::uint32_t read(const node& at, const node_demands::demand& demand) {
    const auto maps = demands_.maps_of(demand, at.rank);
    access made =
        mapped_read(demands_.derived, maps, std::span(call_.inputs[at.payload].strides, at.rank), nest_);
    made.type = at.type;
    made.array = call_.array_of(at.payload);
    return add_access(nest_, made, axes_of(maps));
  }

  std::uint32_t position(const axis_map& map) { return append_position(demands_.derived, map, nest_); }

  /// Of two parts, the one that has the element.
  std::uint32_t append_parts(const node& at, const node_demands::demand& demand) {
    const auto part = [&](unsigned operand) { return demands_.all[demand.inputs[operand]].instruction; };
    const auto extent = [&](unsigned operand) { return shapes_.of(at.inputs[operand])[part_axis(at)]; };
    if (!nest_.shape_generic)
      for (const unsigned operand : {0u, 1u})
        if (extent(1 - operand) == 0) return part(operand);
    nest_writer out(nest_);
    const std::uint32_t along = position(demands_.maps[demand.map + part_axis(at)]);
    const std::uint32_t is_first =
        out.apply(operation::less, element_type::boolean, {along, out.constant(extent(0))});
    return out.apply(operation::where, at.type, {is_first, part(0), part(1)});
  }

  std::uint32_t axes_of(std::span<const axis_map> maps) const {
    std::uint32_t axes = 0;
    for (const axis_map& map : maps) axes |= demands_.derived.axes_of(map);
    return axes;
  }

  const call_facts& call_;
  const graph& graph_;
  const shape_table& shapes_;
  std::span<const stored_node> stored_;
  node_demands& demands_;
  nest& nest_;
  body_instructions bodies_{graph_, demands_, nest_};
};

void begin_nest(const call_facts& call, node_id first, nest& built) {
  built.shape_generic = call.shape_generic;
  built.accesses.clear();
  built.terms.clear();
  built.body.clear();
  built.arguments.clear();
  built.stores.clear();
  built.constants.clear();
  built.reduced = 0;
  built.split = -1;
  built.whole = 0;
  built.phases = 1;
  const auto space = call.shapes.of(first);
  built.rank = static_cast<unsigned>(space.size());
  std::reverse_copy(space.begin(), space.end(), built.extents.begin());
}

/// Demands of the nest, and which axis it does not have. Returns what collect_demands() does.
node_id collect(const call_facts& call, std::span<const stored_node> stored,
                std::span<const stored_node> wanted, unrolled_axis& unrolled, node_demands& demands,
                nest& built) {
  begin_nest(call, wanted.front().node, built);
  if (const node_id first = collect_demands(call, stored, wanted, {}, demands, built); first != no_node)
    return first;
  unrolled = find_unrolled_axis(call, demands, built, stored);
  if (unrolled.extent == 1) return no_node;
  begin_nest(call, wanted.front().node, built);
  built.extents[unrolled.axis] = 1;
  return collect_demands(call, stored, wanted, unrolled, demands, built);
}

/// The targets of the stores: of an unrolled axis each position has one.
void add_writes(const call_facts& call, std::span<const stored_node> wanted, const unrolled_axis& unrolled,
                const node_demands& demands, nest& built) {
  auto at = built.stores.begin();
  for (const stored_node& result : wanted)
    for (std::int64_t position = 0; position < unrolled.extent; ++position, ++at) {
      at->value = demands.all[at->value].instruction;
      at->target = static_cast<std::uint32_t>(built.accesses.size());
      access& made = built.accesses.emplace_back(write_of(call, result, wanted.front().node, built));
      if (unrolled.extent == 1) continue;
      std::int64_t& stride = made.strides[unrolled.axis];
      made.offset += position * stride;
      stride = 0;
    }
}

}  // namespace

node_id build_nest(const call_facts& call, std::span<const stored_node> stored,
                   std::span<const stored_node> wanted, nest_scratch& scratch, nest& built) {
  unrolled_axis unrolled;
  if (const node_id first = collect(call, stored, wanted, unrolled, scratch.demands, built); first != no_node)
    return first;
  body_builder(call, stored, scratch.demands, built).build();
  add_writes(call, wanted, unrolled, scratch.demands, built);
  split_axes_of_terms(built);
  merge_equal_reads(built, scratch.renumbered);
  if (call.recorded.mode != arithmetic_mode::strict) fuse_multiply_add(built, scratch.uses);
  hoist_invariants(built);
  remove_unused(built, scratch.uses, scratch.renumbered);
  assign_phases(built);
  return no_node;
}

}  // namespace sinter::inline v0
