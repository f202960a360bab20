#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/describe.hpp>
#include <sinter/dsl/composed/graph_operations.hpp>
#include <sinter/dsl/order/compose_order.hpp>

#include <limits>
#include <string>
#include <vector>

namespace sinter::inline v0 {
namespace {

constexpr auto i32 = element_type::int32, i64 = element_type::int64, u32 = element_type::uint32,
               u64 = element_type::uint64, f32 = element_type::float32, f64 = element_type::float64;

void check_axis(const char* function, graph_value x, unsigned axis, const std::source_location& at) {
  if (axis >= x.rank)
    throw shape_error(function + describe(at) + ": there is no axis " + std::to_string(axis) + " of " +
                      std::to_string(x.rank));
}
void check_real(const char* function, graph_value x, unsigned axis, const std::source_location& at) {
  if (is_complex(x.type.type))
    throw type_error(function + describe(at) +
                     ": complex numbers have no order: take real(x), imag(x) or absolute(x)");
  check_axis(function, x, axis, at);
}

/// An unsigned integer that orders elements, and how many of its lowest bits differ.
struct sort_key {
  graph_value key;
  unsigned bits;
};
/// Of complex numbers two, uint32 of complex64 and uint64 of complex128: minor orders those of equal major.
struct complex_key {
  graph_value major, minor;
};

struct order_of_rows : detail::graph_operations {
  graph_value shifted_right(graph_value x, int bits) const {
    return apply(operation::right_shift, x, number(bits, x.type.type));
  }
  graph_value exclusive_or(graph_value x, std::int64_t with) const {
    return apply(operation::bitwise_xor, x, number(with, x.type.type));
  }

  /// -0 as 0, then integers of as many bits. Those of float16 and bfloat16 as float32 end in zeros.
  sort_key key_of_floating(graph_value x) const {
    const bool is_wide = x.type.type == f64;
    const element_type type = is_wide ? f64 : f32;
    const graph_value zero = into.literal(0.0, type, at), wide = cast(x, type);
    const graph_value positive = where(equal(wide, zero), zero, wide);
    const graph_value ordered = apply(operation::order_key, positive);
    if (is_wide) return {cast(exclusive_or(ordered, std::numeric_limits<std::int64_t>::min()), u64), 64};
    const graph_value key = cast(exclusive_or(ordered, std::numeric_limits<std::int32_t>::min()), u32);
    const int zeros = x.type.type == element_type::float16    ? 13
                      : x.type.type == element_type::bfloat16 ? 16
                                                              : 0;
    return {zeros == 0 ? key : shifted_right(key, zeros), static_cast<unsigned>(32 - zeros)};
  }
  sort_key key_of(graph_value x) const {
    const element_type type = x.type.type;
    if (is_boolean(type)) return {cast(x, u32), 1};
    if (is_floating(type)) return key_of_floating(x);
    const auto bits = static_cast<unsigned>(8 * size_of(type));
    if (kind_of(type) == element_kind::unsigned_integer) return {cast(x, bits == 64 ? u64 : u32), bits};
    if (bits == 64) return {cast(exclusive_or(x, std::numeric_limits<std::int64_t>::min()), u64), bits};
    if (bits == 32) return {cast(exclusive_or(x, std::numeric_limits<std::int32_t>::min()), u32), bits};
    return {cast(add(cast(x, i32), number(std::int64_t{1} << (bits - 1), i32)), u32), bits};
  }
  sort_key reversed(const sort_key& of) const {
    const std::uint64_t all = of.bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << of.bits) - 1;
    const graph_value mask = into.literal(of.key.type.type, all);
    return {apply(operation::bitwise_xor, of.key, mask), of.bits};
  }

  /// What is between the keys of infinity and of NaN, of uint32 or uint64.
  graph_value above_infinity(element_type type) const {
    constexpr std::uint64_t single = 0xff800001, whole = 0xfff0000000000001;
    return into.literal(type, type == u32 ? single : whole);
  }
  /// NumPy's order: by the real part, then by the imaginary one; behind them R + nan j by R, then nan + R j
  /// by R, then nan + nan j.
  complex_key key_of_complex(graph_value x) const {
    const graph_value real = apply(operation::real, x), imaginary = apply(operation::imag, x);
    const graph_value of_real = key_of_floating(real).key, of_imaginary = key_of_floating(imaginary).key;
    const graph_value imaginary_alone = both(is_nan(imaginary), equal(real, real));
    return {where(imaginary_alone, above_infinity(of_real.type.type), of_real),
            where(imaginary_alone, of_real, of_imaginary)};
  }
  sort_key joined(const complex_key& of) const {
    const graph_value high = apply(operation::left_shift, cast(of.major, u64), number(32, u64));
    return {apply(operation::bitwise_or, high, cast(of.minor, u64)), 64};
  }
  /// The same key for all that have NaN in a part, as NumPy's unique counts them.
  complex_key with_one_nan(const complex_key& of) const {
    const graph_value lowest = above_infinity(of.major.type.type);
    const graph_value is_number = less(of.major, lowest);
    return {where(is_number, of.major, lowest), where(is_number, of.minor, number(0, of.minor.type.type))};
  }
  /// Keys that are equal where elements are.
  std::vector<graph_value> keys_of_equal(graph_value x) const {
    if (!is_complex(x.type.type)) return {key_of(x).key};
    const complex_key by = with_one_nan(key_of_complex(x));
    return {by.major, by.minor};
  }

