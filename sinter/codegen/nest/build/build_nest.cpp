#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/parts/graph_parts.hpp>
#include <sinter/codegen/graph/reduction_start.hpp>
#include <sinter/codegen/nest/build/bodies/body_elements.hpp>
#include <sinter/codegen/nest/build/bodies/body_instructions.hpp>
#include <sinter/codegen/nest/build/build_nest.hpp>
#include <sinter/codegen/nest/build/indices/bounded_offset.hpp>
#include <sinter/codegen/nest/build/indices/deferred_reports.hpp>
#include <sinter/codegen/nest/build/indices/report_indices.hpp>
#include <sinter/codegen/nest/build/nest_accesses.hpp>
#include <sinter/codegen/nest/build/position_instructions.hpp>
#include <sinter/codegen/nest/build/unrolled_axis.hpp>
#include <sinter/codegen/nest/build/updates/scatter_update.hpp>
#include <sinter/codegen/nest/nest_bodies.hpp>
#include <sinter/codegen/nest/nest_writer.hpp>
#include <sinter/codegen/nest/positions/split_axes.hpp>
#include <sinter/codegen/nest/reduction_phases.hpp>
#include <sinter/codegen/nest/simplify_body.hpp>

#include <algorithm>
#include <cstdlib>
#include <optional>

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
    const bool has_indices = demands_.derived.has_indices();
    if (has_indices) {
      positions_of_indices_.assign(demands_.derived.all().size(), none);
      built_.assign(demands_.all.size(), false);
    }
    for (const node_id id : demands_.nodes)
      for (std::uint32_t d = demands_.first_of_node[id]; d != no_demand; d = demands_.all[d].next)
        if (has_indices)
          build(d);
        else
          demands_.all[d].instruction = build_one(id, demands_.all[d]);
    bodies_.set_owners();
  }
  /// The indices that may be out of range.
  std::span<index_check> checks() { return checks_; }

 private:
  static constexpr std::uint32_t none = ~0u;

  /// Builds a demand, and before it the indices on which its position depends: they are of later nodes.
  void build(std::uint32_t demand) {
    waiting_.assign(1, demand);
    while (!waiting_.empty()) {
      const std::uint32_t next = waiting_.back();
      const std::size_t before = waiting_.size();
      if (!built_[next] && is_read_in_body(next)) built_[next] = true;
      if (!built_[next]) wait_for_needs(next);
      if (waiting_.size() != before) continue;
      waiting_.pop_back();
      if (built_[next]) continue;
      demands_.all[next].instruction = build_one(demands_.all[next].node, demands_.all[next]);
      built_[next] = true;
    }
  }
  void wait_for_needs(std::uint32_t demand) {
    const node_demands::demand& at = demands_.all[demand];
    const node& entry = graph_.nodes[at.node];
    const auto wait_for = [&](std::uint32_t needed) {
      if (needed != no_demand && !built_[needed]) waiting_.push_back(needed);
    };
    for (const axis_map& map : demands_.maps_of(at, entry.rank))
      if (demands_.derived.is_index(map)) wait_for(demands_.derived.find(map)->index);
    if (find_stored(stored_, at.node) != nullptr) return;
    if (at.unrolled != 0) {
      for (const std::uint32_t element : demands_.elements_of(at)) wait_for(element);
    } else if (has_body(entry.op)) {
      for (const std::uint32_t operand : demands_.bodies[at.body].operands) wait_for(operand);
    } else {
      const auto read = operands_read(graph_, at.node);
      const std::size_t first = first_operand_read(graph_, at.node);
      // a reduction may have a position access beside its operand
      const bool has_one = is_reduction(entry.op) || needs_chunk(entry.op);
      for (std::size_t i = first; i < first + (has_one ? 1 : read.size()); ++i)
        if (!is_left_out(entry, static_cast<unsigned>(i))) wait_for(at.inputs[i]);
    }
  }
  /// Whether a body takes elements of a demanded array: it is read there.
  bool is_read_in_body(std::uint32_t demand) const {
    const node_demands::demand& at = demands_.all[demand];
    return demands_.derived.has_index_of_body(demands_.maps_of(at, graph_.nodes[at.node].rank));
  }
  /// Whether an operand has no elements, so that nothing is wanted of it.
  bool is_left_out(const node& entry, unsigned operand) const {
    if (nest_.shape_generic) return false;
    if (is_reduction(entry.op))
      return elements_reduced(call_, static_cast<node_id>(&entry - graph_.nodes.data())) == 0;
    return entry.op == operation::concatenate && shapes_.of(entry.inputs[operand])[part_axis(entry)] == 0;
  }

  /// The position of an index: from the end where it is negative, the nearest one where it is out of range.
  std::uint32_t position_of_index(const derived_position& of) {
    std::uint32_t& made =
        positions_of_indices_[static_cast<std::size_t>(&of - demands_.derived.all().data())];
    if (made != none) return made;
    const std::uint32_t index = demands_.all[of.index].instruction;
    if (!of.checked) return made = index;
    index_check check = checked_position(nest_, index, of.extent);
    const node& gather = graph_.nodes[of.gather];
    check.along = {of.gather, gather.inputs[0], axis_in_source(gather)};
    made = check.position;
    checks_.push_back(std::move(check));
    return made;
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
    made.op = facts_of(at.op).combine;
    made.type = made.compute = facts_of(graph_.nodes[at.inputs[0]].type).compute;
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
    made.op = facts_of(at.op).combine;
    made.type = made.compute = facts_of(at.type).compute;
    made.arity = 2;
    made.arguments = {elements, append_start(at)};
    return append(made);
  }

  std::uint32_t build_one(node_id id, const node_demands::demand& demand) {
    const node& at = graph_.nodes[id];
    if (find_stored(stored_, id) != nullptr || at.op == operation::input) return read(id, demand);
    if (has_body(at.op))
      return combines_by_body(at.op) && elements_combined(id) <= 1 ? 0 : bodies_.append(at, demand);
    if (at.op == operation::component)
      return bodies_.component(demands_.all[demand.inputs[0]], at.payload, elements_combined(at.inputs[0]));
    if (is_reduction(at.op)) return append_reduction(id, demand);
    if (is_scan(at.op) && elements_combined(id) == 1) return demands_.all[demand.inputs[0]].instruction;
    if (is_constant_in_shape(at)) return demands_.all[demand.inputs[2]].instruction;
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
      case operation::gather:
        return demands_.all[demand.inputs[0]].instruction;
      case operation::concatenate:
        return append_parts(at, demand);
      case operation::coordinate:
        if (at.payload == at.rank)
          return positions_.row_major(demands_.maps_of(demand, at.rank), shapes_.of(at.inputs[0]));
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

  /// Reads an input or what is stored, and the codes beside it.
  std::uint32_t read(node_id id, const node_demands::demand& demand) {
    const node& at = graph_.nodes[id];
    const auto maps = demands_.maps_of(demand, at.rank);
    const std::uint32_t made = read(maps, at.type, memory_of(call_, stored_, id), shapes_.of(id));
    const stored_node* stored = find_stored(stored_, id);
    if (stored != nullptr && stored->codes != stored_node::no_codes)
      check_codes(id, made, read(maps, element_type::int64, memory_of_codes(call_, *stored), shapes_.of(id)));
    return made;
  }
  /// An index that an earlier stage found out of range may be any of those under the node.
  void check_codes(node_id id, std::uint32_t read, std::uint32_t code) {
    for (const node_id under : checked_gathers_under(graph_, id)) {
      const node& gather = graph_.nodes[under];
      index_check check;
      check.extent = nest_writer(nest_).constant(shapes_.of(gather.inputs[0])[part_axis(gather)]);
      check.along = {under, gather.inputs[0], axis_in_source(gather)};
      check.code = code;
      check.reads.push_back(read);
      checks_.push_back(std::move(check));
    }
  }
  std::uint32_t read(std::span<const axis_map> maps, element_type type, const memory_of_node& from,
                     std::span<const std::int64_t> extents) {
    instruction read;
    read.op = operation::input;
    read.type = read.compute = type;
    const auto strides = std::span(from.strides).first(maps.size());
    const bool has_index = demands_.derived.has_index(maps),
               has_rows = has_index && reads_rows(maps, strides);
    access made;
    made.what = access::kind::gathered;
    if (has_rows) {
      made = mapped_read(demands_.derived, maps, strides, nest_, index_reads(maps));
    } else if (has_index) {
      read.arguments[0] = positions_.offset(maps, strides);
      if (!is_gpu(call_.target) &&
          (moves_beside_indices(demands_.derived, maps, nest_.shape_generic, extents) ||
           has_unbounded_index(demands_.derived, maps, graph_)))
        read.arguments[0] = bounded_offset(read.arguments[0], strides, extents, nest_);
      read.arity = 1;
    } else {
      made = mapped_read(demands_.derived, maps, strides, nest_);
    }
    made.place = from.place;
    made.type = read.type;
    made.array = from.array;
    read.payload = add_access(nest_, made, has_index ? 0 : axes_of(maps));
    const std::uint32_t number = append(read);
    if (has_rows) check_at(maps, number);
    return number;
  }

  /// Whether neighbours along some axis of the nest lie side by side, each index is read as it is, and none
  /// moves along that axis: such reads are vectors.
  bool reads_rows(std::span<const axis_map> maps, std::span<const std::int64_t> strides) {
    if (nest_.shape_generic) return false;
    std::uint32_t side_by_side = 0, moved = 0;
    for (std::size_t axis = 0; axis < maps.size(); ++axis) {
      const axis_map& map = maps[axis];
      if (demands_.derived.is_index(map)) {
        if (!read_of_index(*demands_.derived.find(map)).has_value()) return false;
        moved |= demands_.derived.axes_of(map);
      } else if (map.axis >= 0 && map.axis < static_cast<std::int32_t>(max_rank) &&
                 std::abs(strides[axis] * map.step) == 1 &&
                 nest_.extents[static_cast<std::size_t>(map.axis)] > 1) {
        side_by_side |= 1u << map.axis;
      }
    }
    return (side_by_side & ~moved) != 0;
  }
  /// The access of an index that is read, or read and made wider.
  std::optional<std::uint32_t> read_of_index(const derived_position& of) const {
    const instruction* at = &nest_.body[demands_.all[of.index].instruction];
    if (at->op == operation::cast && is_integer(at->compute)) at = &nest_.body[at->arguments[0]];
    if (at->op != operation::input || at->arity != 0 || !is_integer(at->type)) return {};
    const auto access = static_cast<std::uint32_t>(at->payload);
    return nest_.accesses[access].term_count == 0 ? std::optional(access) : std::nullopt;
  }
  std::vector<std::uint32_t> index_reads(std::span<const axis_map> maps) const {
    std::vector<std::uint32_t> reads(demands_.derived.all().size(), none);
    for (const axis_map& map : maps)
      if (demands_.derived.is_index(map))
        reads[demands_.derived.number_of(map)] = *read_of_index(*demands_.derived.find(map));
    return reads;
  }
  /// The indices of a read, which are not among its arguments.
  void check_at(std::span<const axis_map> maps, std::uint32_t read) {
    for (const axis_map& map : maps) {
      if (!demands_.derived.is_index(map) || !demands_.derived.find(map)->checked) continue;
      const std::uint32_t position = position_of_index(*demands_.derived.find(map));
      std::ranges::find(checks_, position, &index_check::position)->reads.push_back(read);
    }
  }

  std::uint32_t position(const axis_map& map) { return positions_.position(map); }

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
  body_elements elements_{call_, stored_, demands_, nest_};
  body_instructions bodies_{graph_, demands_, elements_, nest_};
  position_writer positions_{demands_.derived, nest_,
                             [this](const derived_position& of) { return position_of_index(of); }};
  std::vector<std::uint32_t> positions_of_indices_;  ///< by derived position, or none
  std::vector<index_check> checks_;
  std::vector<bool> built_;  ///< by demand
  std::vector<std::uint32_t> waiting_;
};

