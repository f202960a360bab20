#pragma once
// Convolutions with a short kernel along an axis.
//
// Threads: any thread may call these, also on the same arrays; values are the thread's that records them.
// Throws: error for a value outside of its recording, type_error for a number that does not fit or an operand
// that cannot be there; shapes are checked when the function is called or the expression evaluated:
// shape_error.
// After a failure: nothing has run and no operand has changed; a recording that the exception leaves is
// dropped.

#include <sinter/dsl/parts/record_parts.hpp>
#include <sinter/dsl/stencils/compose_convolution.hpp>

namespace sinter::inline v0 {

namespace detail {

template <composed_part What, int Axis, class X, class Kernel>
auto convolved(const location& at, convolution mode, X&& x, Kernel&& kernel) {
  using info = info_of<X>;
  constexpr bool flat = info_of<Kernel>::rank == 1;
  static_assert(flat, "a kernel has one axis: flatten(kernel)");
  if constexpr (flat && check_axis<Axis, info::rank>()) {
    constexpr operand_type both = promote(info::type, info_of<Kernel>::type);
    return make_part<operand_type{settled_elements(both, 1).type}, info::rank>(
        at, {.what = What, .number = packed_convolution(axis_position(Axis, info::rank), mode)},
        std::forward<X>(x), std::forward<Kernel>(kernel));
  }
}

/// An array of several axes has no order of all elements.
template <class X>
constexpr bool check_one_axis() {
  constexpr bool one = info_of<X>::rank == 1;
  static_assert(one, "an array with several axes is convolved along one of them: name it with axis<A>");
  return one;
}

}  // namespace detail

/// The convolution of x with a kernel of one axis, as NumPy's convolve: element i is the sum of
/// kernel[j] x[i - j], where x is 0 past its ends. Of n elements and m of the kernel, the result has n + m -
/// 1 elements; with convolution::same max(n, m), those in the middle; with convolution::valid those for which
/// no 0 past an end is needed. In the promoted type; integers wrap. Along an axis of several:
/// `convolve(x, kernel, convolution::same, axis<1>)`. Each element takes m steps: a kernel is short. An axis
/// or a kernel without elements is a shape_error.
///     fuse([](auto x, auto k) { return convolve(x, k, convolution::same); })
template <detail::sinter_operand X, detail::sinter_operand Kernel>
[[nodiscard]] auto convolve(X&& x, Kernel&& kernel, convolution mode = convolution::full,
                            std::source_location at = std::source_location::current()) {
  if constexpr (detail::check_one_axis<X>())
    return detail::convolved<detail::composed_part::convolve, 0>(at, mode, std::forward<X>(x),
                                                                 std::forward<Kernel>(kernel));
}
template <detail::sinter_operand X, detail::sinter_operand Kernel, int Axis>
[[nodiscard]] auto convolve(X&& x, Kernel&& kernel, convolution mode, detail::axis_tag<Axis>,
                            std::source_location at = std::source_location::current()) {
  return detail::convolved<detail::composed_part::convolve, Axis>(at, mode, std::forward<X>(x),
                                                                  std::forward<Kernel>(kernel));
}

/// The same with the order of the kernel reversed, and of complex numbers its conjugates, as NumPy's
/// correlate: with convolution::valid, if nothing else is said.
template <detail::sinter_operand X, detail::sinter_operand Kernel>
[[nodiscard]] auto correlate(X&& x, Kernel&& kernel, convolution mode = convolution::valid,
                             std::source_location at = std::source_location::current()) {
  if constexpr (detail::check_one_axis<X>())
    return detail::convolved<detail::composed_part::correlate, 0>(at, mode, std::forward<X>(x),
                                                                  std::forward<Kernel>(kernel));
}
template <detail::sinter_operand X, detail::sinter_operand Kernel, int Axis>
[[nodiscard]] auto correlate(X&& x, Kernel&& kernel, convolution mode, detail::axis_tag<Axis>,
                             std::source_location at = std::source_location::current()) {
  return detail::convolved<detail::composed_part::correlate, Axis>(at, mode, std::forward<X>(x),
                                                                   std::forward<Kernel>(kernel));
}

}  // namespace sinter::inline v0