  graph_value permuted(graph_value x, const std::vector<unsigned>& order) const {
    std::vector<view_item> items(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      items[i].what = view_item::kind::permute;
      items[i].start = literal_bound(order[i]);
    }
    return into.view(x, items, at);
  }
  /// An axis moved to another place.
  graph_value moved(graph_value x, unsigned from, unsigned to) const {
    if (from == to) return x;
    std::vector<unsigned> order;
    for (unsigned axis = 0; axis < x.rank; ++axis)
      if (axis != from) order.push_back(axis);
    order.insert(order.begin() + to, from);
    return permuted(x, order);
  }
  /// Positions along an axis, by a key of the same shape.
  graph_value positions(const sort_key& by, unsigned axis) const {
    const unsigned last = by.key.rank - 1;
    const graph_value sorted = into.argsort(moved(by.key, axis, last), by.bits, at);
    return cast(moved(sorted, last, axis), i64);
  }
  /// Positions along an axis, by the elements. Keys of 128 bits are sorted by their lower halves, and then,
  /// which keeps the order of equal ones, by their upper halves.
  graph_value order_of(graph_value x, unsigned axis) const {
    if (!is_complex(x.type.type)) return positions(key_of(x), axis);
    const complex_key by = key_of_complex(x);
    if (by.major.type.type == u32) return positions(joined(by), axis);
    const graph_value by_minor = positions({by.minor, 64}, axis);
    return taken(by_minor, positions({taken(by.major, by_minor, axis), 64}, axis), axis);
  }
  graph_value taken(graph_value x, graph_value index, unsigned axis,
                    index_rule rule = index_rule::known) const {
    return into.gather(x, index, axis, rule, axis, at);
  }
  /// Elements along an axis at places of the order; `places` has rank 1.
  graph_value at_places(graph_value x, graph_value order, graph_value places, unsigned axis) const {
    const graph_value all = with_axes(with_axes(places, 1, x.rank - 1 - axis), 0, axis);
    return taken(x, taken(order, all, axis, index_rule::clip), axis);
  }
  graph_value as_row(graph_value number) const { return with_axes(number, 0, 1); }
  graph_value last_place(graph_value x, unsigned axis) const { return subtract(extent(x, axis), number(1)); }

  /// NaN where a row has one: then its last element in order is.
  graph_value or_nan(graph_value found, graph_value x, graph_value order, unsigned axis) const {
    if (!is_floating(x.type.type)) return found;
    const graph_value last = at_places(x, order, as_row(last_place(x, axis)), axis);
    const graph_value nan = into.literal(std::numeric_limits<double>::quiet_NaN(), found.type.type, at);
    return where(is_nan(last), nan, found);
  }
};

graph_value settled_elements(graph_builder& into, graph_value x, const std::source_location& at) {
  return x.type.weak ? into.cast(x, settled(x.type).type, at) : x;
}

}  // namespace

graph_value argsort(graph_builder& into, graph_value x, unsigned axis, const std::source_location& at) {
  check_axis("argsort", x, axis, at);
  const order_of_rows of{{into, at}};
  return of.order_of(settled_elements(into, x, at), axis);
}

graph_value sort(graph_builder& into, graph_value x, unsigned axis, const std::source_location& at) {
  check_axis("sort", x, axis, at);
  x = settled_elements(into, x, at);
  const order_of_rows of{{into, at}};
  return of.taken(x, of.order_of(x, axis), axis);
}

graph_value top_positions(graph_builder& into, graph_value x, unsigned axis, std::int64_t count,
                          const std::source_location& at) {
  check_real("top_k", x, axis, at);
  if (count < 1 || count > max_top)
    throw shape_error("top_k" + describe(at) + ": " + std::to_string(count) + " elements are not from 1 to " +
                      std::to_string(max_top) + ": sort the array for more");
  const order_of_rows of{{into, at}};
  graph_value order = of.positions(of.reversed(of.key_of(settled_elements(into, x, at))), axis);
  // no more elements are read, and a negative number of them is refused: of an axis that is too short
  const graph_value left_out = of.subtract(of.extent(order, axis), of.number(count));
  order = into.padded(order, axis, extension::edge, of.number(0), left_out, at);
  const graph_value places =
      into.coordinate(of.broadcast(of.with_axes(of.number(0), 0, 1), 0, of.number(count)), 0, at);
  const graph_value all = of.with_axes(of.with_axes(places, 1, x.rank - 1 - axis), 0, axis);
  return of.taken(order, all, axis);
}

