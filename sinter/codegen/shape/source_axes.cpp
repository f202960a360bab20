#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/shape/source_axes.hpp>

#include <algorithm>

namespace sinter::inline v0 {
namespace {

source_axis along(unsigned axis, std::int64_t start = 0) {
  source_axis made;
  made.start = start;
  made.terms[0] = {axis, 1};
  made.term_count = 1;
  return made;
}

source_axis by_rule(unsigned axis, position_rule rule, std::int64_t extent, std::int64_t divisor = 1) {
  source_axis made = along(axis);
  made.rule = rule;
  // a part may have no elements; other empty axes have no positions to ask for
  made.extent = rule == position_rule::part ? extent : std::max<std::int64_t>(1, extent);
  made.divisor = std::max<std::int64_t>(1, divisor);
  return made;
}

std::int64_t modulo(std::int64_t number, std::int64_t period) {
  const std::int64_t rest = number % period;
  return rest < 0 ? rest + period : rest;
}
/// The number closest to 0 that is the same modulo a period: most positions are then inside.
std::int64_t nearest_modulo(std::int64_t number, std::int64_t period) {
  const std::int64_t rest = modulo(number, period);
  return rest > period / 2 ? rest - period : rest;
}

/// Where the axis begins is a small number, whatever was given: positions are added to it.
source_axis extended_axis(const node& at, const shape_table& shapes, std::int64_t result) {
  const unsigned axis = part_axis(at);
  const std::int64_t extent = shapes.of(at.inputs[0])[axis], length = std::max<std::int64_t>(1, extent),
                     first = shapes.integer(at.inputs[1]);
  source_axis made;
  switch (extension_of(at)) {
    case extension::broadcast:
      return extent == 1 ? source_axis{} : along(axis);
    case extension::repeat:
      return by_rule(axis, position_rule::quotient, 1, shapes.integer(at.inputs[2]));
    case extension::edge:
      made = by_rule(axis, position_rule::clip, extent);
      made.start = std::clamp(first, -result, length);
      break;
    case extension::reflect:
      made = by_rule(axis, position_rule::reflect, extent);
      made.start = nearest_modulo(first, std::max<std::int64_t>(1, 2 * (length - 1)));
      break;
    case extension::wrap:
      made = by_rule(axis, position_rule::wrap, extent);
      made.start = nearest_modulo(first, length);
      break;
  }
  return made;
}

}  // namespace

void find_source_axes(const graph& recorded, node_id id, unsigned operand, const shape_table& shapes,
                      std::span<source_axis> sources) {
  const node& at = recorded.nodes[id];
  const auto extents = shapes.of(at.inputs[operand]);
  const auto rank = static_cast<unsigned>(sources.size());
  for (unsigned axis = 0; axis < rank; ++axis) sources[axis] = along(axis);
  switch (at.op) {
    case operation::extended:
      sources[part_axis(at)] = extended_axis(at, shapes, shapes.of(id)[part_axis(at)]);
      break;
    case operation::concatenate: {
      source_axis& made = sources[part_axis(at)];
      made = by_rule(part_axis(at), position_rule::part, extents[part_axis(at)]);
      if (operand == 1) made.start = -shapes.of(at.inputs[0])[part_axis(at)];
      break;
    }
    case operation::window: {
      source_axis& made = sources[part_axis(at)];
      made.terms[1] = {rank, 1};
      made.term_count = 2;
      break;
    }
    case operation::diagonal: {
      const unsigned first = part_axis(at), second = second_axis(at);
      // an offset beyond the axes leaves no elements
      const std::int64_t offset = std::clamp(shapes.integer(at.inputs[1]), -extents[first], extents[second]);
      for (unsigned axis = 0, next = 0; axis < rank; ++axis) {
        if (axis == first)
          sources[axis] = along(rank - 2, std::max<std::int64_t>(0, -offset));
        else if (axis == second)
          sources[axis] = along(rank - 2, std::max<std::int64_t>(0, offset));
        else
          sources[axis] = along(next++);
      }
      break;
    }
    case operation::merged: {
      const unsigned outer = part_axis(at);
      sources[outer] = by_rule(outer, position_rule::quotient, 1, extents[outer + 1]);
      sources[outer + 1] = by_rule(outer, position_rule::digit, extents[outer + 1]);
      for (unsigned axis = outer + 2; axis < rank; ++axis) sources[axis] = along(axis - 1);
      break;
    }
    default: {  // split
      const unsigned outer = part_axis(at);
      if (is_whole(at)) break;
      sources[outer].terms = {{{outer, shapes.integer(at.inputs[1])}, {outer + 1, 1}}};
      sources[outer].term_count = 2;
      for (unsigned axis = outer + 1; axis < rank; ++axis) sources[axis] = along(axis + 1);
    }
  }
}

}  // namespace sinter::inline v0
