#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/describe.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/parts/graph_parts.hpp>
#include <sinter/codegen/graph/reduction_start.hpp>
#include <sinter/dsl/composed/graph_operations.hpp>
#include <sinter/dsl/scatters/compose_histogram.hpp>
#include <sinter/dsl/scatters/named_call.hpp>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>
#include <vector>

namespace sinter::inline v0 {
namespace {

constexpr auto i32 = element_type::int32, i64 = element_type::int64, f32 = element_type::float32,
               f64 = element_type::float64;

/// Throws type_error or shape_error.
template <class Error>
[[noreturn]] void refuse(const char* function, const std::source_location& at, const std::string& reason) {
  throw Error(function + describe(at) + ": " + reason);
}
/// A number of counts, bins or segments.
void check_count(const char* function, const graph_builder& into, graph_value n,
                 const std::source_location& at) {
  if (!is_integer(n.type.type)) refuse<type_error>(function, at, "the number of results is an integer");
  if (n.rank != 0)
    refuse<shape_error>(function, at,
                        "the number of results is " + describe(n.type.type, n.rank) + ": it is of rank 0");
  if (!is_host_scalar(into.recorded(), n.id))
    refuse<type_error>(
        function, at,
        "the number of results is computed from elements of arrays: it is known before the call");
}
void check_bins(const char* function, graph_value x, const bin_range& range, const std::source_location& at) {
  for (const graph_value& each : {x, range.low, range.high})
    if (is_complex(each.type.type))
      refuse<type_error>(function, at,
                         "complex numbers have no order: count real(x), imag(x) or absolute(x)");
  if (!is_integer(range.bins.type.type)) refuse<type_error>(function, at, "the number of bins is an integer");
  for (const graph_value& each : {range.bins, range.low, range.high})
    if (each.rank != 0) refuse<shape_error>(function, at, "the number of bins, low and high are of rank 0");
}

scatter_combine sum_of(const counted_weights& weights) {
  return weights.is_unordered ? scatter_combine::add_unordered : scatter_combine::add;
}

/// Counts of indices, or sums of their weights.
struct counter : detail::graph_operations {
  graph_value zeros(graph_value n, element_type type) const {
    return broadcast(with_axes(number(0, type), 0, 1), 0, cast(n, i64));
  }
  graph_value counted(graph_value n, graph_value indices, const counted_weights& weights,
                      scatter_rule rule) const {
    const std::optional<graph_value>& each = weights.each;
    const element_type type =
        each.has_value() ? apply_rule(type_rule::accumulated, each->type).result.type : i64;
    const graph_value updates = each.has_value() ? cast(*each, type) : number(1);
    return scatter(into, zeros(n, type), indices, updates, {0, sum_of(weights), rule}, at);
  }
};

/// Units in the last place of a type, of a number of magnitude 1.
constexpr double unit_of(element_type type) {
  switch (type) {
    case element_type::float16:
      return 0x1p-11;
    case element_type::bfloat16:
      return 0x1p-8;
    default:
      return type == f64 ? 0x1p-53 : 0x1p-24;
  }
}

/// The bins of one axis, of float64.
struct bins_of_axis : detail::graph_operations {
  graph_value bins, low, high;
  element_type edges;

