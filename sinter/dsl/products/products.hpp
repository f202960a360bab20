#pragma once
// Products of vectors and matrices: NumPy's matmul, dot, vecdot and outer.
//
// - Each is a sum of products of elements that are read where they are, in one kernel: operands may be
//   computed, and what follows is computed where the sums are. Nothing is stored in between.
// - The result has the promoted type. Integers wrap; booleans are combined by `and` and `or`; float16 and
//   bfloat16 are added in float32, and rounded once.
// - Extents that do not fit are a shape_error of the call.
//
// Threads: any thread may call these, also on the same arrays; values are the thread's that records them.
// Throws: error for a value outside of its recording, type_error for a number that does not fit or an operand
// that cannot be there; shapes are checked when the function is called or the expression evaluated:
// shape_error.
// After a failure: nothing has run and no operand has changed; a recording that the exception leaves is
// dropped.

#include <sinter/dsl/parts/record_parts.hpp>

#include <algorithm>

namespace sinter::inline v0 {

namespace detail {

/// The type of a product, which has axes or has none.
template <class... Operands>
constexpr operand_type type_of_product() {
  return {settled_elements(common_type<Operands...>(), 1).type};
}

template <composed_part What, unsigned Rank, class A, class B>
auto product_of(const location& at, std::uint64_t number, A&& a, B&& b) {
  return make_part<type_of_product<A, B>(), Rank>(at, {.what = What, .number = number}, std::forward<A>(a),
                                                  std::forward<B>(b));
}

constexpr unsigned rank_of_matmul(unsigned a, unsigned b) {
  const unsigned before = std::max({a, b, 2u}) - 2;
  return before + (a > 1 ? 1 : 0) + (b > 1 ? 1 : 0);
}

}  // namespace detail

/// The matrix product, as NumPy's a @ b: rows of a times columns of b. Axes before the last two are broadcast
/// together. An operand of rank 1 is one row of a, or one column of b, and the result does not have its axis.
///     fuse([](auto x, auto w, auto b) { return maximum(matmul(x, w) + b, 0); })
/// One kernel adds a column's products from first to last, or in parts; it has no tiles in registers, so that
/// large products of large matrices are faster in a BLAS.
template <detail::sinter_operand A, detail::sinter_operand B>
[[nodiscard]] auto matmul(A&& a, B&& b, std::source_location at = std::source_location::current()) {
  constexpr unsigned rank_a = detail::info_of<A>::rank, rank_b = detail::info_of<B>::rank;
  constexpr bool has_axes = rank_a > 0 && rank_b > 0;
  static_assert(has_axes, "matmul of an array of rank 0: multiply elements by a number with a * b");
  if constexpr (has_axes)
    return detail::product_of<detail::composed_part::matmul, detail::rank_of_matmul(rank_a, rank_b)>(
        at, 0, std::forward<A>(a), std::forward<B>(b));
}

/// As NumPy's dot: of two vectors the sum of products; of matrices their product; in general the sums along
/// the last axis of a and the last but one of b, or its only one, for each of a's other axes and each of b's.
/// With an array of rank 0 it is a * b.
template <detail::sinter_operand A, detail::sinter_operand B>
[[nodiscard]] auto dot(A&& a, B&& b, std::source_location at = std::source_location::current()) {
  constexpr unsigned rank_a = detail::info_of<A>::rank, rank_b = detail::info_of<B>::rank;
  if constexpr (rank_a == 0 || rank_b == 0)
    return multiply(std::forward<A>(a), std::forward<B>(b), at);
  else
    return detail::product_of<detail::composed_part::dot, rank_a + rank_b - 2>(at, 0, std::forward<A>(a),
                                                                               std::forward<B>(b));
}

/// The sum of conj(a) times b along the last axis, as NumPy's vecdot, or along axis<A> of each; other axes
/// are broadcast together: `vecdot(x, y)`, `vecdot(x, y, axis<0>)`.
template <detail::sinter_operand A, detail::sinter_operand B, int Axis = -1>
[[nodiscard]] auto vecdot(A&& a, B&& b, detail::axis_tag<Axis> = {},
                          std::source_location at = std::source_location::current()) {
  constexpr unsigned rank_a = detail::info_of<A>::rank, rank_b = detail::info_of<B>::rank;
  if constexpr (detail::check_axis<Axis, rank_a>() && detail::check_axis<Axis, rank_b>())
    return detail::product_of<detail::composed_part::vecdot, std::max(rank_a, rank_b) - 1>(
        at, static_cast<std::uint8_t>(static_cast<std::int8_t>(Axis)), std::forward<A>(a),
        std::forward<B>(b));
}

/// The product of each element of a with each one of b, as NumPy's outer: a matrix, with a row for each
/// element of a. Arrays of several axes are taken as one axis, row-major.
template <detail::sinter_operand A, detail::sinter_operand B>
[[nodiscard]] auto outer(A&& a, B&& b, std::source_location at = std::source_location::current()) {
  return detail::product_of<detail::composed_part::outer, 2>(at, 0, std::forward<A>(a), std::forward<B>(b));
}

}  // namespace sinter::inline v0
