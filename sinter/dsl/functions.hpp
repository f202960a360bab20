#pragma once
// Functions on operands: the table of operations (table_functions.hpp), its aliases, conversions,
// rearrangements, positions.
//
// Threads: any thread may call these, also on the same arrays; values are the thread's that records them.
// Throws: error for a value outside of its recording, type_error for a number that does not fit or an operand
// that cannot be there; shapes are checked when the function is called or the expression evaluated:
// shape_error.
// After a failure: nothing has run and no operand has changed; a recording that the exception leaves is
// dropped.

#include <sinter/dsl/table_functions.hpp>

namespace sinter::inline v0 {

// Aliases from NumPy and the C library.
#define SINTER_ALIAS_1(name, original)                                                        \
  template <detail::sinter_operand A>                                                         \
  [[nodiscard]] auto name(A&& a, std::source_location at = std::source_location::current()) { \
    return detail::apply<operation::original>(at, std::forward<A>(a));                        \
  }
#define SINTER_ALIAS_2(name, original)                                                               \
  template <class A, class B>                                                                        \
    requires detail::any_sinter_operand<A, B>                                                        \
  [[nodiscard]] auto name(A&& a, B&& b, std::source_location at = std::source_location::current()) { \
    return detail::apply<operation::original>(at, std::forward<A>(a), std::forward<B>(b));           \
  }
/// `abs(x)`: absolute.
SINTER_ALIAS_1(abs, absolute)
/// arcsin, by the C library's name.
SINTER_ALIAS_1(asin, arcsin)
/// arccos, by the C library's name.
SINTER_ALIAS_1(acos, arccos)
/// arctan, by the C library's name.
SINTER_ALIAS_1(atan, arctan)
/// arcsinh, by the C library's name.
SINTER_ALIAS_1(asinh, arcsinh)
/// arccosh, by the C library's name.
SINTER_ALIAS_1(acosh, arccosh)
/// arctanh, by the C library's name.
SINTER_ALIAS_1(atanh, arctanh)
/// arctan2, by the C library's name.
SINTER_ALIAS_2(atan2, arctan2)
/// power, by the C library's name.
SINTER_ALIAS_2(pow, power)
#undef SINTER_ALIAS_1
#undef SINTER_ALIAS_2

/// Conversion to another element type. Integers wrap to narrower integers; floating numbers saturate to
/// integers, and NaN becomes 0; to bool, everything but 0 becomes true.
template <element T, detail::sinter_operand Operand>
[[nodiscard]] auto astype(Operand&& x, std::source_location at = std::source_location::current()) {
  return detail::convert<element_type_of<T>>(at, std::forward<Operand>(x));
}

namespace detail {
template <int Axis, unsigned Rank>
constexpr bool check_axis() {
  constexpr bool exists = axis_position(Axis, Rank) < Rank;
  static_assert(exists, "there is no such axis: the operand's rank is smaller");
  return exists;
}

/// A rearrangement of elements: gives a value, a view, or an expression.
template <unsigned Rank, class Operand>
auto rearranged(const location& at, Operand&& x, const index_item (&items)[Rank + 1]) {
  using info = info_of<Operand>;
  if constexpr (info::kind == operand_kind::value) {
    return value<spelling_of<info::type.type, info::type.weak>, Rank>(
        record_view(erased(x), items, Rank, at));
  } else {
    auto node = node_of<element_type::boolean>(at, std::forward<Operand>(x));
    return typename index_node<decltype(node), Rank, Rank>::type(std::move(node), items);
  }
}

/// For an lvalue array or a view: a view, which is made at once.
template <class Operand>
concept viewable =
    kind_of_operand<Operand> == operand_kind::array &&
    (std::is_lvalue_reference_v<Operand> || !requires(std::remove_cvref_t<Operand>& x) { x.release(); });

template <class Operand>
auto view_of(Operand& x) {
  if constexpr (requires { view{detail::borrow(x)}; }) return view{detail::borrow(x)};
}
}  // namespace detail

template <class T, unsigned Rank>
view(array<T, Rank>&) -> view<T, Rank>;
template <class T, unsigned Rank>
view(const array<T, Rank>&) -> view<const T, Rank>;

/// Reorders axes: axis i of the result is axis `Axes[i]` of x. For an array or view the result is a view;
/// nothing is copied.
template <int... Axes, detail::sinter_operand Operand>
[[nodiscard]] auto permute(Operand&& x, std::source_location at = std::source_location::current()) {
  constexpr unsigned rank = detail::info_of<Operand>::rank;
  constexpr bool each_once = [] {
    std::uint64_t seen = 0;
    ((seen |= std::uint64_t{1} << detail::axis_position(Axes, rank)), ...);
    return seen == (std::uint64_t{1} << rank) - 1;
  }();
  static_assert(sizeof...(Axes) == rank && each_once, "permute<...> names every axis of its operand once");
  if constexpr (sizeof...(Axes) == rank && each_once) {
    if constexpr (detail::viewable<Operand>) {
      const auto elements = detail::view_of(x);
      return decltype(detail::view_of(x))(
          detail::checked_layout{}, elements.data(),
          shape<rank>(elements.shape()[detail::axis_position(Axes, rank)]...),
          shape<rank>(elements.strides()[detail::axis_position(Axes, rank)]...), elements.device(),
          elements.record());
    } else {
      const detail::index_item items[] = {
          {view_item::kind::permute, detail::always(detail::axis_position(Axes, rank)), {}, {}}..., {}};
      return detail::rearranged<rank>(at, std::forward<Operand>(x), items);
    }
  }
}

namespace detail {
template <class Operand, int... Axes>
auto transposed(const location& at, Operand&& x, std::integer_sequence<int, Axes...>) {
  return permute<(static_cast<int>(sizeof...(Axes)) - 1 - Axes)...>(std::forward<Operand>(x), at);
}
}  // namespace detail

/// All axes in reverse order.
template <detail::sinter_operand Operand>
[[nodiscard]] auto transpose(Operand&& x, std::source_location at = std::source_location::current()) {
  return detail::transposed(
      at, std::forward<Operand>(x),
      std::make_integer_sequence<int, static_cast<int>(detail::info_of<Operand>::rank)>());
}

/// The elements in reverse order along each of the axes.
template <int... Axes, detail::sinter_operand Operand>
[[nodiscard]] auto flip(Operand&& x, std::source_location at = std::source_location::current()) {
  constexpr unsigned rank = detail::info_of<Operand>::rank;
  if constexpr ((detail::check_axis<Axes, rank>() && ...)) {
    detail::index_item items[rank + 1]{};
    ((items[detail::axis_position(Axes, rank)].step = detail::always(-1)), ...);
    if constexpr (detail::viewable<Operand>) {
      const auto elements = detail::view_of(x);
      shape<rank> extents, strides;
      const std::int64_t offset =
          detail::index_layout({items, rank}, {elements.shape().data(), rank},
                               {elements.strides().data(), rank}, extents.data(), strides.data());
      return decltype(detail::view_of(x))(detail::checked_layout{}, elements.data() + offset, extents,
                                          strides, elements.device(), elements.record());
    } else {
      return detail::rearranged<rank>(at, std::forward<Operand>(x), items);
    }
  }
}

namespace detail {
template <operation Op, int Axis, class Operand>
auto position(const location& at, Operand&& x) {
  using info = info_of<Operand>;
  if constexpr (check_axis<Axis, info::rank>()) {
    constexpr unsigned axis = axis_position(Axis, info::rank);
    constexpr unsigned rank = Op == operation::extent ? 0 : info::rank;
    if constexpr (info::kind == operand_kind::value) {
      return value<std::int64_t, rank>(Op == operation::extent ? record_extent(erased(x), axis, at)
                                                               : record_coordinate(erased(x), axis, at));
    } else {
      auto node = node_of<element_type::int64>(at, std::forward<Operand>(x));
      return typename special_node<Op, element_type::int64, axis, decltype(node)>::type(at, std::move(node));
    }
  }
}
}  // namespace detail

/// Position of each element along an axis of x, int64, in the shape of x. (Of extents instead of an array:
/// parts/parts.hpp.)
template <int Axis, detail::sinter_operand Operand>
  requires(detail::info_of<Operand>::rank != 0)
auto coordinate(Operand&& x, std::source_location at = std::source_location::current()) {
  return detail::position<operation::coordinate, Axis>(at, std::forward<Operand>(x));
}
/// Length of an axis of x, int64, rank 0.
template <int Axis, detail::sinter_operand Operand>
[[nodiscard]] auto extent(Operand&& x, std::source_location at = std::source_location::current()) {
  return detail::position<operation::extent, Axis>(at, std::forward<Operand>(x));
}

}  // namespace sinter::inline v0
