#pragma once
// Arrays put together and taken apart: one after the other, with more elements around them, in another shape.
// They fuse as everything else does: elements are read where they are, and nothing is stored in between.
//
// - As for NumPy's functions of the same names, if nothing else is said. A value as operand gives a value;
// arrays,
//   views and expressions give an expression.
// - Sizes, counts and distances (n, k, before, after) are integers: C++ numbers, scalar arguments,
// extent<A>(x),
//   and what is computed from these. What is computed from elements of arrays throws type_error: it is not
//   known before the call. As everywhere, C++ numbers are written into kernels of stateless functions, and
//   are run-time parameters of others.
// - Axes are named while compiling, and may be counted from the back: an axis that does not exist does not
// compile.
// - Sizes that do not fit each other throw shape_error when the function is called.
// - They are recorded in the function itself, not in bodies (repeat, when, reduce): there they throw
// type_error.
//
// Threads: any thread may call these, also on the same arrays; values are the thread's that records them.
// Throws: error for a value outside of its recording, type_error for a number that does not fit or an operand
// that cannot be there; shapes are checked when the function is called or the expression evaluated:
// shape_error.
// After a failure: nothing has run and no operand has changed; a recording that the exception leaves is
// dropped.

#include <sinter/dsl/parts/record_parts.hpp>

