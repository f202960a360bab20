#include <sinter/codegen/graph/graph.hpp>
#include <sinter/dsl/parts/compose_search.hpp>

#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/describe.hpp>
#include <sinter/dsl/composed/graph_operations.hpp>

#include <array>
#include <string>
#include <vector>

namespace sinter::inline v0 {
namespace {

constexpr element_type integer = element_type::int64;

/// What searches are made of.
struct operations_of : detail::graph_operations {
  /// The elements of an array of rank 1 at positions.
  graph_value element(graph_value source, graph_value position) const {
    const unsigned rank = position.rank;
    const graph_value column =
        into.gather(with_axes(source, 0, rank), with_axes(position, rank, 1), rank, index_rule::known, 0, at);
    return without_axis(column, rank);
  }
  /// NumPy's order, in which NaN is the greatest.
  graph_value comes_before(graph_value a, graph_value b) const {
    if (!is_floating(a.type.type)) return less(a, b);
    return apply(operation::logical_or, less(a, b), both(is_nan(b), equal(a, a)));
  }
};

void check_sorted(const char* function, graph_value sorted, graph_value values,
                  const std::source_location& at) {
  const std::string called = function + describe(at) + ": ";
  if (sorted.rank != 1)
    throw shape_error(called + "the sorted array has rank " + std::to_string(sorted.rank) + ", not 1");
  if (is_complex(sorted.type.type) || is_complex(values.type.type))
    throw type_error(called + "complex numbers have no order: search real(x), imag(x) or absolute(x)");
}

/// One bit of the number of elements, from the highest one: whether so many more elements come before.
/// Inputs: the iteration, the number so far, the elements, the value, how many elements and bits there are.
graph body_of_search(arithmetic_mode mode, operand_type sorted, operand_type values, unsigned rank,
                     search_side side, const std::source_location& at) {
  graph_builder body;
  body.restart(mode);
  const operations_of of{{body, at}};
  const graph_value iteration = body.input(integer, 0), before = body.input(integer, rank),
                    elements = body.whole_input(sorted.type, 1), value = body.input(values.type, rank),
                    count = body.input(integer, 0), bits = body.input(integer, 0);
  const graph_value bit = of.subtract(of.subtract(bits, iteration), of.number(1)),
                    step = of.apply(operation::left_shift, of.number(1), bit), more = of.add(before, step);
  const graph_value last = of.subtract(of.minimum(more, count), of.number(1));
  const graph_value element =
      body.cast(body.element(elements, std::array{last}, index_rule::known, at), values.type, at);
  const bool right = side == search_side::right;
  graph_value is_before = of.comes_before(right ? value : element, right ? element : value);
  if (right) is_before = body.apply(operation::logical_not, {is_before}, at);
  const graph_value holds =
      of.apply(operation::logical_and, of.apply(operation::less_equal, more, count), is_before);
  body.output(of.where(holds, more, before));
  return body.recorded();
}

}  // namespace

graph_value searchsorted(graph_builder& into, graph_value sorted, graph_value values, search_side side,
                         const std::source_location& at) {
  check_sorted("searchsorted", sorted, values, at);
  const operations_of of{{into, at}};
  const element_type common = promote(sorted.type, values.type).type;
  const graph_value value = into.cast(values, common, at);
  const graph_value count = into.extent(sorted, 0, at);
  // a number of n bits is below 2^n, and is 2^n times a fraction from 0.5
  const graph_value bits = into.cast(
      into.apply(operation::frexp_exponent, {into.cast(count, element_type::float64, at)}, at), integer, at);
  const graph body = body_of_search(into.recorded().mode, sorted.type, value.type, values.rank, side, at);
  return into.repeat(bits, std::array{of.number(0)}, std::array{sorted, value, count, bits}, body, at)
      .front();
}

graph_value interp(graph_builder& into, graph_value x, graph_value points, graph_value values,
                   const beyond_points& beyond, const std::source_location& at) {
  check_sorted("interp", points, x, at);
  check_sorted("interp", values, x, at);
  values = into.split(values, 0, into.extent(points, 0, at), true, at);  // there are as many of both
  const element_type result = detail::interpolated(x.type, points.type, values.type);
  const operations_of of{{into, at}};
  const auto element = [&](graph_value source, graph_value position) {
    return into.cast(of.element(source, position), result, at);
  };
  const graph_value last = of.subtract(into.extent(points, 0, at), of.number(1));
  // the last point at or before x that has one behind it
  const graph_value found = of.subtract(searchsorted(into, points, x, search_side::right, at), of.number(1)),
                    i = of.maximum(of.minimum(found, of.subtract(last, of.number(1))), of.number(0)),
                    next = of.minimum(of.add(i, of.number(1)), last);
  x = into.cast(x, result, at);
  const graph_value x0 = element(points, i), x1 = element(points, next), f0 = element(values, i),
                    f1 = element(values, next);
  const graph_value slope = of.apply(operation::true_divide, of.subtract(f1, f0), of.subtract(x1, x0));
  const auto along = [&](graph_value from, graph_value value) {
    return of.add(of.apply(operation::multiply, slope, of.subtract(x, from)), value);
  };
  // as NumPy: from the other end where an infinite value makes NaN, and no slope between equal values
  graph_value made = along(x0, f0);
  const graph_value other = along(x1, f1);
  const graph_value level = of.where(of.apply(operation::equal, f0, f1), f0, other);
  made = of.where(of.is_nan(made), of.where(of.is_nan(other), level, other), made);
  made = of.where(of.apply(operation::equal, x, x0), f0, made);
  made = of.where(of.apply(operation::equal, x, x1), f1, made);
  const auto given_or = [&](const std::optional<graph_value>& given, graph_value position) {
    return given.has_value() ? into.cast(*given, result, at) : element(values, position);
  };
  const graph_value left = given_or(beyond.left, of.number(0)), right = given_or(beyond.right, last);
  made = of.where(of.apply(operation::greater, x, element(points, last)), right, made);
  made = of.where(of.apply(operation::less, x, element(points, of.number(0))), left, made);
  return of.where(of.is_nan(x), x, made);
}

}  // namespace sinter::inline v0