void begin_nest(const call_facts& call, node_id first, nest& built) {
  built.shape_generic = call.shape_generic;
  built.accesses.clear();
  built.terms.clear();
  built.body.clear();
  built.arguments.clear();
  built.stores.clear();
  built.gathers.clear();
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

/// The targets of the stores: of an unrolled axis each position has one. `code_targets` has those of codes.
void add_writes(const call_facts& call, std::span<const stored_node> wanted, const unrolled_axis& unrolled,
                const node_demands& demands, nest& built, std::vector<std::uint32_t>& code_targets) {
  code_targets.clear();
  auto at = built.stores.begin();
  for (const stored_node& result : wanted)
    for (std::int64_t position = 0; position < unrolled.extent; ++position, ++at) {
      at->value = demands.all[at->value].instruction;
      at->target = static_cast<std::uint32_t>(built.accesses.size());
      access made = write_of(call, result, wanted.front().node, built);
      if (unrolled.extent != 1) {
        std::int64_t& stride = made.strides[unrolled.axis];
        made.offset += position * stride;
        stride = 0;
      }
      built.accesses.push_back(made);
      code_targets.push_back(index_check::none);
      if (result.codes == stored_node::no_codes) continue;
      code_targets.back() = static_cast<std::uint32_t>(built.accesses.size());
      made.array = result.codes;
      made.type = element_type::int64;
      built.accesses.push_back(made);
    }
}

}  // namespace

