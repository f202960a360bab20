#pragma once
// Searches in sorted arrays of one dimension: bins, tables, inverse distributions.
//
// Threads: any thread may call these, also on the same arrays; values are the thread's that records them.
// Throws: error for a value outside of its recording, type_error for a number that does not fit or an operand
// that cannot be there. Shapes and indices are checked when it is computed: shape_error, index_error (on a
// GPU thrown by what waits for the stream).
// After a failure: until kernels run, nothing has changed; a recording that the exception leaves is dropped.
// After an index_error results are unspecified, and operands as they were.

#include <sinter/dsl/parts/compose_search.hpp>
#include <sinter/dsl/parts/gather.hpp>

namespace sinter::inline v0 {

namespace detail {

template <class Sorted, class... Values>
constexpr bool check_sorted() {
  constexpr bool flat = info_of<Sorted>::rank == 1;
  static_assert(flat, "the sorted array has one dimension");
  constexpr bool complex =
      is_complex(info_of<Sorted>::type.type) || (is_complex(info_of<Values>::type.type) || ...);
  static_assert(!complex, "complex numbers have no order: search real(x), imag(x) or absolute(x)");
  return flat && !complex;
}

template <class X, class Points, class Values>
inline constexpr element_type interpolated_type =
    interpolated(info_of<X>::type, info_of<Points>::type, info_of<Values>::type);

}  // namespace detail

/// For each value the position at which it can be inserted in a sorted array so that this stays sorted, as
/// NumPy's searchsorted: int64, from 0 to the number of elements. NaN is the greatest number. In an array
/// that is not sorted the result is some position.
///
/// About log2(N) elements are read for each value. What is sorted is read where it lies, or stored first if
/// it is computed.
///     fuse([](auto edges, auto x) { return searchsorted(edges, x, search_side::right) - 1; })
template <detail::sinter_operand Sorted, operand Values>
[[nodiscard]] auto searchsorted(Sorted&& sorted, Values&& values, search_side side = search_side::left,
                                std::source_location at = std::source_location::current()) {
  if constexpr (detail::check_sorted<Sorted, Values>()) {
    constexpr unsigned rank = detail::info_of<Values>::rank;
    constexpr element_type common =
        promote(detail::info_of<Sorted>::type, detail::info_of<Values>::type).type;
    return detail::make_part_meeting<operand_type{element_type::int64}, rank, common, common>(
        at, {.what = detail::composed_part::searchsorted, .number = static_cast<std::uint64_t>(side)},
        std::forward<Sorted>(sorted), std::forward<Values>(values));
  }
}

/// The piecewise linear function through the points (xp, fp) at x, as NumPy's interp: xp ascends, and before
/// and after all points the result is `left` and `right`, by default the first and the last of fp. The type
/// is the floating type of the operands, float64 for integers. NaN gives NaN. For points of which there are
/// none: shape_error.
///     fuse([](auto x, auto xp, auto fp) { return interp(x, xp, fp); })
template <operand X, detail::sinter_operand Points, detail::sinter_operand Values>
[[nodiscard]] auto interp(X&& x, Points&& xp, Values&& fp,
                          std::source_location at = std::source_location::current()) {
  if constexpr (detail::check_sorted<Points, X>() && detail::check_sorted<Values>()) {
    constexpr element_type type = detail::interpolated_type<X, Points, Values>;
    return detail::make_part_meeting<operand_type{type}, detail::info_of<X>::rank, type, type, type>(
        at, {.what = detail::composed_part::interp}, std::forward<X>(x), std::forward<Points>(xp),
        std::forward<Values>(fp));
  }
}
template <operand X, detail::sinter_operand Points, detail::sinter_operand Values, operand Left,
          operand Right>
[[nodiscard]] auto interp(X&& x, Points&& xp, Values&& fp, Left&& left, Right&& right,
                          std::source_location at = std::source_location::current()) {
  constexpr bool scalars = detail::info_of<Left>::rank == 0 && detail::info_of<Right>::rank == 0;
  static_assert(scalars, "left and right are of rank 0: numbers, values, arrays of rank 0");
  if constexpr (scalars && detail::check_sorted<Points, X>() && detail::check_sorted<Values>()) {
    constexpr element_type type = detail::interpolated_type<X, Points, Values>;
    constexpr unsigned rank = detail::info_of<X>::rank;
    return detail::make_part_meeting<operand_type{type}, rank, type, type, type, type, type>(
        at, {.what = detail::composed_part::interp}, std::forward<X>(x), std::forward<Points>(xp),
        std::forward<Values>(fp), std::forward<Left>(left), std::forward<Right>(right));
  }
}

}  // namespace sinter::inline v0
