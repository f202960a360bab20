#pragma once
// Writes at positions that are values: sums, minima and maxima of what goes to each element. They fuse with
// the computation of indices and updates; the result is an array of its own, whose base is not changed.
//
// - The result has the type and shape of the base, and is the same on every run, on every device and in every
//   mode: integers are combined in any order, floating sums in fixed point (compose_scatter.hpp has the
//   error). With the tag `unordered` as last argument floating sums are added in the order that happens.
// - An index is an integer of any type, and counts from the end where it is negative. One that is out of
//   range is an error as in gather.hpp: index_error, and its update is not written.
// - With one axis, indices are those of rows: updates are broadcast to the array along the other axes. With
// as
//   many axes as the array they have a position for each update, as take_along_axis. For an array of one axis
//   they may have any shape, and updates are broadcast to it.
// - Updates are converted to the array's type. Floating updates of integers do not compile.
//
// Threads: any thread may call these, also on the same arrays; values are the thread's that records them.
// Throws: error for a value outside of its recording, type_error for a number that does not fit or an operand
// that cannot be there. Shapes and indices are checked when it is computed: shape_error, index_error (on a
// GPU thrown by what waits for the stream).
// After a failure: until kernels run, nothing has changed; a recording that the exception leaves is dropped.
// After an index_error results are unspecified, and operands as they were.

#include <sinter/dsl/scatters/record_scatter.hpp>

