#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/nest/build/nest_accesses.hpp>

#include <algorithm>
#include <vector>

namespace sinter::inline v0 {

namespace {

void add_steps(const derived_position& sum, std::int64_t times, access& to) {
  to.offset += times * sum.start;
  for (unsigned axis = 0; axis < max_rank; ++axis) to.strides[axis] += times * sum.steps[axis];
}

}  // namespace

access mapped_position(const derived_positions& derived, const axis_map& map) {
  access made;
  made.what = access::kind::position;
  made.type = element_type::int64;
  if (const derived_position* of = derived.find(map)) {
    add_steps(*of, 1, made);
    return made;
  }
  made.offset = map.start;
  if (map.axis >= 0) made.strides[static_cast<std::size_t>(map.axis)] = map.step;
  return made;
}

access mapped_read(const derived_positions& derived, std::span<const axis_map> maps,
                   std::span<const std::int64_t> strides, nest& to,
                   std::span<const std::uint32_t> index_reads) {
  access made;
  made.what = access::kind::read;
  std::vector<access_term> terms;
  for (std::size_t axis = 0; axis < maps.size(); ++axis) {
    const axis_map& map = maps[axis];
    const derived_position* of = derived.find(map);
    made.offset += strides[axis] * map.start;
    if (of == nullptr) {
      if (map.axis >= 0) made.strides[static_cast<std::size_t>(map.axis)] += strides[axis] * map.step;
      continue;
    }
    const std::int64_t step = strides[axis] * map.step;
    if (of->is_index()) {
      access_term term;
      term.rule = position_rule::index;
      term.extent = of->extent;
      term.stride = step;
      term.position = index_reads[derived.number_of(map)];
      made.strided |= of->axes;
      terms.push_back(term);
      continue;
    }
    if (!of->rule.has_value() || keeps_positions(*of->rule)) add_steps(*of, step, made);
    if (!of->rule.has_value()) continue;
    access_term term;
    term.rule = *of->rule;
    term.extent = of->extent;
    term.divisor = of->divisor;
    term.stride = step;
    term.position = add_access(to, mapped_position(derived, map), of->axes);
    // neighbours along these axes are anywhere
    made.strided |= of->axes;
    terms.push_back(term);
  }
  made.first_term = static_cast<std::uint32_t>(to.terms.size());
  made.term_count = static_cast<std::uint32_t>(terms.size());
  to.terms.insert(to.terms.end(), terms.begin(), terms.end());
  return made;
}

access counting_access(std::uint64_t reduced, std::span<const std::int64_t> extents,
                       std::span<const axis_map> maps) {
  access made;
  made.what = access::kind::position;
  made.type = element_type::int64;
  std::int64_t stride = 1;
  for (std::size_t axis = extents.size(); axis-- > 0;) {
    if ((reduced >> axis & 1) == 0) continue;
    if (maps[axis].axis >= 0) made.strides[static_cast<std::size_t>(maps[axis].axis)] = stride;
    stride *= extents[axis];
  }
  return made;
}

memory_of_node memory_of(const call_facts& call, std::span<const stored_node> stored, node_id id) {
  memory_of_node made;
  if (const stored_node* found = find_stored(stored, id)) return memory_of(call, *found);
  const auto extents = call.shapes.of(id);
  const std::uint64_t input = call.recorded.nodes[id].payload;
  made.place = access::where::argument;
  made.array = call.array_of(input);
  std::copy_n(call.inputs[input].strides, extents.size(), made.strides.begin());
  return made;
}

memory_of_node memory_of(const call_facts& call, const stored_node& stored) {
  memory_of_node made;
  made.place = stored.place;
  made.array = stored.index;
  const auto extents = call.shapes.of(stored.node);
  std::int64_t stride = 1;
  for (std::size_t axis = extents.size(); axis-- > 0; stride *= extents[axis]) made.strides[axis] = stride;
  return made;
}

memory_of_node memory_of_codes(const call_facts& call, const stored_node& stored) {
  memory_of_node made = memory_of(call, stored);
  made.array = stored.codes;
  return made;
}

access write_of(const call_facts& call, const stored_node& result, node_id over, const nest& built) {
  const node& made = call.recorded.nodes[result.node];
  access write;
  write.what = access::kind::write;
  write.place = result.place;
  write.type = made.type;
  write.array = result.index;
  const bool given = result.place == access::where::argument && !call.outputs.empty();
  write.offset = result.offset;
  const auto space = call.shapes.of(result.node);
  const auto whole = call.shapes.of(result.whole == no_node ? result.node : result.whole);
  const auto rank = static_cast<unsigned>(space.size());
  std::uint64_t contiguous = 1;  // beyond 2^63 after the last axis that has steps
  const node& loop = call.recorded.nodes[combining_owner(call.recorded, result.node)];
  unsigned to = 0;
  for (unsigned axis = 0; axis < rank; ++axis) {
    const unsigned from = rank - 1 - axis;
    // An axis of one element has no steps. If there are no free axes, a reduced axis takes its place.
    if (space[from] != 1) {
      to = built.shape_generic ? axis : call_facts::next_long_axis(call.shapes.of(over), to);
      write.strides[to++] =
          given ? call.outputs[result.index].strides[from] : static_cast<std::int64_t>(contiguous);
    }
    contiguous *= static_cast<std::uint64_t>(whole[from]);
    if (built.shape_generic && !(is_reduction(loop.op) && built.is_reduced(axis)))
      write.strided |= 1u << axis;
  }
  return write;
}

std::uint32_t add_access(nest& to, access made, std::uint32_t axes) {
  if (to.shape_generic) {
    made.strided = axes;
    to.accesses.push_back(made);
    return static_cast<std::uint32_t>(to.accesses.size() - 1);
  }
  for (std::uint32_t i = 0; i < to.accesses.size(); ++i) {
    const access& have = to.accesses[i];
    if (have.what == made.what && have.place == made.place && have.array == made.array &&
        have.offset == made.offset && have.strides == made.strides &&
        std::ranges::equal(terms_of(to, have), terms_of(to, made)))
      return i;
  }
  to.accesses.push_back(made);
  return static_cast<std::uint32_t>(to.accesses.size() - 1);
}

}  // namespace sinter::inline v0
