#pragma once
// Differences of neighbours along an axis, slopes and areas.
//
// - As NumPy's functions of the same names, along the last axis, or along axis<A>. They fuse as everything
//   else does: elements are read where they are.
// - Spacings are numbers (C++ numbers, scalar arguments, arrays of rank 0), or the coordinate of each
//   element: an array of rank 1.
//
// Threads: any thread may call these, also on the same arrays; values are the thread's that records them.
// Throws: error for a value outside of its recording, type_error for a number that does not fit or an operand
// that cannot be there; shapes are checked when the function is called or the expression evaluated:
// shape_error.
// After a failure: nothing has run and no operand has changed; a recording that the exception leaves is
// dropped.

#include <sinter/dsl/parts/record_parts.hpp>
#include <sinter/dsl/stencils/compose_differences.hpp>

namespace sinter::inline v0 {

namespace detail {

template <int Axis, class X>
auto differences(const location& at, std::int64_t order, X&& x) {
  using info = info_of<X>;
  if constexpr (check_axis<Axis, info::rank>()) {
    check_difference_order(order, at);
    return make_part<settled_elements(info::type, info::rank), info::rank>(
        at,
        {.what = composed_part::difference,
         .number = packed_difference(axis_position(Axis, info::rank), order)},
        std::forward<X>(x));
  }
}

template <class Spacing>
constexpr bool check_spacing() {
  constexpr bool real = !is_complex(info_of<Spacing>::type.type);
  static_assert(real, "a spacing is no complex number: take real(h) or absolute(h)");
  constexpr bool known = info_of<Spacing>::rank <= 1;
  static_assert(known, "a spacing is a number, or coordinates: an array of rank 1");
  return real && known;
}

template <int Axis, class X, class Spacing>
auto slopes(const location& at, edge_order ends, X&& x, Spacing&& spacing) {
  using info = info_of<X>;
  if constexpr (check_axis<Axis, info::rank>() && check_spacing<Spacing>()) {
    constexpr element_type type = type_of_slopes(info::type);
    return make_part_meeting<operand_type{type}, info::rank, type, component_of(type)>(
        at,
        {.what = composed_part::gradient,
         .number = packed_difference(axis_position(Axis, info::rank), static_cast<std::int64_t>(ends))},
        std::forward<X>(x), std::forward<Spacing>(spacing));
  }
}

template <int Axis, class Y, class Spacing>
auto areas(const location& at, Y&& y, Spacing&& spacing) {
  using info = info_of<Y>;
  constexpr bool fits = info_of<Spacing>::rank <= 1 || info_of<Spacing>::rank == info::rank;
  static_assert(fits, "a spacing is a number, or coordinates: an array of rank 1 or of the rank of y");
  if constexpr (fits && check_axis<Axis, info::rank>()) {
    constexpr element_type type = type_of_areas(info::type, info_of<Spacing>::type);
    return make_part_meeting<operand_type{type}, info::rank - 1, type, type>(
        at, {.what = composed_part::trapezoid, .number = axis_position(Axis, info::rank)}, std::forward<Y>(y),
        std::forward<Spacing>(spacing));
  }
}

}  // namespace detail

/// The differences of neighbours, x[i + 1] - x[i], `order` times: `diff(x)`, `diff(x, 2, axis<0>)`. The axis
/// has `order` elements fewer, none if it has no more than that. Unsigned integers wrap; of booleans whether
/// neighbours differ. The order is from 0 to 32: shape_error for others.
template <detail::sinter_operand X, int Axis = -1>
[[nodiscard]] auto diff(X&& x, std::int64_t order = 1, detail::axis_tag<Axis> = {},
                        std::source_location at = std::source_location::current()) {
  return detail::differences<Axis>(at, order, std::forward<X>(x));
}
template <detail::sinter_operand X, int Axis>
[[nodiscard]] auto diff(X&& x, detail::axis_tag<Axis>,
                        std::source_location at = std::source_location::current()) {
  return detail::differences<Axis>(at, 1, std::forward<X>(x));
}

/// The slope at each element: between its neighbours, and at both ends of the axis from one element to the
/// next, or with edge_order::second along the parabola through three: `gradient(x, 0.1)`,
/// `gradient(x, coordinates, axis<0>, edge_order::second)`. In the floating or complex type of x, float64 for
/// integers and booleans. An axis of less than two elements (three for edge_order::second), and coordinates
/// of which there are not as many as elements, are a shape_error.
template <detail::sinter_operand X, operand Spacing = int, int Axis = -1>
[[nodiscard]] auto gradient(X&& x, Spacing&& spacing = 1, detail::axis_tag<Axis> = {},
                            edge_order ends = edge_order::first,
                            std::source_location at = std::source_location::current()) {
  return detail::slopes<Axis>(at, ends, std::forward<X>(x), std::forward<Spacing>(spacing));
}
template <detail::sinter_operand X, int Axis>
[[nodiscard]] auto gradient(X&& x, detail::axis_tag<Axis>, edge_order ends = edge_order::first,
                            std::source_location at = std::source_location::current()) {
  return detail::slopes<Axis>(at, ends, std::forward<X>(x), 1);
}

/// The area below y by the trapezoidal rule: `trapezoid(y)`, `trapezoid(y, 0.1)`, `trapezoid(y, x, axis<0>)`
/// with the coordinates x, which may also have the shape of y. 0 for less than two elements. In the floating
/// or complex type of both, float64 for integers and booleans, which are converted before they are added.
template <detail::sinter_operand Y, operand Spacing = int, int Axis = -1>
[[nodiscard]] auto trapezoid(Y&& y, Spacing&& spacing = 1, detail::axis_tag<Axis> = {},
                             std::source_location at = std::source_location::current()) {
  return detail::areas<Axis>(at, std::forward<Y>(y), std::forward<Spacing>(spacing));
}
template <detail::sinter_operand Y, int Axis>
[[nodiscard]] auto trapezoid(Y&& y, detail::axis_tag<Axis>,
                             std::source_location at = std::source_location::current()) {
  return detail::areas<Axis>(at, std::forward<Y>(y), 1);
}

}  // namespace sinter::inline v0