namespace sinter::inline v0 {

/// The array with updates added at indices along an axis, the first one unless another is named:
/// `scatter_add(sums, cluster, points, axis<0>)`. Booleans: logical or.
template <detail::sinter_operand Base, operand Indices, operand Updates, int Axis = 0>
[[nodiscard]] auto scatter_add(Base&& base, Indices&& indices, Updates&& updates, detail::axis_tag<Axis> = {},
                               std::source_location at = std::source_location::current()) {
  return detail::scattered<Axis, scatter_combine::add, scatter_rule::reported>(
      at, std::forward<Base>(base), std::forward<Indices>(indices), std::forward<Updates>(updates));
}
/// The same, whose floating sums are not the same on every run: `scatter_add(sums, i, v, axis<0>,
/// unordered)`.
template <detail::sinter_operand Base, operand Indices, operand Updates, int Axis>
[[nodiscard]] auto scatter_add(Base&& base, Indices&& indices, Updates&& updates, detail::axis_tag<Axis>,
                               detail::unordered_tag,
                               std::source_location at = std::source_location::current()) {
  return detail::scattered<Axis, scatter_combine::add_unordered, scatter_rule::reported>(
      at, std::forward<Base>(base), std::forward<Indices>(indices), std::forward<Updates>(updates));
}
template <detail::sinter_operand Base, operand Indices, operand Updates>
[[nodiscard]] auto scatter_add(Base&& base, Indices&& indices, Updates&& updates, detail::unordered_tag order,
                               std::source_location at = std::source_location::current()) {
  return scatter_add(std::forward<Base>(base), std::forward<Indices>(indices), std::forward<Updates>(updates),
                     axis<0>, order, at);
}
/// The smallest of each element and its updates; NaN if one of them is. -0 is below 0.
template <detail::sinter_operand Base, operand Indices, operand Updates, int Axis = 0>
[[nodiscard]] auto scatter_min(Base&& base, Indices&& indices, Updates&& updates, detail::axis_tag<Axis> = {},
                               std::source_location at = std::source_location::current()) {
  return detail::scattered<Axis, scatter_combine::minimum, scatter_rule::reported>(
      at, std::forward<Base>(base), std::forward<Indices>(indices), std::forward<Updates>(updates));
}
/// The largest of each element and its updates.
template <detail::sinter_operand Base, operand Indices, operand Updates, int Axis = 0>
[[nodiscard]] auto scatter_max(Base&& base, Indices&& indices, Updates&& updates, detail::axis_tag<Axis> = {},
                               std::source_location at = std::source_location::current()) {
  return detail::scattered<Axis, scatter_combine::maximum, scatter_rule::reported>(
      at, std::forward<Base>(base), std::forward<Indices>(indices), std::forward<Updates>(updates));
}
/// The array with updates in place of the elements at indices. Of several updates of one element the last in
/// row-major order stays, as in NumPy's `x[i] = v`.
template <detail::sinter_operand Base, operand Indices, operand Updates, int Axis = 0>
[[nodiscard]] auto scatter(Base&& base, Indices&& indices, Updates&& updates, detail::axis_tag<Axis> = {},
                           std::source_location at = std::source_location::current()) {
  return detail::scattered<Axis, scatter_combine::last, scatter_rule::reported>(
      at, std::forward<Base>(base), std::forward<Indices>(indices), std::forward<Updates>(updates));
}

namespace detail {

template <segment_result Result, int Axis, class X, class Segments, class N>
auto segmented(const location& at, X&& x, Segments&& of, N&& n) {
  using info = info_of<X>;
  constexpr bool flat = info_of<Segments>::rank == 1;
  static_assert(flat, "there is a number of a segment for each row: an array of one dimension");
  constexpr bool real = (Result != segment_result::minimum && Result != segment_result::maximum) ||
                        !is_complex(info::type.type);
  static_assert(real, "complex numbers have no order: take real(x), imag(x) or absolute(x)");
  if constexpr (flat && real && check_axis<Axis, info::rank>() && check_integers<N>() &&
                check_indices<Segments>()) {
    constexpr element_type own = settled(info::type).type;
    constexpr element_type type =
        Result == segment_result::mean && !is_inexact(own) ? element_type::float64 : own;
    return make_part<operand_type{type}, info::rank>(
        at,
        {.what = composed_part::segment, .number = packed_segment({Result, axis_position(Axis, info::rank)})},
        std::forward<X>(x), std::forward<Segments>(of), std::forward<N>(n));
  }
}

}  // namespace detail

/// Sums of the rows of x, along its first axis or another one, that have the same number of a segment; there
/// are n segments, which are numbered from 0: `segment_sum(points, cluster, k)`. Integers keep their type. A
/// number that is not between 0 and n - 1 is an index_error.
template <detail::sinter_operand X, detail::sinter_operand Segments, operand N, int Axis = 0>
[[nodiscard]] auto segment_sum(X&& x, Segments&& of, N&& n, detail::axis_tag<Axis> = {},
                               std::source_location at = std::source_location::current()) {
  return detail::segmented<segment_result::sum, Axis>(at, std::forward<X>(x), std::forward<Segments>(of),
                                                      std::forward<N>(n));
}
/// The same, whose floating sums are not the same on every run.
template <detail::sinter_operand X, detail::sinter_operand Segments, operand N, int Axis>
[[nodiscard]] auto segment_sum(X&& x, Segments&& of, N&& n, detail::axis_tag<Axis>, detail::unordered_tag,
                               std::source_location at = std::source_location::current()) {
  return detail::segmented<segment_result::sum_unordered, Axis>(
      at, std::forward<X>(x), std::forward<Segments>(of), std::forward<N>(n));
}
template <detail::sinter_operand X, detail::sinter_operand Segments, operand N>
[[nodiscard]] auto segment_sum(X&& x, Segments&& of, N&& n, detail::unordered_tag order,
                               std::source_location at = std::source_location::current()) {
  return segment_sum(std::forward<X>(x), std::forward<Segments>(of), std::forward<N>(n), axis<0>, order, at);
}
/// Means of the rows of each segment, in float64 for integers; NaN where there is none.
template <detail::sinter_operand X, detail::sinter_operand Segments, operand N, int Axis = 0>
[[nodiscard]] auto segment_mean(X&& x, Segments&& of, N&& n, detail::axis_tag<Axis> = {},
                                std::source_location at = std::source_location::current()) {
  return detail::segmented<segment_result::mean, Axis>(at, std::forward<X>(x), std::forward<Segments>(of),
                                                       std::forward<N>(n));
}
/// The smallest elements of each segment; the largest number of the type, infinity for floating types, where
/// there is none.
template <detail::sinter_operand X, detail::sinter_operand Segments, operand N, int Axis = 0>
[[nodiscard]] auto segment_min(X&& x, Segments&& of, N&& n, detail::axis_tag<Axis> = {},
                               std::source_location at = std::source_location::current()) {
  return detail::segmented<segment_result::minimum, Axis>(at, std::forward<X>(x), std::forward<Segments>(of),
                                                          std::forward<N>(n));
}
/// The largest elements of each segment; the least number of the type where there is none.
template <detail::sinter_operand X, detail::sinter_operand Segments, operand N, int Axis = 0>
[[nodiscard]] auto segment_max(X&& x, Segments&& of, N&& n, detail::axis_tag<Axis> = {},
                               std::source_location at = std::source_location::current()) {
  return detail::segmented<segment_result::maximum, Axis>(at, std::forward<X>(x), std::forward<Segments>(of),
                                                          std::forward<N>(n));
}

}  // namespace sinter::inline v0
