#pragma once
// Reductions combine elements along axes, with NumPy 2's meaning and result types.
//
// - `sum(x)`: along all axes; the result has rank 0.
// - `sum(x, axis<1>)`, `sum(x, axis<0, -1>)`: along some axes; negative ones count from the back.
// - `sum(x, axis<1>, keepdims)`: the axes stay, with extent 1, so that the result broadcasts against x.
// - `sum<double>(x, axis<1>)`: converts elements first; the accumulator and the result have that type.
// - `sum(x, axis<1>, only_where(mask))`: only elements where a boolean mask is true; it is broadcast with x.
// - `var(x, axis<1>, ddof(1))`: divides by the number of elements - 1.
//
// Options come after the operand in any order. A value as operand gives a value; an array, a view or an
// expression gives an expression. Every function here is a row of the table of operations or a composition of
// rows, so it fuses with the operations around it. These do not compile: an axis that does not exist or is
// named twice, and an option that is given twice or that the function does not take.
//
// Over no elements sums are 0, products 1, `all` is true and means are NaN; functions that choose an element
// (max, min, argmax, …) throw shape_error. Where a mask is false everywhere, the result is the row's start
// value: 0, 1, -inf or the least integer for max, inf or the greatest for min.
//
// Scans (cumsum, cumprod, cummax, cummin) run along one axis and keep the operand's shape.
//
// Sums and products of booleans and integers are computed in 64 bits, those of float16 and bfloat16 in
// float32. Means, variances, norms and exponentials of booleans and integers are float64.
//
// Threads: any thread may call these, also on the same arrays; values are the thread's that records them.
// Throws: error for a value outside of its recording, type_error for a number that does not fit or an operand
// that cannot be there; shapes are checked when the function is called or the expression evaluated:
// shape_error.
// After a failure: nothing has run and no operand has changed; a recording that the exception leaves is
// dropped.

#include <sinter/dsl/detail/reduce.hpp>