  /// NumPy's bounds: one number as both is the middle of a range of length 1.
  void widen() {
    const graph_value is_empty = equal(low, high), half = into.literal(0.5, f64, at);
    const graph_value below = where(is_empty, subtract(low, half), low);
    high = where(is_empty, add(high, half), high);
    low = below;
  }
  graph_value divide(graph_value a, graph_value b) const { return apply(operation::true_divide, a, b); }
  /// NumPy's linspace: the product is rounded, which its key keeps from becoming a fused multiply-add.
  graph_value edge(graph_value position) const {
    const graph_value place = cast(position, f64);
    const graph_value product = multiply(place, divide(subtract(high, low), bins));
    const graph_value rounded = apply(operation::of_order_key, apply(operation::order_key, product));
    return cast(where(equal(place, bins), high, add(rounded, low)), edges);
  }
  graph_value last() const { return cast(subtract(bins, into.literal(1.0, f64, at)), i64); }
  graph_value within(graph_value bin) const {
    return into.apply(operation::clip, {bin, number(0), last()}, at);
  }
  /// 1 where a condition holds. Sums of these are less for a GPU than choices between integers.
  graph_value one_if(graph_value condition) const { return cast(condition, i64); }
  /// NumPy's number of a bin, computed in the type of the edges, which these then correct by one; -1 of what
  /// is in none.
  graph_value between_edges(graph_value x) const {
    const graph_value part = divide(subtract(x, cast(low, edges)), cast(subtract(high, low), edges));
    const graph_value near_bin = within(cast(multiply(part, cast(bins, edges)), i64));
    const graph_value bin = subtract(near_bin, one_if(less(x, edge(near_bin))));
    const graph_value is_above = apply(operation::greater_equal, x, edge(add(bin, number(1))));
    const graph_value found = add(bin, one_if(both(is_above, less(bin, last()))));
    const graph_value inside = both(apply(operation::greater_equal, x, cast(low, edges)),
                                    apply(operation::less_equal, x, cast(high, edges)));
    return apply(operation::bitwise_or, found, subtract(one_if(inside), number(1)));
  }
  /// How far from an edge rounding may put an element into a neighbouring bin. The product is off by three
  /// units in its last place and by one of low, an edge by one of its own: in bins 3 n + 2 m units, where m
  /// is the larger bound in bins.
  graph_value tolerance(graph_value scale, element_type computed) const {
    const graph_value largest = maximum(apply(operation::absolute, low), apply(operation::absolute, high));
    const graph_value bound = add(multiply(largest, apply(operation::absolute, scale)), bins);
    const graph_value some =
        multiply(bound, into.literal(4 * std::max(unit_of(edges), unit_of(computed)), f64, at));
    // bounds of the wrong order have no bin with an inside
    return where(less(scale, into.literal(0.0, f64, at)), into.literal(1.0, f64, at), some);
  }
};

/// The side that is chosen for elements inside of a bin, or for others. Inputs: x, the three numbers, the bin
/// away from edges.
graph side_of_edges(arithmetic_mode mode, element_type edges, unsigned rank, bool is_inside,
                    const std::source_location& at) {
  graph_builder body;
  body.restart(mode);
  const graph_value x = body.input(edges, rank), bins = body.input(f64, 0), low = body.input(f64, 0),
                    high = body.input(f64, 0), otherwise = body.input(i64, rank);
  const bins_of_axis axis{{body, at}, bins, low, high, edges};
  body.output(is_inside ? otherwise : axis.between_edges(x));
  return body.recorded();
}

/// The bin of each element; of those in none a number that is none of a bin.
graph_value bins_of(graph_builder& into, graph_value x, const bin_range& range, element_type edges,
                    const std::source_location& at) {
  const detail::graph_operations of{into, at};
  bins_of_axis axis{
      {into, at}, of.cast(range.bins, f64), of.cast(range.low, f64), of.cast(range.high, f64), edges};
  axis.widen();
  const bool is_short = is_floating(x.type.type) && x.type.type != f64;
  const element_type fast = is_short ? f32 : f64;
  const graph_value element = of.cast(x, edges), half = into.literal(0.5, fast, at);
  const graph_value scale = axis.divide(axis.bins, of.subtract(axis.high, axis.low));
  const graph_value place =
      of.multiply(of.subtract(of.cast(x, fast), of.cast(axis.low, fast)), of.cast(scale, fast));
  const graph_value whole = of.apply(operation::floor, place);
  // Inside of a bin, by far the most elements, the product tells the bin: also whether it is none of the
  // array. Of a short one in 32 bits, for which processors have conversions; so many bins have no inside.
  const graph_value bin = of.cast(of.cast(whole, is_short ? i32 : i64), i64);
  const graph_value from_middle = of.apply(operation::absolute, of.subtract(of.subtract(place, whole), half));
  const graph_value is_inside =
      of.less(from_middle, of.subtract(half, of.cast(axis.tolerance(scale, fast), fast)));
  const std::array captured{element, axis.bins, axis.low, axis.high, bin};
  const arithmetic_mode mode = into.recorded().mode;
  return into
      .when(is_inside, captured, side_of_edges(mode, edges, x.rank, true, at),
            side_of_edges(mode, edges, x.rank, false, at), at)
      .front();
}

/// The greatest or least number of a type, or 0: what changes no element that it is combined with.
graph_value neutral(const detail::graph_operations& of, segment_result result, element_type type) {
  const bool is_extreme = result == segment_result::minimum || result == segment_result::maximum;
  if (!is_extreme || is_boolean(type))
    return of.cast(of.into.literal(result == segment_result::minimum), type);
  const operation reduction = result == segment_result::minimum ? operation::min : operation::max;
  return of.into.literal(type, start_bits(reduction, type));
}

graph_value points_counted(graph_builder& into, graph_value x, graph_value y,
                           const std::array<bin_range, 2>& ranges, const counted_weights& weights,
                           const std::source_location& at) {
  const counter of{{into, at}};
  const graph_value row = bins_of(into, x, ranges[0], f64, at), column = bins_of(into, y, ranges[1], f64, at);
  const graph_value rows = of.cast(ranges[0].bins, i64), columns = of.cast(ranges[1].bins, i64);
  const auto is_none = [&](graph_value bin, graph_value bins) {
    const graph_value below = of.cast(of.less(bin, of.number(0)), i64);
    return of.add(below, of.cast(of.apply(operation::greater_equal, bin, bins), i64));
  };
  const graph_value outside = of.add(is_none(row, rows), is_none(column, columns));
  const graph_value both = of.add(of.multiply(row, columns), column);
  // all bits of what is in no bin are set
  const graph_value inside =
      of.apply(operation::bitwise_or, both, of.subtract(of.number(0), of.minimum(outside, of.number(1))));
  graph_value shape = of.with_axes(of.number(0), 0, 2);
  shape = of.broadcast(of.broadcast(shape, 0, rows), 1, columns);
  const graph_value flat = of.counted(of.multiply(of.extent(shape, 0), of.extent(shape, 1)), inside, weights,
                                      scatter_rule::dropped);
  // by positions: an axis without bins has no part of another one
  return into.gather(of.with_axes(flat, 0, 1), into.coordinate(shape, 2, at), 1, index_rule::known, 0, at);
}

scatter_function function_of(segment_result result) {
  switch (result) {
    case segment_result::minimum:
      return scatter_function::segment_min;
    case segment_result::maximum:
      return scatter_function::segment_max;
    case segment_result::mean:
      return scatter_function::segment_mean;
    default:
      return scatter_function::segment_sum;
  }
}

graph_value segments_combined(graph_builder& into, graph_value x, graph_value segments, graph_value n,
                              const segment_request& request, const std::source_location& at) {
  const auto [result, axis] = request;
  const counter of{{into, at}};
  segments = into.split(segments, 0, of.extent(x, axis), true, at);  // there are as many as rows
  const bool averages = result == segment_result::mean;
  if (x.type.weak) x = of.cast(x, settled(x.type).type);
  if (averages && !is_inexact(x.type.type)) x = of.cast(x, f64);
  graph_value none = of.with_axes(neutral(of, result, x.type.type), 0, x.rank);
  for (unsigned i = 0; i < x.rank; ++i)
    none = of.broadcast(none, i, i == axis ? of.cast(n, i64) : of.extent(x, i));
  const scatter_combine combine = result == segment_result::minimum         ? scatter_combine::minimum
                                  : result == segment_result::maximum       ? scatter_combine::maximum
                                  : result == segment_result::sum_unordered ? scatter_combine::add_unordered
                                                                            : scatter_combine::add;
  const graph_value made = scatter(into, none, segments, x, {axis, combine, scatter_rule::counted}, at);
  if (!averages) return made;
  const graph_value counts = of.counted(n, segments, {}, scatter_rule::counted);
  const graph_value numbers = of.cast(of.with_axes(counts, 1, x.rank - 1 - axis), x.type.type);
  return of.apply(operation::true_divide, made, numbers);
}

/// Values that a call has, of which weights may be none.
std::vector<graph_value> given_to(std::initializer_list<graph_value> arrays, const counted_weights& weights) {
  std::vector<graph_value> all(arrays);
  if (weights.each.has_value()) all.push_back(*weights.each);
  return all;
}

}  // namespace

graph_value bincount(graph_builder& into, graph_value k, graph_value n, const counted_weights& weights,
                     const std::source_location& at) {
  if (is_boolean(k.type.type) || !is_integer(k.type.type))
    refuse<type_error>("bincount", at,
                       "what is counted are integers: convert them with astype<std::int64_t>(k)");
  check_count("bincount", into, n, at);
  return detail::named_call(into, {scatter_function::bincount, 0, {}}, given_to({k}, weights), [&] {
    return counter{{into, at}}.counted(n, k, weights, scatter_rule::counted);
  });
}

graph_value histogram(graph_builder& into, graph_value x, const bin_range& range, element_type edges,
                      const counted_weights& weights, const std::source_location& at) {
  check_bins("histogram", x, range, at);
  if (!is_floating(edges)) refuse<type_error>("histogram", at, "edges are of a floating type");
  return detail::named_call(into, {scatter_function::histogram, 0, {}}, given_to({x}, weights), [&] {
    return counter{{into, at}}.counted(range.bins, bins_of(into, x, range, edges, at), weights,
                                       scatter_rule::dropped);
  });
}

// NOLINTNEXTLINE(readability-function-size): NumPy's arguments
graph_value histogram2d(graph_builder& into, graph_value x, graph_value y, const bin_range& range_x,
                        const bin_range& range_y, const counted_weights& weights,
                        const std::source_location& at) {
  check_bins("histogram2d", x, range_x, at);
  check_bins("histogram2d", y, range_y, at);
  for (const bin_range& range : {range_x, range_y}) check_count("histogram2d", into, range.bins, at);
  return detail::named_call(into, {scatter_function::histogram2d, 0, {}}, given_to({x, y}, weights),
                            [&] { return points_counted(into, x, y, {{range_x, range_y}}, weights, at); });
}

graph_value segment(graph_builder& into, graph_value x, graph_value segments, graph_value n,
                    const segment_request& request, const std::source_location& at) {
  const scatter_function function = function_of(request.result);
  const char* const name = name_of(function).data();
  if (segments.rank != 1)
    refuse<shape_error>(name, at,
                        "segments are " + describe(segments.type.type, segments.rank) +
                            ": they have one axis, with a number for each row along axis " +
                            std::to_string(request.axis) + " of " + describe(x.type.type, x.rank));
  if (request.axis >= x.rank)
    refuse<shape_error>(
        name, at,
        "there is no axis " + std::to_string(request.axis) + " of " + describe(x.type.type, x.rank));
  if (is_boolean(segments.type.type) || !is_integer(segments.type.type))
    refuse<type_error>(name, at,
                       "numbers of segments are integers: convert them with astype<std::int64_t>(s)");
  const bool orders = request.result == segment_result::minimum || request.result == segment_result::maximum;
  if (orders && is_complex(x.type.type))
    refuse<type_error>(name, at, "complex numbers have no order: take real(x), imag(x) or absolute(x)");
  check_count(name, into, n, at);
  return detail::named_call(into, {function, request.axis, {}}, std::array{x, segments},
                            [&] { return segments_combined(into, x, segments, n, request, at); });
}

graph_value nonzero(graph_builder& into, graph_value x, const std::source_location& at) {
  const counter of{{into, at}};
  const graph_value mask = of.flat(of.cast(x, element_type::boolean));
  const graph_value before = into.scan(operation::cumsum, of.cast(mask, i64), 0, at);
  const graph_value place = of.where(mask, of.subtract(before, of.number(1)), of.number(-1));
  const graph_value none = of.zeros(of.extent(mask, 0), i64);
  return scatter(into, none, place, into.coordinate(mask, 0, at),
                 {0, scatter_combine::add, scatter_rule::dropped}, at);
}

namespace {

graph_value chosen_of(graph_builder& into, graph_value x, graph_value mask, const std::source_location& at) {
  const counter of{{into, at}};
  for (unsigned axis = 0; axis < x.rank; ++axis)  // it has the shape of the array
    mask = into.split(mask, axis, of.extent(x, axis), true, at);
  const graph_value positions = nonzero(into, mask, at), elements = of.flat(x);
  const graph_value chosen = of.flat(of.cast(mask, element_type::boolean));
  const graph_value count = into.reduce(operation::sum, of.cast(chosen, i64), 1, false, at);
  const graph_value is_chosen = of.less(into.coordinate(positions, 0, at), count);
  const graph_value taken = into.gather(elements, positions, 0, index_rule::clip, 0, at);
  return of.where(is_chosen, taken, of.cast(of.into.literal(false), settled(x.type).type));
}

}  // namespace

graph_value compress(graph_builder& into, graph_value x, graph_value mask, const std::source_location& at) {
  if (x.rank != mask.rank)
    refuse<shape_error>("compress", at,
                        "the mask is " + describe(mask.type.type, mask.rank) + ", the array " +
                            describe(x.type.type, x.rank) + ": a mask has the shape of the array");
  return detail::named_call(into, {scatter_function::compress, 0, {}}, std::array{x, mask},
                            [&] { return chosen_of(into, x, mask, at); });
}

}  // namespace sinter::inline v0
