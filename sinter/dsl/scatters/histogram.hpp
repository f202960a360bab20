#pragma once
// Counts of elements by what they are: integers, or bins between two numbers.
//
// - Elements of any shape are counted, row-major. Bins of an axis are numbered as their count says, which is
// an
//   integer known before the call, as sizes in parts.hpp.
// - Counts are int64. With weights(w) as last argument the weights of what is counted are added, one for each
//   element: in their type, integers in 64 bits. compose_scatter.hpp has the error of floating sums, also of
//   those with weights(w, unordered).
//
// Threads: any thread may call these, also on the same arrays; values are the thread's that records them.
// Throws: error for a value outside of its recording, type_error for a number that does not fit or an operand
// that cannot be there. Shapes and indices are checked when it is computed: shape_error, index_error (on a
// GPU thrown by what waits for the stream).
// After a failure: until kernels run, nothing has changed; a recording that the exception leaves is dropped.
// After an index_error results are unspecified, and operands as they were.

#include <sinter/dsl/scatters/record_scatter.hpp>

// NumPy's functions have so many arguments.
// NOLINTBEGIN(readability-function-size)

namespace sinter::inline v0 {

namespace detail {

/// Weights as the last argument of a function that counts.
template <class Operand, bool Unordered = false>
struct weights_of {
  Operand operand;
};

}  // namespace detail

/// Weights of what bincount(), histogram() and histogram2d() count. An lvalue is referred to, as by an
/// expression.
template <detail::sinter_operand Weights>
[[nodiscard]] auto weights(Weights&& of) {
  return detail::weights_of<Weights>{std::forward<Weights>(of)};
}
/// The same, of which floating ones are added in the order that happens: `bincount(k, n, weights(w,
/// unordered))`.
template <detail::sinter_operand Weights>
[[nodiscard]] auto weights(Weights&& of, detail::unordered_tag) {
  return detail::weights_of<Weights, true>{std::forward<Weights>(of)};
}

namespace detail {

/// The type of counts, or of sums of weights.
template <class... Weights>
constexpr operand_type type_of_counts() {
  operand_type type{element_type::int64};
  ((type = apply_rule(type_rule::accumulated, settled(info_of<Weights>::type)).result), ...);
  return type;
}
/// The type of edges: that in which NumPy compares elements with them.
template <class X, class Low, class High>
constexpr element_type type_of_edges() {
  const element_type type =
      settled(promote(info_of<X>::type, promote(info_of<Low>::type, info_of<High>::type))).type;
  return is_inexact(type) ? type : element_type::float64;
}

template <class... Bounds>
constexpr bool check_bounds() {
  constexpr bool real = (!is_complex(info_of<Bounds>::type.type) && ...);
  static_assert(real, "complex numbers have no order: count real(x), imag(x) or absolute(x)");
  constexpr bool scalars = ((info_of<Bounds>::rank == 0) && ...);
  static_assert(scalars, "low and high are of rank 0: numbers, values, arrays of rank 0");
  return real && scalars;
}
template <class... Counted>
constexpr bool check_counted() {
  constexpr bool real = (!is_complex(info_of<Counted>::type.type) && ...);
  static_assert(real, "complex numbers have no order: count real(x), imag(x) or absolute(x)");
  return real;
}
template <class X, class... Weights>
constexpr bool check_weights() {
  constexpr bool fits = ((info_of<Weights>::rank <= info_of<X>::rank) && ...);
  static_assert(fits, "there is a weight for each element: weights have no more axes than these");
  return fits;
}

template <bool Unordered = false, class K, class N, class... Weights>
auto integers_counted(const location& at, K&& k, N&& n, Weights&&... of) {
  if constexpr (check_indices<K>() && check_integers<N>() && check_weights<K, Weights...>())
    return make_part<type_of_counts<Weights...>(), 1>(
        at, {.what = composed_part::bincount, .number = packed_sum(Unordered)}, std::forward<K>(k),
        std::forward<N>(n), std::forward<Weights>(of)...);
}
template <bool Unordered = false, class X, class Bins, class Low, class High, class... Weights>
auto bins_counted(const location& at, X&& x, Bins&& bins, Low&& low, High&& high, Weights&&... of) {
  if constexpr (check_counted<X>() && check_bounds<Low, High>() && check_integers<Bins>() &&
                check_weights<X, Weights...>()) {
    constexpr auto f64 = element_type::float64, i64 = element_type::int64;
    constexpr element_type edges = type_of_edges<X, Low, High>();
    return make_part_meeting<type_of_counts<Weights...>(), 1, f64, i64, f64, f64,
                             info_of<Weights>::type.type...>(
        at, {.what = composed_part::histogram, .number = packed_sum(Unordered, edges)}, std::forward<X>(x),
        std::forward<Bins>(bins), std::forward<Low>(low), std::forward<High>(high),
        std::forward<Weights>(of)...);
  }
}
template <bool Unordered = false, class X, class Y, class BinsX, class BinsY, class LowX, class HighX,
          class LowY, class HighY, class... Weights>
auto pairs_counted(const location& at, X&& x, Y&& y, BinsX&& bins_x, BinsY&& bins_y, LowX&& low_x,
                   HighX&& high_x, LowY&& low_y, HighY&& high_y, Weights&&... of) {
  if constexpr (check_counted<X, Y>() && check_bounds<LowX, HighX, LowY, HighY>() &&
                check_integers<BinsX, BinsY>() && check_weights<X, Weights...>()) {
    constexpr auto f64 = element_type::float64, i64 = element_type::int64;
    return make_part_meeting<type_of_counts<Weights...>(), 2, f64, f64, i64, i64, f64, f64, f64, f64,
                             info_of<Weights>::type.type...>(
        at, {.what = composed_part::histogram2d, .number = packed_sum(Unordered)}, std::forward<X>(x),
        std::forward<Y>(y), std::forward<BinsX>(bins_x), std::forward<BinsY>(bins_y),
        std::forward<LowX>(low_x), std::forward<HighX>(high_x), std::forward<LowY>(low_y),
        std::forward<HighY>(high_y), std::forward<Weights>(of)...);
  }
}

}  // namespace detail

/// How often each of the integers 0, 1, … n - 1 is among k, as NumPy's bincount: `bincount(k, 256)`. Others
/// are an index_error, negative ones, too.
template <detail::sinter_operand K, operand N>
[[nodiscard]] auto bincount(K&& k, N&& n, std::source_location at = std::source_location::current()) {
  return detail::integers_counted(at, std::forward<K>(k), std::forward<N>(n));
}
/// The sums of the weights of each integer: `bincount(k, 256, weights(w))`.
template <detail::sinter_operand K, operand N, class W, bool Unordered>
[[nodiscard]] auto bincount(K&& k, N&& n, detail::weights_of<W, Unordered> of,
                            std::source_location at = std::source_location::current()) {
  return detail::integers_counted<Unordered>(at, std::forward<K>(k), std::forward<N>(n),
                                             std::forward<W>(of.operand));
}

/// How many elements lie in each of `bins` bins of equal width from low to high, as NumPy's
/// histogram(x, bins, (low, high)): an edge belongs to the bin above it, high to the last one. NaN and
/// elements outside are not counted. Edges are those of NumPy's linspace, rounded to the type of x, to
/// float64 for integers. Where bins are not much wider than the rounding of elements, NumPy's quotient
/// decides.
///     fuse([](auto x) { return histogram(x, 256, 0.0f, 1.0f); })
template <detail::sinter_operand X, operand Bins, operand Low, operand High>
[[nodiscard]] auto histogram(X&& x, Bins&& bins, Low&& low, High&& high,
                             std::source_location at = std::source_location::current()) {
  return detail::bins_counted(at, std::forward<X>(x), std::forward<Bins>(bins), std::forward<Low>(low),
                              std::forward<High>(high));
}
/// The sums of the weights of the elements in each bin.
template <detail::sinter_operand X, operand Bins, operand Low, operand High, class W, bool Unordered>
[[nodiscard]] auto histogram(X&& x, Bins&& bins, Low&& low, High&& high, detail::weights_of<W, Unordered> of,
                             std::source_location at = std::source_location::current()) {
  return detail::bins_counted<Unordered>(at, std::forward<X>(x), std::forward<Bins>(bins),
                                         std::forward<Low>(low), std::forward<High>(high),
                                         std::forward<W>(of.operand));
}

/// How many points (x, y) lie in each of bins_x by bins_y bins, as NumPy's histogram2d: row i has bin i of x.
/// Edges are float64.
///     histogram2d(x, y, 100, 100, 0.0, 1.0, 0.0, 1.0)
template <detail::sinter_operand X, detail::sinter_operand Y, operand BinsX, operand BinsY, operand LowX,
          operand HighX, operand LowY, operand HighY>
[[nodiscard]] auto histogram2d(X&& x, Y&& y, BinsX&& bins_x, BinsY&& bins_y, LowX&& low_x, HighX&& high_x,
                               LowY&& low_y, HighY&& high_y,
                               std::source_location at = std::source_location::current()) {
  return detail::pairs_counted(at, std::forward<X>(x), std::forward<Y>(y), std::forward<BinsX>(bins_x),
                               std::forward<BinsY>(bins_y), std::forward<LowX>(low_x),
                               std::forward<HighX>(high_x), std::forward<LowY>(low_y),
                               std::forward<HighY>(high_y));
}
/// The sums of the weights of the points in each bin.
template <detail::sinter_operand X, detail::sinter_operand Y, operand BinsX, operand BinsY, operand LowX,
          operand HighX, operand LowY, operand HighY, class W, bool Unordered>
[[nodiscard]] auto histogram2d(X&& x, Y&& y, BinsX&& bins_x, BinsY&& bins_y, LowX&& low_x, HighX&& high_x,
                               LowY&& low_y, HighY&& high_y, detail::weights_of<W, Unordered> of,
                               std::source_location at = std::source_location::current()) {
  return detail::pairs_counted<Unordered>(
      at, std::forward<X>(x), std::forward<Y>(y), std::forward<BinsX>(bins_x), std::forward<BinsY>(bins_y),
      std::forward<LowX>(low_x), std::forward<HighX>(high_x), std::forward<LowY>(low_y),
      std::forward<HighY>(high_y), std::forward<W>(of.operand));
}

}  // namespace sinter::inline v0

// NOLINTEND(readability-function-size)
