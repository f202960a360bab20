#pragma once
// Elements in order: sorts, the largest elements, medians and quantiles.
//
// - As NumPy's functions of the same names with kind="stable", along the last axis, or along axis<A>. Equal
//   elements keep the order of their positions; NaN of either sign is larger than all numbers, and -0 equals
//   0. Complex numbers are in order of their real parts, then of their imaginary parts, and behind them those
//   that have NaN: R + nan j by R, nan + R j by R, nan + nan j. They have no largest elements, no medians and
//   no quantiles.
// - On a GPU, rows of 2 to 8,192 elements are sorted in the registers of a block, in one kernel with what is
//   computed before and after. Others are stored as keys, which are sorted in memory: by radix on a GPU, by
//   merging runs on the CPU. What follows is fused as always. Results are the same on every device.
//
// Threads: any thread may call these, also on the same arrays; values are the thread's that records them.
// Throws: error for a value outside of its recording, type_error for a number that does not fit or an operand
// that cannot be there; shapes are checked when the function is called or the expression evaluated:
// shape_error.
// After a failure: nothing has run and no operand has changed; a recording that the exception leaves is
// dropped.

#include <sinter/dsl/order/compose_order.hpp>
#include <sinter/dsl/parts/gather.hpp>
#include <sinter/dsl/parts/record_parts.hpp>
#include <sinter/dsl/scatters/compress.hpp>

#include <tuple>
#include <utility>