node_id build_nest(const call_facts& call, std::span<const stored_node> stored,
                   std::span<const stored_node> wanted, nest_scratch& scratch, nest& built) {
  unrolled_axis unrolled;
  const bool updates = is_scatter(call, stored, wanted);
  std::array<stored_node, 2> operands;
  if (updates) operands = operands_of_scatter(call, wanted.front());
  if (const node_id first = collect(call, stored, updates ? std::span<const stored_node>(operands) : wanted,
                                    unrolled, scratch.demands, built);
      first != no_node)
    return first;
  if (updates && built.reduced != 0) return scratch.demands.first_reduction();
  body_builder body(call, stored, scratch.demands, built);
  body.build();
  if (updates) {
    for (store& at : built.stores) at.value = scratch.demands.all[at.value].instruction;
    scratch.code_targets.assign(1, index_check::none);
    add_update(call, wanted.front(), built);
  } else {
    add_writes(call, wanted, unrolled, scratch.demands, built, scratch.code_targets);
  }
  split_axes_of_terms(built);
  merge_equal_reads(built, scratch.renumbered);
  report_indices(body.checks(), scratch.renumbered, scratch.code_targets, built);
  if (call.recorded.mode != arithmetic_mode::strict) fuse_multiply_add(built, scratch.uses);
  hoist_invariants(built);
  remove_unused(built, scratch.uses, scratch.renumbered);
  assign_phases(built);
  return no_node;
}

}  // namespace sinter::inline v0