namespace sinter::inline v0 {

// ---- arrays one after the other ----

/// Arrays of one rank one after the other along an axis, in their promoted type: `concatenate<0>(a, b, c)`.
/// Their other extents are equal.
template <int Axis, detail::sinter_operand First, detail::sinter_operand... Others>
[[nodiscard]] auto concatenate(First&& first, Others&&... others) {
  return detail::concatenated<detail::composed_part::concatenate, Axis, 0>(std::forward<First>(first),
                                                                           std::forward<Others>(others)...);
}

/// Arrays of one shape along a new axis of the result: `stack<0>(red, green, blue)`.
template <int Axis, detail::sinter_operand First, detail::sinter_operand... Others>
[[nodiscard]] auto stack(First&& first, Others&&... others) {
  return detail::concatenated<detail::composed_part::stack, Axis, 1>(std::forward<First>(first),
                                                                     std::forward<Others>(others)...);
}

// ---- axes that go on past their ends ----

/// What pad() adds before and after an axis. The examples add two elements on each side of `0 1 2`.
namespace boundary {
/// The same element: `v v 0 1 2 v v`. It has rank 0, and is converted to the type of the array.
template <operand Element>
constexpr detail::constant_boundary<std::remove_cvref_t<Element>> constant(const Element& element) {
  static_assert(detail::info_of<Element>::rank == 0, "the element around an array has rank 0");
  return {element};
}
/// The first and the last element: `0 0 0 1 2 2 2`.
inline constexpr detail::boundary_tag<extension::edge> edge{};
/// The axis mirrored at its ends, which are not repeated: `2 1 0 1 2 1 0`.
inline constexpr detail::boundary_tag<extension::reflect> reflect{};
/// The axis again: `1 2 0 1 2 0 1`.
inline constexpr detail::boundary_tag<extension::wrap> wrap{};
}  // namespace boundary

/// Adds elements before and after an axis: `pad(x, axis<0>, 1, 2, boundary::edge)`. `before` and `after` are
/// not negative. Any distance may be mirrored or repeated; an axis of no elements has none that could be.
template <detail::sinter_operand X, int Axis, operand Before, operand After, class Boundary>
[[nodiscard]] auto pad(X&& x, detail::axis_tag<Axis>, Before&& before, After&& after, const Boundary& rule,
                       std::source_location at = std::source_location::current()) {
  return detail::padded<Axis>(at, std::forward<X>(x), std::forward<Before>(before),
                              std::forward<After>(after), rule);
}

/// Moves elements n positions up along an axis; what leaves at its end enters at its begin.
template <detail::sinter_operand X, operand N, int Axis>
[[nodiscard]] auto roll(X&& x, N&& n, detail::axis_tag<Axis>,
                        std::source_location at = std::source_location::current()) {
  return detail::along_axis<detail::composed_part::roll, Axis>(at, std::forward<X>(x), std::forward<N>(n));
}

/// Each element n times along an axis: `0 0 1 1 2 2`. NumPy's repeat; sinter::repeat is a loop.
template <detail::sinter_operand X, operand N, int Axis>
[[nodiscard]] auto repeat_elements(X&& x, N&& n, detail::axis_tag<Axis>,
                                   std::source_location at = std::source_location::current()) {
  return detail::along_axis<detail::composed_part::repeat_elements, Axis>(at, std::forward<X>(x),
                                                                          std::forward<N>(n));
}

/// The array again and again, as often along each axis as its count says: `tile(x, 2, 3)`.
template <detail::sinter_operand X, operand... Counts>
[[nodiscard]] auto tile(X&& x, Counts&&... counts) {
  using info = detail::info_of<X>;
  static_assert(sizeof...(Counts) == info::rank, "tile takes a count for each axis");
  if constexpr (sizeof...(Counts) == info::rank && detail::check_integers<Counts...>())
    return detail::make_part<info::type, info::rank>(detail::location{},
                                                     {.what = detail::composed_part::tile},
                                                     std::forward<X>(x), std::forward<Counts>(counts)...);
}

// ---- parts of arrays ----

namespace detail {
template <composed_part What, class X, class K>
auto triangle(const location& at, X&& x, K&& k) {
  using info = info_of<X>;
  static_assert(info::rank >= 2, "a triangle is that of the last two axes");
  if constexpr (info::rank >= 2 && check_integers<K>())
    return make_part<settled_elements(info::type, info::rank), info::rank>(
        at, {.what = What}, std::forward<X>(x), std::forward<K>(k));
}
}  // namespace detail

/// Elements on and below diagonal k of the last two axes, 0 above it.
template <detail::sinter_operand X, operand K = int>
[[nodiscard]] auto tril(X&& x, K&& k = 0, std::source_location at = std::source_location::current()) {
  return detail::triangle<detail::composed_part::lower_triangle>(at, std::forward<X>(x), std::forward<K>(k));
}
/// Elements on and above diagonal k of the last two axes, 0 below it.
template <detail::sinter_operand X, operand K = int>
[[nodiscard]] auto triu(X&& x, K&& k = 0, std::source_location at = std::source_location::current()) {
  return detail::triangle<detail::composed_part::upper_triangle>(at, std::forward<X>(x), std::forward<K>(k));
}

/// Diagonal k of a matrix, which may have no elements; of a vector the square matrix that has it as diagonal
/// k, and 0 elsewhere.
template <detail::sinter_operand X, operand K = int>
[[nodiscard]] auto diag(X&& x, K&& k = 0, std::source_location at = std::source_location::current()) {
  using info = detail::info_of<X>;
  constexpr bool known = info::rank == 1 || info::rank == 2;
  static_assert(known, "diag takes a vector or a matrix");
  if constexpr (known && detail::check_integers<K>())
    return detail::make_part<settled_elements(info::type, 1), 3 - info::rank>(
        at, {.what = detail::composed_part::diag}, std::forward<X>(x), std::forward<K>(k));
}

/// Windows that slide along axes: `sliding_window<0, 1>(x, 3, 3)`. Along each of the axes there are as many
/// as fit, and their elements are new last axes, in the order of the axes that are named.
template <int... Axes, detail::sinter_operand X, operand... Extents>
[[nodiscard]] auto sliding_window(X&& x, Extents&&... extents) {
  using info = detail::info_of<X>;
  constexpr bool known = sizeof...(Axes) == sizeof...(Extents) && sizeof...(Axes) <= 6;
  static_assert(known, "sliding_window<A, …> takes an extent for each of its axes, which are six at most");
  if constexpr (known && (detail::check_axis<Axes, info::rank>() && ...) &&
                detail::check_integers<Extents...>()) {
    std::uint64_t axes = 0;
    unsigned position = 0;
    ((axes |= std::uint64_t{detail::axis_position(Axes, info::rank)} << 8 * position++), ...);
    return detail::make_part<info::type, info::rank + sizeof...(Axes)>(
        detail::location{}, {.what = detail::composed_part::sliding_window, .number = axes},
        std::forward<X>(x), std::forward<Extents>(extents)...);
  }
}

/// For each element the value whose condition is the first that holds: `select(c1, v1, c2, v2, otherwise)`.
/// All are broadcast together, and values promoted.
template <class Condition, class Value, class... Others>
  requires(sizeof...(Others) >= 1 && detail::any_sinter_operand<Condition, Value, Others...>)
[[nodiscard]] auto select(Condition&& condition, Value&& chosen, Others&&... others) {
  static_assert(sizeof...(Others) % 2 == 1,
                "select takes pairs of condition and value, then what else it is");
  if constexpr (sizeof...(Others) % 2 == 1)
    return detail::selected(std::forward<Condition>(condition), std::forward<Value>(chosen),
                            std::forward<Others>(others)...);
}

// ---- other shapes ----

/// The elements in row-major order in another shape: `reshape(x, 3, -1)`. One extent may be the C++ number
/// -1: it is found from the others.
template <detail::sinter_operand X, operand... Extents>
  requires(sizeof...(Extents) >= 1)
[[nodiscard]] auto reshape(X&& x, Extents&&... extents) {
  if constexpr (detail::check_integers<Extents...>()) {
    const detail::scalar_source numbers[] = {detail::number_of(extents)...};
    return detail::make_part<detail::info_of<X>::type, sizeof...(Extents)>(
        detail::location{},
        {.what = detail::composed_part::reshape, .number = detail::unknown_extent(numbers)},
        std::forward<X>(x), std::forward<Extents>(extents)...);
  }
}

/// The elements in row-major order along one axis.
template <detail::sinter_operand X>
[[nodiscard]] auto flatten(X&& x, std::source_location at = std::source_location::current()) {
  return detail::make_part<detail::info_of<X>::type, 1>(at, {.what = detail::composed_part::reshape},
                                                        std::forward<X>(x));
}

/// The array in this shape, to which it is broadcast: `broadcast_to(x, 4, extent<0>(x))`. Axes of one element
/// are repeated, and new ones stand before the others.
template <detail::sinter_operand X, operand... Extents>
[[nodiscard]] auto broadcast_to(X&& x, Extents&&... extents) {
  using info = detail::info_of<X>;
  static_assert(sizeof...(Extents) >= info::rank, "broadcast_to gives at least as many axes as there are");
  if constexpr (sizeof...(Extents) >= info::rank && detail::check_integers<Extents...>())
    return detail::make_part<info::type, sizeof...(Extents)>(
        detail::location{}, {.what = detail::composed_part::broadcast_to}, std::forward<X>(x),
        std::forward<Extents>(extents)...);
}

/// New axes of one element, named as axes of the result: `expand_dims(x, axis<0, -1>)`. For an array or view
/// the result is an expression; `x(newaxis, ellipsis, newaxis)` is a view.
template <detail::sinter_operand X, int... Axes>
[[nodiscard]] auto expand_dims(X&& x, detail::axis_tag<Axes...>,
                               std::source_location at = std::source_location::current()) {
  constexpr unsigned rank = detail::info_of<X>::rank + sizeof...(Axes);
  if constexpr (detail::check_axes<rank, Axes...>())
    return detail::rearranged<rank>(
        at, std::forward<X>(x), detail::items_with_axes<rank>(detail::axes_as_bits<rank, Axes...>()).items);
}

/// The array without these axes, which have one element: shape_error is thrown for others.
template <detail::sinter_operand X, int... Axes>
[[nodiscard]] auto squeeze(X&& x, detail::axis_tag<Axes...>,
                           std::source_location at = std::source_location::current()) {
  using info = detail::info_of<X>;
  if constexpr (detail::check_axes<info::rank, Axes...>())
    return detail::make_part<info::type, info::rank - sizeof...(Axes)>(
        at, {.what = detail::composed_part::squeeze, .number = detail::axes_as_bits<info::rank, Axes...>()},
        std::forward<X>(x));
}

/// The array with an axis at another place; the others keep their order. For an array or view the result is a
/// view.
template <int From, int To, detail::sinter_operand X>
[[nodiscard]] auto moveaxis(X&& x, std::source_location at = std::source_location::current()) {
  constexpr unsigned rank = detail::info_of<X>::rank;
  if constexpr (detail::check_axis<From, rank>() && detail::check_axis<To, rank>())
    return detail::with_moved_axis<From, To>(at, std::forward<X>(x),
                                             std::make_integer_sequence<int, static_cast<int>(rank)>());
}

// ---- numbers ----

/// The numbers 0, 1, … n - 1, int64, in a function that is being recorded.
template <operand N>
[[nodiscard]] auto iota(N&& n, std::source_location at = std::source_location::current()) {
  if constexpr (detail::check_integers<N>())
    return detail::make_part<operand_type{element_type::int64}, 1>(at, {.what = detail::composed_part::iota},
                                                                   std::forward<N>(n));
}

namespace detail {
/// A vector along one axis of as many as there are extents.
template <std::size_t Axis, class Numbers, std::size_t... Axes>
auto along_one_of(const Numbers& numbers, std::index_sequence<Axes...>) {
  const auto item = []<std::size_t Each>(std::integral_constant<std::size_t, Each>) {
    if constexpr (Each == Axis)
      return all();
    else
      return newaxis;
  };
  return numbers(item(std::integral_constant<std::size_t, Axes>())...);
}
}  // namespace detail

/// Position of each element along an axis of an array of these extents, int64, with no array to name:
/// `coordinate<1>(rows, columns)` is 0, 1, … columns - 1 in each row. Extents are integers, as for iota().
template <int Axis, operand... Extents>
  requires(sizeof...(Extents) != 0 && ((detail::info_of<Extents>::rank == 0) && ...))
[[nodiscard]] auto coordinate(Extents&&... extents) {
  constexpr unsigned rank = sizeof...(Extents);
  if constexpr (detail::check_axis<Axis, rank>() && detail::check_integers<Extents...>()) {
    constexpr unsigned axis = detail::axis_position(Axis, rank);
    const auto numbers = iota(std::get<axis>(std::tie(extents...)));
    return broadcast_to(detail::along_one_of<axis>(numbers, std::make_index_sequence<rank>()),
                        std::forward<Extents>(extents)...);
  }
}

}  // namespace sinter::inline v0