namespace sinter::inline v0 {

namespace detail {

/// An operand that several results use: a temporary array as a node, copies of which share it.
template <class X>
decltype(auto) shared_operand(const location& at, X&& x) {
  if constexpr (info_of<X>::kind == operand_kind::value || std::is_lvalue_reference_v<X>)
    return std::forward<X>(x);
  else
    return node_of<info_of<X>::type.type>(at, std::forward<X>(x));
}

template <class X>
constexpr bool check_ordered() {
  constexpr bool real = !is_complex(info_of<X>::type.type);
  static_assert(real, "complex numbers have no order: take real(x), imag(x) or absolute(x)");
  return real;
}

template <int Axis, class X>
auto order_of(const location& at, X&& x) {
  using info = info_of<X>;
  if constexpr (check_axis<Axis, info::rank>())
    return make_part<operand_type{element_type::int64}, info::rank>(
        at, {.what = composed_part::argsort, .number = axis_position(Axis, info::rank)}, std::forward<X>(x));
}
template <int Axis, class X>
auto in_order(const location& at, X&& x) {
  using info = info_of<X>;
  if constexpr (check_axis<Axis, info::rank>())
    return make_part<settled_elements(info::type, info::rank), info::rank>(
        at, {.what = composed_part::sort, .number = axis_position(Axis, info::rank)}, std::forward<X>(x));
}
template <int Axis, class X>
auto middle_of(const location& at, X&& x) {
  using info = info_of<X>;
  if constexpr (check_ordered<X>() && check_axis<Axis, info::rank>())
    return make_part<operand_type{type_of_median(info::type)}, info::rank - 1>(
        at, {.what = composed_part::median, .number = axis_position(Axis, info::rank)}, std::forward<X>(x));
}
template <int Axis, class X, class Q>
auto fraction_of_row(const location& at, X&& x, Q&& q) {
  using info = info_of<X>;
  constexpr bool fits = info_of<Q>::rank <= 1 && !is_complex(info_of<Q>::type.type);
  static_assert(fits, "a fraction is a number, or fractions an array of rank 1");
  if constexpr (fits && check_ordered<X>() && check_axis<Axis, info::rank>()) {
    constexpr element_type type = type_of_quantile(info::type, info_of<Q>::type);
    return make_part_meeting<operand_type{type}, info::rank - 1 + info_of<Q>::rank, type, type>(
        at, {.what = composed_part::quantile, .number = axis_position(Axis, info::rank)}, std::forward<X>(x),
        std::forward<Q>(q));
  }
}
template <composed_part What, int K, int Axis, class X>
auto top(const location& at, X&& x) {
  using info = info_of<X>;
  constexpr operand_type type = What == composed_part::top_positions
                                    ? operand_type{element_type::int64}
                                    : settled_elements(info::type, info::rank);
  return make_part<type, info::rank>(
      at, {.what = What, .number = packed_top(axis_position(Axis, info::rank), K)}, std::forward<X>(x));
}

}  // namespace detail

/// The positions along an axis by which elements are in order: `argsort(x)`, `argsort(x, axis<0>)`. int64.
template <detail::sinter_operand X, int Axis = -1>
[[nodiscard]] auto argsort(X&& x, detail::axis_tag<Axis> = {},
                           std::source_location at = std::source_location::current()) {
  return detail::order_of<Axis>(at, std::forward<X>(x));
}

/// The elements in order along an axis: `sort(x)`, `sort(x, axis<0>)`.
template <detail::sinter_operand X, int Axis = -1>
[[nodiscard]] auto sort(X&& x, detail::axis_tag<Axis> = {},
                        std::source_location at = std::source_location::current()) {
  return detail::in_order<Axis>(at, std::forward<X>(x));
}
/// Keys in order along an axis, and the values that belong to them: `auto [k, v] = sort(keys, values)`. Both
/// have one shape.
template <detail::sinter_operand Keys, detail::sinter_operand Values, int Axis = -1>
[[nodiscard]] auto sort(Keys&& keys, Values&& values, detail::axis_tag<Axis> = {},
                        std::source_location at = std::source_location::current()) {
  constexpr bool same = detail::info_of<Keys>::rank == detail::info_of<Values>::rank;
  static_assert(same, "keys and values have one shape: broadcast the smaller one with broadcast_to");
  if constexpr (same) {
    const auto& by = detail::shared_operand(at, std::forward<Keys>(keys));
    return std::tuple(detail::in_order<Axis>(at, by),
                      take_along_axis(std::forward<Values>(values), detail::order_of<Axis>(at, by),
                                      detail::axis_tag<Axis>{}, boundary::clip, at));
  }
}

/// Elements such that the one at position `kth` is where it would be in order, none before it is larger, and
/// none after it smaller. They are in order, which is one such arrangement, whatever kth is.
template <detail::sinter_operand X, int Axis = -1>
[[nodiscard]] auto partition(X&& x, std::int64_t kth, detail::axis_tag<Axis> = {},
                             std::source_location at = std::source_location::current()) {
  static_cast<void>(kth);
  return detail::in_order<Axis>(at, std::forward<X>(x));
}

/// The K largest elements along an axis, the largest first, and their positions: `auto [largest, where] =
/// top_k<3>(x)`. K is from 1 to 32. Of equal elements those at the lowest positions come first; NaN is the
/// largest. Throws shape_error for axes of fewer elements.
template <int K, detail::sinter_operand X, int Axis = -1>
[[nodiscard]] auto top_k(X&& x, detail::axis_tag<Axis> = {},
                         std::source_location at = std::source_location::current()) {
  constexpr bool few = K >= 1 && K <= max_top;
  static_assert(few, "top_k gives 1 to 32 elements: sort the array for more");
  if constexpr (few && detail::check_ordered<X>() && detail::check_axis<Axis, detail::info_of<X>::rank>()) {
    const auto& of = detail::shared_operand(at, std::forward<X>(x));
    return std::tuple(detail::top<detail::composed_part::top_elements, K, Axis>(at, of),
                      detail::top<detail::composed_part::top_positions, K, Axis>(at, of));
  }
}

/// The middle element along an axis, or the mean of the two in the middle: `median(x, axis<0>)`; of all
/// elements: `median(flatten(x))`. NaN where a row has NaN. Throws shape_error for an axis without elements.
template <detail::sinter_operand X, int Axis = -1>
[[nodiscard]] auto median(X&& x, detail::axis_tag<Axis> = {},
                          std::source_location at = std::source_location::current()) {
  return detail::middle_of<Axis>(at, std::forward<X>(x));
}

/// The element below which a fraction q of a row lies, between two elements as NumPy's method "linear":
/// `quantile(x, 0.25)`. q is a number, or an array of fractions, whose axis is the first of the result. NaN
/// where a row has NaN, and where q is not between 0 and 1.
template <detail::sinter_operand X, class Q, int Axis = -1>
[[nodiscard]] auto quantile(X&& x, Q&& q, detail::axis_tag<Axis> = {},
                            std::source_location at = std::source_location::current()) {
  return detail::fraction_of_row<Axis>(at, std::forward<X>(x), std::forward<Q>(q));
}

/// The elements of an array of rank 1 in order, each once: as compress() does, an array of exactly these
/// outside of a fused function, and inside one as many as x has, zeros behind them, and their number. All NaN
/// are equal, and -0 equals 0.
template <detail::sinter_operand X>
[[nodiscard]] auto unique(const X& x, std::source_location at = std::source_location::current()) {
  constexpr bool is_row = detail::info_of<X>::rank == 1;
  static_assert(is_row, "unique takes an array of one axis: flatten it");
  if constexpr (is_row)
    return compress(detail::in_order<-1>(at, x),
                    detail::make_part<operand_type{element_type::boolean}, 1>(
                        at, {.what = detail::composed_part::first_of_equal}, x),
                    at);
}

}  // namespace sinter::inline v0
