#pragma once
// Elements at positions that are values: an embedding, a table, a permutation, a warp. They fuse as
// everything else does: a gather of an elementwise value is that value of what is gathered.
//
// - An index is an integer of any type. Negative ones count from the end, as in NumPy. With boundary::wrap it
//   counts modulo the axis, with boundary::clip it is the nearest position.
// - One that is out of range is an error where its element is used: index_error. Elements of the side that
//   `where` does not choose are not used, nor of b in `a && b` where a does not hold. A call on the CPU
//   throws it. On a GPU the nearest element is read, and the next call that waits for the stream throws, or
//   stream::check(). Results are unspecified then.
// - An axis without elements has none at any position: shape_error, unless nothing is asked of it.
// - In a body (repeat, repeat_while, when) an index that the body computes takes single elements of an array
//   around it: take(), gather() and x(...) with an index for each axis. What has fewer indices, or is of a
//   value of the body, throws type_error.
//
// Threads: any thread may call these, also on the same arrays; values are the thread's that records them.
// Throws: error for a value outside of its recording, type_error for a number that does not fit or an operand
// that cannot be there. Shapes and indices are checked when it is computed: shape_error, index_error (on a
// GPU thrown by what waits for the stream).
// After a failure: until kernels run, nothing has changed; a recording that the exception leaves is dropped.
// After an index_error results are unspecified, and operands as they were.

#include <sinter/dsl/parts/parts.hpp>

namespace sinter::inline v0 {

namespace boundary {
/// The nearest position: `0 0 0 1 2 2 2`.
inline constexpr detail::clip_boundary clip{};
}  // namespace boundary

namespace detail {

template <class Boundary>
constexpr index_rule rule_of() {
  constexpr bool wraps = std::is_same_v<Boundary, boundary_tag<extension::wrap>>,
                 clips = std::is_same_v<Boundary, clip_boundary>,
                 none = std::is_same_v<Boundary, checked_index>;
  static_assert(wraps || clips || none,
                "an index out of range is an error, or boundary::wrap or boundary::clip");
  return wraps ? index_rule::wrap : clips ? index_rule::clip : index_rule::checked;
}

template <class... Indices>
constexpr bool check_indices() {
  constexpr bool booleans = (is_boolean(info_of<Indices>::type.type) || ...);
  static_assert(!booleans, "a boolean array is no index: use where or compress");
  constexpr bool integers = (is_integer(info_of<Indices>::type.type) && ...);
  static_assert(booleans || integers, "an index is an integer: convert it with astype<std::int64_t>(i)");
  return integers;
}

template <class... Indices>
inline constexpr unsigned rank_of_indices = [] {
  unsigned rank = 0;
  ((rank = info_of<Indices>::rank > rank ? info_of<Indices>::rank : rank), ...);
  return rank;
}();

/// The axes of x that are set have an index each; before axis `Place` of the others stand those of the
/// indices.
template <std::uint64_t Axes, unsigned Place, index_rule Rule, class X, class... Indices>
auto taken(const location& at, X&& x, Indices&&... indices) {
  using info = info_of<X>;
  if constexpr (check_indices<Indices...>()) {
    constexpr unsigned rank = info::rank - sizeof...(Indices) + rank_of_indices<Indices...>;
    return make_part<settled_elements(info::type, rank), rank>(
        at, {.what = composed_part::take, .number = packed_take(Axes, Place, Rule)}, std::forward<X>(x),
        std::forward<Indices>(indices)...);
  }
}

}  // namespace detail

/// x at indices along an axis, whose axes take its place: `take(table, words, axis<0>)` has a row of the
/// table for each word.
template <detail::sinter_operand X, operand Indices, int Axis, class Boundary = detail::checked_index>
[[nodiscard]] auto take(X&& x, Indices&& indices, detail::axis_tag<Axis>, const Boundary& = {},
                        std::source_location at = std::source_location::current()) {
  constexpr unsigned rank = detail::info_of<X>::rank;
  if constexpr (detail::check_axis<Axis, rank>()) {
    constexpr unsigned axis = detail::axis_position(Axis, rank);
    return detail::taken<std::uint64_t{1} << axis, axis, detail::rule_of<Boundary>()>(
        at, std::forward<X>(x), std::forward<Indices>(indices));
  }
}

/// For each index the element of x at it along an axis, and where the index is along the others: what argmax
/// and argsort give, with keepdims. Other axes are broadcast together.
template <detail::sinter_operand X, operand Indices, int Axis, class Boundary = detail::checked_index>
[[nodiscard]] auto take_along_axis(X&& x, Indices&& indices, detail::axis_tag<Axis>, const Boundary& = {},
                                   std::source_location at = std::source_location::current()) {
  using info = detail::info_of<X>;
  constexpr bool same = detail::info_of<Indices>::rank == info::rank;
  static_assert(same,
                "take_along_axis takes as many axes of indices as of elements: give them some with newaxis");
  if constexpr (same && detail::check_axis<Axis, info::rank>() && detail::check_indices<Indices>()) {
    constexpr unsigned axis = detail::axis_position(Axis, info::rank);
    return detail::make_part<info::type, info::rank>(
        at,
        {.what = detail::composed_part::take_along_axis,
         .number = detail::packed_take(axis, 0, detail::rule_of<Boundary>())},
        std::forward<X>(x), std::forward<Indices>(indices));
  }
}

namespace detail {

template <index_rule Rule, class X, class... Indices>
auto gathered(X&& x, Indices&&... indices) {
  constexpr bool enough = sizeof...(Indices) <= info_of<X>::rank;
  static_assert(enough, "more indices than axes");
  if constexpr (enough)
    return taken<(std::uint64_t{1} << sizeof...(Indices)) - 1, 0, Rule>(location{}, std::forward<X>(x),
                                                                        std::forward<Indices>(indices)...);
}

template <class T>
inline constexpr bool is_boundary = false;
template <>
inline constexpr bool is_boundary<clip_boundary> = true;
template <extension Rule>
inline constexpr bool is_boundary<boundary_tag<Rule>> = true;

template <class... Arguments>
using last_of = std::remove_cvref_t<std::tuple_element_t<sizeof...(Arguments) - 1, std::tuple<Arguments...>>>;

}  // namespace detail

/// x at the indices of its first axes, which are broadcast together: `gather(image, row, column)`. The other
/// axes are kept whole. A boundary may follow: `gather(image, row, column, boundary::clip)`.
template <detail::sinter_operand X, operand... Indices>
  requires(sizeof...(Indices) >= 1)
[[nodiscard]] auto gather(X&& x, Indices&&... indices) {
  return detail::gathered<index_rule::checked>(std::forward<X>(x), std::forward<Indices>(indices)...);
}
template <detail::sinter_operand X, class... Arguments>
  requires(sizeof...(Arguments) >= 2 && detail::is_boundary<detail::last_of<Arguments...>>)
[[nodiscard]] auto gather(X&& x, Arguments&&... arguments) {
  const auto made = [&]<std::size_t... I>(std::index_sequence<I...>, auto&& all) {
    return detail::gathered<detail::rule_of<detail::last_of<Arguments...>>()>(
        std::forward<X>(x), std::get<I>(std::forward<decltype(all)>(all))...);
  };
  return made(std::make_index_sequence<sizeof...(Arguments) - 1>{},
              std::forward_as_tuple(std::forward<Arguments>(arguments)...));
}

}  // namespace sinter::inline v0
