#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/parts/graph_parts.hpp>
#include <sinter/codegen/nest/build/demand_mappings.hpp>

namespace sinter::inline v0 {

unsigned demand_mappings::positions_of(node_id id) const {
  unsigned count = 0;
  for (std::uint32_t d = demands_.first_of_node[id]; d != no_demand; d = demands_.all[d].next) ++count;
  return count;
}

void demand_mappings::map_through_broadcast(const node& at, node_id id, unsigned input,
                                            std::uint32_t demand) {
  const node& source = graph_.nodes[at.inputs[input]];
  const auto wide = shapes_.of(id), narrow = shapes_.of(at.inputs[input]);
  map_.clear_to(source.rank);
  const unsigned missing = at.rank - source.rank;
  for (unsigned axis = 0; axis < source.rank; ++axis) {
    const axis_map& outer = map_of(demand, axis + missing);
    if (nest_.shape_generic)
      map_.axes[axis] = perhaps_broadcast(outer, at.inputs[input], axis, narrow[axis]);
    else if (narrow[axis] == wide[axis + missing])
      map_.axes[axis] = outer;
  }
}

/// An operand of one element has stride 0 in this call, and may have another stride in the next.
axis_map demand_mappings::perhaps_broadcast(axis_map outer, node_id operand, unsigned axis,
                                            std::int64_t extent) {
  outer.name = demands_.mapping_names.of_operand(outer.name, operand, axis);
  if (extent == 1) outer.start = outer.step = 0;
  return outer;
}

void demand_mappings::map_to_operand(std::span<const axis_map> outer, node_id operand) {
  const auto narrow = shapes_.of(operand);
  const auto rank = static_cast<unsigned>(narrow.size());
  map_.clear_to(rank);
  for (unsigned axis = 0; axis < rank; ++axis) {
    const axis_map& at = outer[axis + outer.size() - rank];
    if (nest_.shape_generic)
      map_.axes[axis] = perhaps_broadcast(at, operand, axis, narrow[axis]);
    else if (narrow[axis] != 1)
      map_.axes[axis] = at;
  }
}

void demand_mappings::map_through_view(const node& at, node_id id, std::uint32_t demand) {
  const view_range range = graph_.views[at.payload];
  const auto source = shapes_.of(at.inputs[0]);
  map_.clear_to(static_cast<unsigned>(source.size()));
  unsigned from = 0, result = 0;
  for (std::uint32_t i = range.first; i < range.first + range.count; ++i) {
    const view_item& item = graph_.view_items[i];
    const auto name = [&](std::uint32_t outer) {
      return nest_.shape_generic ? demands_.mapping_names.of_view(outer, id, i - range.first) : 0;
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
        map_.axes[from] = {-1, resolve(item, source[from], call_.scalars).start, 0, name(0)};
        ++from;
        break;
      case view_item::kind::slice: {
        const resolved_slice slice = resolve(item, source[from], call_.scalars);
        const axis_map outer = map_of(demand, result++);
        map_.axes[from++] = {outer.axis, slice.start + slice.step * outer.start, slice.step * outer.step,
                             name(outer.name)};
        break;
      }
    }
  }
  while (from < source.size()) map_.axes[from++] = map_of(demand, result++);
}

bool demand_mappings::map_to_source(node_id id, unsigned operand, std::uint32_t demand) {
  std::array<source_axis, max_rank> all;
  const node& at = graph_.nodes[id];
  const auto sources = std::span(all).first(graph_.nodes[at.inputs[operand]].rank);
  find_source_axes(graph_, id, operand, shapes_, sources);
  map_.clear_to(static_cast<unsigned>(sources.size()));
  for (unsigned axis = 0; axis < sources.size(); ++axis) {
    const std::optional<axis_map> made = map_of_source(sources[axis], id, operand * max_rank + axis, demand);
    if (!made.has_value()) return false;
    map_.axes[axis] = *made;
  }
  return true;
}

axis_map demand_mappings::map_to_index(node_id gather, std::uint32_t index) {
  const node& at = graph_.nodes[gather];
  derived_position made;
  made.index = index;
  made.checked = is_checked(at);
  made.extent = shapes_.of(at.inputs[0])[part_axis(at)];
  made.axes = demands_.axes_of(demands_.all[index], graph_.nodes[at.inputs[1]].rank);
  made.gather = gather;
  if (nest_.shape_generic)
    made.name = demands_.mapping_names.of_view(0, gather, part_axis(at));
  else  // one position, whichever gathers it is for
    for (const derived_position& known : demands_.derived.all())
      if (known.index == index && known.extent == made.extent && known.checked == made.checked)
        made.gather = known.gather;
  return demands_.derived.map_of_index(made);
}

void demand_mappings::map_to_indices_of_body(node_id source) {
  const auto extents = shapes_.of(source);
  map_.clear_to(static_cast<unsigned>(extents.size()));
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    derived_position made;
    made.body_axis = static_cast<std::int32_t>(axis);
    made.extent = extents[axis];
    if (nest_.shape_generic)
      made.name = demands_.mapping_names.of_view(0, source, static_cast<unsigned>(axis));
    map_.axes[axis] = demands_.derived.map_of_index(made);
  }
}

/// `number` tells the axes of all operands of the node apart.
std::optional<axis_map> demand_mappings::map_of_source(const source_axis& source, node_id id, unsigned number,
                                                       std::uint32_t demand) {
  const bool moves_whole = source.term_count == 1 && source.terms[0].step == 1 && source.start == 0;
  if (moves_whole && !source.rule.has_value()) return map_of(demand, source.terms[0].axis);
  const auto extents = std::span(nest_.extents).first(nest_.rank);
  derived_position made;
  made.start = source.start;
  made.rule = source.rule;
  made.extent = source.extent;
  made.divisor = source.divisor;
  constexpr unsigned behind_numbers = 4 * max_rank;
  if (nest_.shape_generic) {
    made.name = demands_.mapping_names.of_view(0, id, number);
    for (const source_axis::term& term : source.steps())
      made.name =
          demands_.mapping_names.of_view(made.name, id, behind_numbers + map_of(demand, term.axis).name);
  }
  for (const source_axis::term& term : source.steps()) {
    const axis_map& outer = map_of(demand, term.axis);
    if (const auto sum = demands_.derived.as_sum(outer)) {
      made.add(*sum, term.step);
      continue;
    }
    // the outer axis has a rule of its own
    if (source.term_count > 1) return {};
    if (source.rule.has_value())
      return demands_.derived.rule_on_rule(outer, made, extents, nest_.shape_generic);
    return axis_map{outer.axis, source.start + term.step * outer.start, term.step * outer.step, made.name};
  }
  return demands_.derived.map_of(made, extents, nest_.shape_generic);
}

}  // namespace sinter::inline v0
