#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/describe.hpp>
#include <sinter/dsl/composed/graph_operations.hpp>
#include <sinter/dsl/stencils/compose_differences.hpp>

#include <string>
#include <vector>

namespace sinter::inline v0 {
namespace {

template <class Error>
[[noreturn]] void refuse(const char* function, const std::source_location& at, const std::string& reason) {
  throw Error(function + describe(at) + ": " + reason);
}
void check_axis(const char* function, graph_value x, unsigned axis, const std::source_location& at) {
  if (axis >= x.rank)
    refuse<shape_error>(function, at,
                        "there is no axis " + std::to_string(axis) + " of " + std::to_string(x.rank));
}

/// Neighbours along one axis.
struct along_axis : detail::graph_operations {
  unsigned axis;

  graph_value divide(graph_value a, graph_value b) const { return apply(operation::true_divide, a, b); }
  graph_value real(double number) const { return into.literal(number); }

  /// The elements without the first or without the last one.
  graph_value shortened(graph_value x, bool at_begin) const {
    std::vector<view_item> items(axis + 1);
    if (at_begin)
      items[axis].start = literal_bound(1);
    else
      items[axis].stop = literal_bound(-1);
    return into.view(x, items, at);
  }
  graph_value difference(graph_value x) const {
    const operation op = is_boolean(x.type.type) ? operation::not_equal : operation::subtract;
    return apply(op, shortened(x, true), shortened(x, false));
  }
  /// An array of rank 1 as one of the rank of x, along the axis.
  graph_value placed(graph_value x, unsigned rank) const {
    return with_axes(with_axes(x, 1, rank - axis - 1), 0, axis);
  }
};

/// Slopes of elements between their neighbours. Past an end stands the element at the end.
struct slope : along_axis {
  graph_value x, count, position;

  /// Of each element the one that is so far behind it.
  graph_value shifted(graph_value from, std::int64_t distance) const {
    return into.extended(from, axis, extension::edge, number(distance), count, at);
  }
  graph_value rise(std::int64_t from, std::int64_t to) const {
    return subtract(shifted(x, to), shifted(x, from));
  }
  graph_value is_first() const { return equal(position, number(0)); }
  graph_value is_last() const { return equal(position, subtract(count, number(1))); }
  graph_value at_ends(graph_value first, graph_value last, graph_value inside) const {
    return where(is_first(), first, where(is_last(), last, inside));
  }
  /// The sum of three elements, the first of which is so far behind, times their weights.
  graph_value weighted(std::int64_t first, graph_value a, graph_value b, graph_value c) const {
    const graph_value sum = add(multiply(a, shifted(x, first)), multiply(b, shifted(x, first + 1)));
    return add(sum, multiply(c, shifted(x, first + 2)));
  }

  graph_value uniform(graph_value step, edge_order ends) const {
    const graph_value twice = multiply(real(2), step);
    if (ends == edge_order::first)
      return divide(rise(-1, 1), where(apply(operation::logical_or, is_first(), is_last()), step, twice));
    const auto over_step = [&](double number) { return divide(real(number), step); };
    return at_ends(weighted(0, over_step(-1.5), over_step(2), over_step(-0.5)),
                   weighted(-2, over_step(0.5), over_step(-2), over_step(1.5)), divide(rise(-1, 1), twice));
  }

  /// Of coordinates, which have x's rank. NumPy's weights, for steps before and behind an element.
  graph_value between(graph_value coordinates, edge_order ends) const {
    const auto step = [&](std::int64_t from) {
      return subtract(shifted(coordinates, from + 1), shifted(coordinates, from));
    };
    const graph_value before = step(-1), behind = step(0), both_steps = add(before, behind);
    const graph_value inside = weighted(-1, divide(negative(behind), multiply(before, both_steps)),
                                        divide(subtract(behind, before), multiply(before, behind)),
                                        divide(before, multiply(behind, both_steps)));
    if (ends == edge_order::first)
      return at_ends(divide(rise(0, 1), behind), divide(rise(-1, 0), before), inside);
    const graph_value next = step(1), from_first = add(behind, next);
    const graph_value first = weighted(
        0, divide(negative(add(behind, from_first)), multiply(behind, from_first)),
        divide(from_first, multiply(behind, next)), divide(negative(behind), multiply(next, from_first)));
    const graph_value previous = step(-2), to_last = add(previous, before);
    const graph_value last = weighted(-2, divide(before, multiply(previous, to_last)),
                                      divide(negative(to_last), multiply(previous, before)),
                                      divide(add(before, to_last), multiply(before, to_last)));
    return at_ends(first, last, inside);
  }
};

}  // namespace

void detail::check_difference_order(std::int64_t order, const std::source_location& at) {
  if (order < 0 || order > max_difference_order)
    refuse<shape_error>("diff", at,
                        "differences of order " + std::to_string(order) + ": the order is from 0 to " +
                            std::to_string(max_difference_order));
}

graph_value diff(graph_builder& into, graph_value x, std::int64_t order, unsigned axis,
                 const std::source_location& at) {
  check_axis("diff", x, axis, at);
  detail::check_difference_order(order, at);
  const along_axis of{{into, at}, axis};
  for (std::int64_t i = 0; i < order; ++i) x = of.difference(x);
  return x;
}

graph_value gradient(graph_builder& into, graph_value x, graph_value spacing, unsigned axis, edge_order ends,
                     const std::source_location& at) {
  check_axis("gradient", x, axis, at);
  if (is_complex(spacing.type.type))
    refuse<type_error>("gradient", at, "a spacing is no complex number: take real(h) or absolute(h)");
  if (spacing.rank > 1)
    refuse<shape_error>("gradient", at, "a spacing is a number, or coordinates: an array of rank 1");
  const element_type type = detail::type_of_slopes(x.type);
  slope of{{{into, at}, axis}, into.cast(x, type, at), {}, into.coordinate(x, axis, at)};
  // a window of as many elements as an end takes is refused where there are fewer
  const std::int64_t taken = ends == edge_order::first ? 2 : 3;
  const graph_value windows = into.window(x, axis, of.number(taken), at);
  of.count = of.add(of.extent(windows, axis), of.number(taken - 1));
  if (spacing.rank == 0) return of.cast(of.uniform(spacing, ends), type);
  spacing = into.split(spacing, 0, of.extent(x, axis), true, at);  // there are as many of both
  if (!is_inexact(spacing.type.type)) spacing = of.cast(spacing, element_type::float64);
  return of.cast(of.between(of.placed(spacing, x.rank), ends), type);
}

graph_value trapezoid(graph_builder& into, graph_value y, graph_value spacing, unsigned axis,
                      const std::source_location& at) {
  check_axis("trapezoid", y, axis, at);
  if (spacing.rank > 1 && spacing.rank != y.rank)
    refuse<shape_error>("trapezoid", at, "coordinates have rank 1, or the rank of the elements");
  const element_type type = detail::type_of_areas(y.type, spacing.type);
  const along_axis of{{into, at}, axis};
  const graph_value elements = of.cast(y, type);
  graph_value width = spacing.rank == 0 ? spacing : of.cast(spacing, type);
  if (width.rank == 1) width = of.placed(width, y.rank);
  if (width.rank > 0) width = of.difference(width);
  const graph_value sum = of.add(of.shortened(elements, true), of.shortened(elements, false));
  const graph_value areas = of.multiply(of.multiply(width, sum), of.real(0.5));
  return into.reduce(operation::sum, of.cast(areas, type), 1u << axis, false, at);
}

}  // namespace sinter::inline v0