namespace sinter::inline v0 {

/// Reduces only elements where the mask is true: a boolean value, array, view or expression of no higher
/// rank. The mask and the operand are broadcast together. Refers to an lvalue array and owns a temporary.
template <operand Mask>
constexpr detail::mask_option<Mask> only_where(Mask&& mask) {
  return {std::forward<Mask>(mask)};
}

/// For var and stddev: divides by the number of elements - n. `n` is a C++ number or a value of rank 0, and
/// like other numbers a run-time parameter except in a stateless function.
template <operand Number>
  requires((detail::kind_of_operand<Number> == detail::operand_kind::scalar ||
            detail::kind_of_operand<Number> == detail::operand_kind::value) &&
           detail::info_of<Number>::rank == 0)
constexpr detail::ddof_option<std::remove_cvref_t<Number>> ddof(const Number& number) {
  return {number};
}

// Each option has its own parameter, because nothing can follow a parameter pack.
#define SINTER_REDUCTION_FUNCTION(name, condition, accumulator, order, ...)                         \
  template <__VA_ARGS__ __VA_OPT__(, ) detail::sinter_operand X, class A = detail::no_option,       \
            class B = detail::no_option, class C = detail::no_option, class D = detail::no_option>  \
    requires(condition)                                                                             \
  [[nodiscard]] auto name(X&& x, A&& a = {}, B&& b = {}, C&& c = {}, D&& d = {},                    \
                          std::source_location at = std::source_location::current()) {              \
    return detail::reduce<detail::reduction::name, accumulator>(                                    \
        at, static_cast<double>(order), std::forward<X>(x), std::forward<A>(a), std::forward<B>(b), \
        std::forward<C>(c), std::forward<D>(d));                                                    \
  }
#define SINTER_PLAIN(name) SINTER_REDUCTION_FUNCTION(name, true, void, 0)
// Functions with a choice of accumulator type.
#define SINTER_ACCUMULATING(name) \
  SINTER_PLAIN(name)              \
  SINTER_REDUCTION_FUNCTION(name, true, Accumulator, 0, element Accumulator)

/// Sum of elements.
SINTER_ACCUMULATING(sum)
/// Product of elements.
SINTER_ACCUMULATING(prod)
/// Sum of the elements that are not NaN.
SINTER_ACCUMULATING(nansum)
/// Product of the elements that are not NaN.
SINTER_ACCUMULATING(nanprod)

/// Largest element, NaN if one is; has the operand's type. (For two operands: maximum.)
SINTER_REDUCTION_FUNCTION(max, !operand<A>, void, 0)
/// Smallest element, NaN if one is; has the operand's type. (For two operands: minimum.)
SINTER_REDUCTION_FUNCTION(min, !operand<A>, void, 0)
/// Largest element that is not NaN; NaN if all are.
SINTER_PLAIN(nanmax)
/// Smallest element that is not NaN; NaN if all are.
SINTER_PLAIN(nanmin)

/// Whether all elements are not 0: bool. (Without an operand, the index of a whole axis.)
SINTER_PLAIN(all)
/// Whether any element is not 0: bool.
SINTER_PLAIN(any)
/// How many elements are not 0: int64.
SINTER_PLAIN(count_nonzero)

/// Position of the largest element, int64: of the first NaN if there is one, else of the first largest
/// element. Over several axes it is a row-major index. Takes no only_where.
SINTER_PLAIN(argmax)
/// Position of the smallest element, as argmax.
SINTER_PLAIN(argmin)
/// Position of the largest element that is not NaN; -1 where all are (NumPy raises an exception there). As in
/// NumPy, NaN counts as -inf, so where nothing is larger the first NaN or -inf is found.
SINTER_PLAIN(nanargmax)
/// Position of the smallest element that is not NaN, as nanargmax.
SINTER_PLAIN(nanargmin)

/// Arithmetic mean; NaN of no elements.
SINTER_ACCUMULATING(mean)
/// Variance: the mean of squared distances from the mean, in two passes. With ddof(n) it divides by the
/// number of elements - n, or by 0 where that is negative.
SINTER_ACCUMULATING(var)
/// Standard deviation: the square root of the variance.
SINTER_ACCUMULATING(stddev)
/// Mean of the elements that are not NaN; NaN if all are.
SINTER_ACCUMULATING(nanmean)
/// Variance of the elements that are not NaN; NaN where these are not more than ddof.
SINTER_ACCUMULATING(nanvar)
/// Standard deviation of the elements that are not NaN; NaN where these are not more than ddof.
SINTER_ACCUMULATING(nanstddev)

/// Logarithm of the sum of exponentials, without overflow.
SINTER_ACCUMULATING(logsumexp)
/// Exponentials divided by their sum along the axes, without overflow; in the operand's shape. 0 where a mask
/// is false.
SINTER_ACCUMULATING(softmax)
/// Logarithm of softmax, computed without taking softmax first; in the operand's shape. -inf where a mask is
/// false.
SINTER_ACCUMULATING(log_softmax)

/// Sums of the elements up to each one along an axis, in the operand's shape: `cumsum(x, axis<1>)`. For rank
/// 1 the axis may be omitted.
SINTER_ACCUMULATING(cumsum)
/// Products of the elements up to each one along an axis, as cumsum.
SINTER_ACCUMULATING(cumprod)
/// Largest of the elements up to each one along an axis, NaN from the first NaN on; has the operand's type.
/// NumPy's maximum.accumulate. For rank 1 the axis may be omitted.
SINTER_PLAIN(cummax)
/// Smallest of the elements up to each one along an axis, as cummax.
SINTER_PLAIN(cummin)

/// Norm of the elements as one vector: `norm(x)` is the square root of the sum of squares, `norm<1>(x)` the
/// sum of absolute values, `norm<inf>(x)` and `norm<-inf>(x)` the largest and the smallest absolute value,
/// `norm<0>(x)` the number of elements that are not 0, and `norm<P>(x)` sum(|x|^P)^(1/P).
/// The accumulator and the result of `norm<double, 1>(x)` are double.
SINTER_REDUCTION_FUNCTION(norm, true, void, Order, auto Order = 2)
SINTER_REDUCTION_FUNCTION(norm, true, Accumulator, Order, element Accumulator, auto Order = 2)

#undef SINTER_ACCUMULATING
#undef SINTER_PLAIN
#undef SINTER_REDUCTION_FUNCTION

// max and min of two operands are maximum and minimum.
template <class A, class B>
  requires(detail::any_sinter_operand<A, B> && operand<A> && operand<B>)
auto max(const A&, const B&) {
  static_assert(detail::never<A>, "max(a, b) is not a reduction: use maximum");
}
template <class A, class B>
  requires(detail::any_sinter_operand<A, B> && operand<A> && operand<B>)
auto min(const A&, const B&) {
  static_assert(detail::never<A>, "min(a, b) is not a reduction: use minimum");
}

}  // namespace sinter::inline v0