graph_value top_elements(graph_builder& into, graph_value x, unsigned axis, std::int64_t count,
                         const std::source_location& at) {
  const order_of_rows of{{into, at}};
  return of.taken(settled_elements(into, x, at), top_positions(into, x, axis, count, at), axis);
}

graph_value median(graph_builder& into, graph_value x, unsigned axis, const std::source_location& at) {
  check_real("median", x, axis, at);
  x = settled_elements(into, x, at);
  const order_of_rows of{{into, at}};
  const graph_value order = of.positions(of.key_of(x), axis), two = of.number(2);
  const graph_value below = of.apply(operation::floor_divide, of.last_place(x, axis), two),
                    above = of.apply(operation::floor_divide, of.extent(x, axis), two);
  const element_type type = detail::type_of_median(x.type);
  const graph_value low = of.cast(of.at_places(x, order, of.as_row(below), axis), type),
                    high = of.cast(of.at_places(x, order, of.as_row(above), axis), type);
  const graph_value mean = of.multiply(of.add(low, high), into.literal(0.5, type, at));
  const graph_value middle = of.where(of.equal(below, above), low, mean);
  return of.without_axis(of.or_nan(middle, x, order, axis), axis);
}

graph_value quantile(graph_builder& into, graph_value x, graph_value q, unsigned axis,
                     const std::source_location& at) {
  check_real("quantile", x, axis, at);
  if (is_complex(q.type.type))
    throw type_error("quantile" + describe(at) + ": a fraction is no complex number");
  if (q.rank > 1)
    throw shape_error("quantile" + describe(at) +
                      ": a fraction is a number, or fractions an array of rank 1");
  x = settled_elements(into, x, at);
  const order_of_rows of{{into, at}};
  const element_type type = detail::type_of_quantile(x.type, q.type);
  // places in float64: the short types have too few digits for the number of elements
  const graph_value fraction = of.cast(q.rank == 0 ? of.as_row(q) : q, f64);
  const graph_value order = of.positions(of.key_of(x), axis);
  const graph_value last = of.last_place(x, axis);
  const graph_value place = of.multiply(fraction, of.cast(last, f64));
  const graph_value whole = of.apply(operation::floor, place);
  const graph_value below = of.cast(whole, i64), above = of.add(below, of.number(1));
  const auto elements = [&](graph_value places) {
    return of.cast(of.at_places(x, order, places, axis), type);
  };
  const auto along = [&](graph_value row) { return of.with_axes(row, 1, x.rank - 1 - axis); };
  const graph_value low = elements(below), high = elements(above);
  const graph_value part = along(of.cast(of.subtract(place, whole), type)),
                    difference = of.subtract(high, low);
  const graph_value one = into.literal(1.0, type, at), half = into.literal(0.5, type, at);
  // from the nearer element, as NumPy does
  const graph_value from_low = of.add(low, of.multiply(difference, part));
  const graph_value from_high = of.subtract(high, of.multiply(difference, of.subtract(one, part)));
  const graph_value between = of.where(of.less(part, half), from_low, from_high);
  const graph_value nan = into.literal(std::numeric_limits<double>::quiet_NaN(), type, at);
  const graph_value is_fraction =
      of.both(of.apply(operation::greater_equal, fraction, into.literal(0.0, f64, at)),
              of.apply(operation::less_equal, fraction, into.literal(1.0, f64, at)));
  const graph_value found = of.where(along(is_fraction), of.or_nan(between, x, order, axis), nan);
  return q.rank == 0 ? of.without_axis(found, axis) : of.moved(found, axis, 0);
}

graph_value first_of_equal(graph_builder& into, graph_value x, const std::source_location& at) {
  if (x.rank != 1)
    throw shape_error("unique" + describe(at) + ": the array has " + std::to_string(x.rank) +
                      " axes: flatten it");
  const order_of_rows of{{into, at}};
  x = settled_elements(into, x, at);
  const graph_value order = of.order_of(x, 0), place = into.coordinate(order, 0, at);
  const graph_value before = of.maximum(of.subtract(place, of.number(1)), of.number(0));
  const graph_value order_before = of.taken(order, before, 0);
  graph_value is_first = of.equal(place, of.number(0));
  for (const graph_value& key : of.keys_of_equal(x)) {
    const graph_value differs =
        of.apply(operation::not_equal, of.taken(key, order, 0), of.taken(key, order_before, 0));
    is_first = of.apply(operation::logical_or, is_first, differs);
  }
  return is_first;
}

}  // namespace sinter::inline v0
