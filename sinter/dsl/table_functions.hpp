#pragma once
// One function for each row of the table of operations (codegen/graph/operations.def), whose sentence stands
// first in its documentation. With a value among the operands a function records and returns a value, else it
// returns a lazy expression. At least one operand is Sinter's; C++ numbers are weak, as NumPy's are. What the
// row does not take (a type, an operand of no kind) does not compile, and the message says what to write.
// Threads may call these at once, on the same arrays too.
//
// Threads: any thread may call these, also on the same arrays; values are the thread's that records them.
// Throws: error for a value outside of its recording, type_error for a number that does not fit or an operand
// that cannot be there; shapes are checked when the function is called or the expression evaluated:
// shape_error.
// After a failure: nothing has run and no operand has changed; a recording that the exception leaves is
// dropped.

#include <sinter/dsl/expression.hpp>

namespace sinter::inline v0 {

#define SINTER_FUNCTION_1(name)                                                               \
  template <detail::sinter_operand A>                                                         \
  [[nodiscard]] auto name(A&& a, std::source_location at = std::source_location::current()) { \
    return detail::apply<operation::name>(at, std::forward<A>(a));                            \
  }
#define SINTER_FUNCTION_2(name)                                                                      \
  template <class A, class B>                                                                        \
    requires detail::any_sinter_operand<A, B>                                                        \
  [[nodiscard]] auto name(A&& a, B&& b, std::source_location at = std::source_location::current()) { \
    return detail::apply<operation::name>(at, std::forward<A>(a), std::forward<B>(b));               \
  }
#define SINTER_FUNCTION_3(name)                                                                             \
  template <class A, class B, class C>                                                                      \
    requires detail::any_sinter_operand<A, B, C>                                                            \
  [[nodiscard]] auto name(A&& a, B&& b, C&& c, std::source_location at = std::source_location::current()) { \
    return detail::apply<operation::name>(at, std::forward<A>(a), std::forward<B>(b), std::forward<C>(c));  \
  }

// ---- arithmetic ----

/// `add(x, y)`: Sum; logical or for booleans. Shapes are broadcast; shape_error where they do not fit. Types:
/// the promoted type. numpy.add.
SINTER_FUNCTION_2(add)
/// `subtract(x, y)`: Difference. Shapes are broadcast; shape_error where they do not fit. Types: the promoted
/// type; not of booleans alone. numpy.subtract.
SINTER_FUNCTION_2(subtract)
/// `multiply(x, y)`: Product; logical and for booleans. Shapes are broadcast; shape_error where they do not
/// fit. Types: the promoted type. numpy.multiply.
SINTER_FUNCTION_2(multiply)
/// `true_divide(x, y)`: Quotient as a floating-point number. Shapes are broadcast; shape_error where they do
/// not fit. Types: floating or complex; float64 of integers. numpy.true_divide.
SINTER_FUNCTION_2(true_divide)
/// `floor_divide(x, y)`: Largest integer not above the quotient; integer division by zero gives 0. Shapes are
/// broadcast; shape_error where they do not fit. Types: real, promoted, int8 of booleans. numpy.floor_divide.
SINTER_FUNCTION_2(floor_divide)
/// `trunc_divide(x, y)`: Quotient rounded toward zero, as C++ divides integers. Shapes are broadcast;
/// shape_error where they do not fit. Types: real, promoted, int8 of booleans.
SINTER_FUNCTION_2(trunc_divide)
/// `remainder(x, y)`: Remainder with the sign of the divisor. Shapes are broadcast; shape_error where they do
/// not fit. Types: real, promoted, int8 of booleans. numpy.remainder.
SINTER_FUNCTION_2(remainder)
/// `fmod(x, y)`: Remainder with the sign of the dividend. Shapes are broadcast; shape_error where they do not
/// fit. Types: real, promoted, int8 of booleans. numpy.fmod.
SINTER_FUNCTION_2(fmod)
/// `power(x, y)`: First operand raised to the second. Shapes are broadcast; shape_error where they do not
/// fit. Types: the promoted type, int8 of booleans. numpy.power.
SINTER_FUNCTION_2(power)
/// `negative(x)`: Negated operand. The shape of x. Types: the promoted type; not of booleans alone.
/// numpy.negative.
SINTER_FUNCTION_1(negative)
/// `positive(x)`: The operand itself. The shape of x. Types: the promoted type; not of booleans alone.
/// numpy.positive.
SINTER_FUNCTION_1(positive)
/// `reciprocal(x)`: 1 / x. The shape of x. Types: the promoted type, int8 of booleans. numpy.reciprocal.
SINTER_FUNCTION_1(reciprocal)
/// `absolute(x)`: Absolute value. The shape of x. Types: the type of x, of its parts for complex x.
/// numpy.absolute.
SINTER_FUNCTION_1(absolute)
/// `sign(x)`: -1, 0 or 1 by the operand's sign, x / abs(x) for complex numbers; NaN gives NaN. The shape of
/// x. Types: the promoted type; not of booleans alone. numpy.sign.
SINTER_FUNCTION_1(sign)
/// `square(x)`: x * x. The shape of x. Types: the promoted type, int8 of booleans. numpy.square.
SINTER_FUNCTION_1(square)
/// `sqrt(x)`: Square root, correctly rounded. The shape of x. Types: floating or complex; an integer gives
/// the floating type that holds it. numpy.sqrt.
SINTER_FUNCTION_1(sqrt)
/// `rsqrt(x)`: 1 / sqrt(x). The shape of x. Types: real; an integer gives the floating type that holds it.
/// torch.rsqrt.
SINTER_FUNCTION_1(rsqrt)
/// `cbrt(x)`: Cube root. The shape of x. Types: real; an integer gives the floating type that holds it.
/// numpy.cbrt.
SINTER_FUNCTION_1(cbrt)
/// `heaviside(x, y)`: Step function: 0 below 0, 1 above 0, the second operand at 0. Shapes are broadcast;
/// shape_error where they do not fit. Types: real; an integer gives the floating type that holds it.
/// numpy.heaviside.
SINTER_FUNCTION_2(heaviside)
/// `gcd(x, y)`: Greatest common divisor. Shapes are broadcast; shape_error where they do not fit. Types:
/// integers, promoted. numpy.gcd.
SINTER_FUNCTION_2(gcd)
/// `lcm(x, y)`: Least common multiple. Shapes are broadcast; shape_error where they do not fit. Types:
/// integers, promoted. numpy.lcm.
SINTER_FUNCTION_2(lcm)

// ---- extremes ----

/// `maximum(x, y)`: Larger operand; NaN if either is NaN. Shapes are broadcast; shape_error where they do not
/// fit. Types: real, promoted. numpy.maximum.
SINTER_FUNCTION_2(maximum)
/// `minimum(x, y)`: Smaller operand; NaN if either is NaN. Shapes are broadcast; shape_error where they do
/// not fit. Types: real, promoted. numpy.minimum.
SINTER_FUNCTION_2(minimum)
/// `fmax(x, y)`: Larger operand; ignores NaN. Shapes are broadcast; shape_error where they do not fit. Types:
/// real, promoted. numpy.fmax.
SINTER_FUNCTION_2(fmax)
/// `fmin(x, y)`: Smaller operand; ignores NaN. Shapes are broadcast; shape_error where they do not fit.
/// Types: real, promoted. numpy.fmin.
SINTER_FUNCTION_2(fmin)
/// `clip(x, low, high)`: Operand clamped between two bounds. Shapes are broadcast; shape_error where they do
/// not fit. Types: real, promoted. numpy.clip.
SINTER_FUNCTION_3(clip)

// ---- comparison ----

/// `equal(x, y)`: x == y. Shapes are broadcast; shape_error where they do not fit. Types: compared in the
/// promoted type; the result is bool. numpy.equal.
SINTER_FUNCTION_2(equal)
/// `not_equal(x, y)`: x != y. Shapes are broadcast; shape_error where they do not fit. Types: compared in the
/// promoted type; the result is bool. numpy.not_equal.
SINTER_FUNCTION_2(not_equal)
/// `less(x, y)`: x < y. Shapes are broadcast; shape_error where they do not fit. Types: real, compared in the
/// promoted type; the result is bool. numpy.less.
SINTER_FUNCTION_2(less)
/// `less_equal(x, y)`: x <= y. Shapes are broadcast; shape_error where they do not fit. Types: real, compared
/// in the promoted type; the result is bool. numpy.less_equal.
SINTER_FUNCTION_2(less_equal)
/// `greater(x, y)`: x > y. Shapes are broadcast; shape_error where they do not fit. Types: real, compared in
/// the promoted type; the result is bool. numpy.greater.
SINTER_FUNCTION_2(greater)
/// `greater_equal(x, y)`: x >= y. Shapes are broadcast; shape_error where they do not fit. Types: real,
/// compared in the promoted type; the result is bool. numpy.greater_equal.
SINTER_FUNCTION_2(greater_equal)

// ---- logic and bits ----

/// `logical_and(x, y)`: Both operands are not zero. Shapes are broadcast; shape_error where they do not fit.
/// Types: any, 0 as false; the result is bool. numpy.logical_and.
SINTER_FUNCTION_2(logical_and)
/// `logical_or(x, y)`: Either operand is not zero. Shapes are broadcast; shape_error where they do not fit.
/// Types: any, 0 as false; the result is bool. numpy.logical_or.
SINTER_FUNCTION_2(logical_or)
/// `logical_xor(x, y)`: Exactly one operand is not zero. Shapes are broadcast; shape_error where they do not
/// fit. Types: any, 0 as false; the result is bool. numpy.logical_xor.
SINTER_FUNCTION_2(logical_xor)
/// `logical_not(x)`: The operand is zero. The shape of x. Types: any, 0 as false; the result is bool.
/// numpy.logical_not.
SINTER_FUNCTION_1(logical_not)
/// `bitwise_and(x, y)`: Bits set in both operands. Shapes are broadcast; shape_error where they do not fit.
/// Types: booleans or integers, promoted. numpy.bitwise_and.
SINTER_FUNCTION_2(bitwise_and)
/// `bitwise_or(x, y)`: Bits set in either operand. Shapes are broadcast; shape_error where they do not fit.
/// Types: booleans or integers, promoted. numpy.bitwise_or.
SINTER_FUNCTION_2(bitwise_or)
/// `bitwise_xor(x, y)`: Bits set in exactly one operand. Shapes are broadcast; shape_error where they do not
/// fit. Types: booleans or integers, promoted. numpy.bitwise_xor.
SINTER_FUNCTION_2(bitwise_xor)
/// `bitwise_not(x)`: Every bit flipped; logical not for booleans. The shape of x. Types: booleans or
/// integers, promoted. numpy.bitwise_not.
SINTER_FUNCTION_1(bitwise_not)
/// `left_shift(x, y)`: Bits shifted left; a shift by the width or more gives 0. Shapes are broadcast;
/// shape_error where they do not fit. Types: integers, int8 of booleans. numpy.left_shift.
SINTER_FUNCTION_2(left_shift)
/// `right_shift(x, y)`: Bits shifted right; a shift by the width or more gives 0, or -1 for negative numbers.
/// Shapes are broadcast; shape_error where they do not fit. Types: integers, int8 of booleans.
/// numpy.right_shift.
SINTER_FUNCTION_2(right_shift)
/// `bit_count(x)`: Number of bits set in the absolute value. The shape of x. Types: integers; the result is
/// uint8. numpy.bitwise_count.
SINTER_FUNCTION_1(bit_count)

// ---- exponentials ----

/// `exp(x)`: e to the power x. The shape of x. Types: floating or complex; an integer gives the floating type
/// that holds it. numpy.exp.
SINTER_FUNCTION_1(exp)
/// `exp2(x)`: 2 to the power x. The shape of x. Types: floating or complex; an integer gives the floating
/// type that holds it. numpy.exp2.
SINTER_FUNCTION_1(exp2)
/// `expm1(x)`: exp(x) - 1, accurate near 0. The shape of x. Types: floating or complex; an integer gives the
/// floating type that holds it. numpy.expm1.
SINTER_FUNCTION_1(expm1)
/// `log(x)`: Natural logarithm. The shape of x. Types: floating or complex; an integer gives the floating
/// type that holds it. numpy.log.
SINTER_FUNCTION_1(log)
/// `log2(x)`: Logarithm to base 2. The shape of x. Types: floating or complex; an integer gives the floating
/// type that holds it. numpy.log2.
SINTER_FUNCTION_1(log2)
/// `log10(x)`: Logarithm to base 10. The shape of x. Types: floating or complex; an integer gives the
/// floating type that holds it. numpy.log10.
SINTER_FUNCTION_1(log10)
/// `log1p(x)`: log(1 + x), accurate near 0. The shape of x. Types: floating or complex; an integer gives the
/// floating type that holds it. numpy.log1p.
SINTER_FUNCTION_1(log1p)
/// `logaddexp(x, y)`: log(exp(x) + exp(y)) without overflow. Shapes are broadcast; shape_error where they do
/// not fit. Types: real; an integer gives the floating type that holds it. numpy.logaddexp.
SINTER_FUNCTION_2(logaddexp)
/// `logaddexp2(x, y)`: log2(exp2(x) + exp2(y)) without overflow. Shapes are broadcast; shape_error where they
/// do not fit. Types: real; an integer gives the floating type that holds it. numpy.logaddexp2.
SINTER_FUNCTION_2(logaddexp2)

// ---- trigonometry ----

/// `sin(x)`: Sine. The shape of x. Types: floating or complex; an integer gives the floating type that holds
/// it. numpy.sin.
SINTER_FUNCTION_1(sin)
/// `cos(x)`: Cosine. The shape of x. Types: floating or complex; an integer gives the floating type that
/// holds it. numpy.cos.
SINTER_FUNCTION_1(cos)
/// `tan(x)`: Tangent. The shape of x. Types: floating or complex; an integer gives the floating type that
/// holds it. numpy.tan.
SINTER_FUNCTION_1(tan)
/// `arcsin(x)`: Inverse sine. The shape of x. Types: floating or complex; an integer gives the floating type
/// that holds it. numpy.arcsin.
SINTER_FUNCTION_1(arcsin)
/// `arccos(x)`: Inverse cosine. The shape of x. Types: floating or complex; an integer gives the floating
/// type that holds it. numpy.arccos.
SINTER_FUNCTION_1(arccos)
/// `arctan(x)`: Inverse tangent. The shape of x. Types: floating or complex; an integer gives the floating
/// type that holds it. numpy.arctan.
SINTER_FUNCTION_1(arctan)
/// `arctan2(y, x)`: Angle of the point (y, x) = (first, second). Shapes are broadcast; shape_error where they
/// do not fit. Types: real; an integer gives the floating type that holds it. numpy.arctan2.
SINTER_FUNCTION_2(arctan2)
/// `sinh(x)`: Hyperbolic sine. The shape of x. Types: floating or complex; an integer gives the floating type
/// that holds it. numpy.sinh.
SINTER_FUNCTION_1(sinh)
/// `cosh(x)`: Hyperbolic cosine. The shape of x. Types: floating or complex; an integer gives the floating
/// type that holds it. numpy.cosh.
SINTER_FUNCTION_1(cosh)
/// `tanh(x)`: Hyperbolic tangent. The shape of x. Types: floating or complex; an integer gives the floating
/// type that holds it. numpy.tanh.
SINTER_FUNCTION_1(tanh)
/// `arcsinh(x)`: Inverse hyperbolic sine. The shape of x. Types: floating or complex; an integer gives the
/// floating type that holds it. numpy.arcsinh.
SINTER_FUNCTION_1(arcsinh)
/// `arccosh(x)`: Inverse hyperbolic cosine. The shape of x. Types: floating or complex; an integer gives the
/// floating type that holds it. numpy.arccosh.
SINTER_FUNCTION_1(arccosh)
/// `arctanh(x)`: Inverse hyperbolic tangent. The shape of x. Types: floating or complex; an integer gives the
/// floating type that holds it. numpy.arctanh.
SINTER_FUNCTION_1(arctanh)
/// `hypot(x, y)`: sqrt(x * x + y * y) without overflow. Shapes are broadcast; shape_error where they do not
/// fit. Types: real; an integer gives the floating type that holds it. numpy.hypot.
SINTER_FUNCTION_2(hypot)
/// `degrees(x)`: Radians as degrees. The shape of x. Types: real; an integer gives the floating type that
/// holds it. numpy.degrees.
SINTER_FUNCTION_1(degrees)
/// `radians(x)`: Degrees as radians. The shape of x. Types: real; an integer gives the floating type that
/// holds it. numpy.radians.
SINTER_FUNCTION_1(radians)

// ---- floating point ----

/// `isfinite(x)`: Neither infinite nor NaN. The shape of x. Types: any; the result is bool. numpy.isfinite.
SINTER_FUNCTION_1(isfinite)
/// `isinf(x)`: Positive or negative infinity. The shape of x. Types: any; the result is bool. numpy.isinf.
SINTER_FUNCTION_1(isinf)
/// `isnan(x)`: Not a number. The shape of x. Types: any; the result is bool. numpy.isnan.
SINTER_FUNCTION_1(isnan)
/// `signbit(x)`: The sign bit is set. The shape of x. Types: real; the result is bool. numpy.signbit.
SINTER_FUNCTION_1(signbit)
/// `copysign(x, y)`: Magnitude of the first operand, sign of the second. Shapes are broadcast; shape_error
/// where they do not fit. Types: real; an integer gives the floating type that holds it. numpy.copysign.
SINTER_FUNCTION_2(copysign)
/// `nextafter(x, y)`: Next number of the type from the first operand toward the second. Shapes are broadcast;
/// shape_error where they do not fit. Types: real; an integer gives the floating type that holds it.
/// numpy.nextafter.
SINTER_FUNCTION_2(nextafter)
/// `rint(x)`: Nearest integer, ties to even. The shape of x. Types: floating or complex; an integer gives the
/// floating type that holds it. numpy.rint.
SINTER_FUNCTION_1(rint)
/// `round(x)`: Nearest integer, ties to even; integers are unchanged. The shape of x. Types: the promoted
/// type. numpy.round.
SINTER_FUNCTION_1(round)
/// `floor(x)`: Largest integer not above the operand; integers are unchanged. The shape of x. Types: real,
/// promoted. numpy.floor.
SINTER_FUNCTION_1(floor)
/// `ceil(x)`: Smallest integer not below the operand; integers are unchanged. The shape of x. Types: real,
/// promoted. numpy.ceil.
SINTER_FUNCTION_1(ceil)
/// `trunc(x)`: Rounded toward zero; integers are unchanged. The shape of x. Types: real, promoted.
/// numpy.trunc.
SINTER_FUNCTION_1(trunc)
/// `ldexp(x, n)`: x * 2^n with n rounded toward zero; the result has the type of x, to which n is rounded
/// first (bfloat16 holds n up to 256). Shapes are broadcast; shape_error where they do not fit. Types: the
/// floating type of x. numpy.ldexp.
SINTER_FUNCTION_2(ldexp)
/// `frexp_mantissa(x)`: Fraction with magnitude in [0.5, 1) that is x once multiplied by 2^frexp_exponent(x);
/// 0, infinities and NaN are unchanged. The shape of x. Types: real; an integer gives the floating type that
/// holds it. numpy.frexp(x)[0].
SINTER_FUNCTION_1(frexp_mantissa)
/// `frexp_exponent(x)`: Exponent of 2 that belongs to frexp_mantissa; 0 for 0, infinities and NaN. The shape
/// of x. Types: real; the result is int32. numpy.frexp(x)[1].
SINTER_FUNCTION_1(frexp_exponent)
/// `modf_fraction(x)`: x - trunc(x) with the sign of x; 0 for infinities. The shape of x. Types: real; an
/// integer gives the floating type that holds it. numpy.modf(x)[0].
SINTER_FUNCTION_1(modf_fraction)

// ---- complex numbers ----

/// `real(x)`: Real part; real operands are unchanged. The shape of x. Types: the type of x, of its parts for
/// complex x. numpy.real.
SINTER_FUNCTION_1(real)
/// `imag(x)`: Imaginary part; 0 for real operands. The shape of x. Types: the type of x, of its parts for
/// complex x. numpy.imag.
SINTER_FUNCTION_1(imag)
/// `conj(x)`: Complex conjugate; real operands are unchanged. The shape of x. Types: the promoted type, int8
/// of booleans. numpy.conj.
SINTER_FUNCTION_1(conj)
/// `angle(x)`: Angle of a complex number in radians; for real operands 0, or pi if negative. The shape of x.
/// Types: floating; float64 of booleans. numpy.angle.
SINTER_FUNCTION_1(angle)
/// `make_complex(re, im)`: Complex number from a real and an imaginary part. Shapes are broadcast;
/// shape_error where they do not fit. Types: real parts, promoted to floating; the result is complex.
SINTER_FUNCTION_2(make_complex)

// ---- special functions ----

/// `erf(x)`: Error function. The shape of x. Types: real; an integer gives the floating type that holds it.
/// scipy.special.erf.
SINTER_FUNCTION_1(erf)
/// `erfc(x)`: 1 - erf(x), accurate in the tail. The shape of x. Types: real; an integer gives the floating
/// type that holds it. scipy.special.erfc.
SINTER_FUNCTION_1(erfc)
/// `erfinv(x)`: Inverse error function; infinite at -1 and 1, NaN beyond. The shape of x. Types: real; an
/// integer gives the floating type that holds it. scipy.special.erfinv.
SINTER_FUNCTION_1(erfinv)
/// `expit(x)`: 1 / (1 + exp(-x)), the logistic function. The shape of x. Types: real; an integer gives the
/// floating type that holds it. scipy.special.expit.
SINTER_FUNCTION_1(expit)
/// `logit(x)`: log(x / (1 - x)), the inverse of expit; NaN outside of [0, 1]. The shape of x. Types: real; an
/// integer gives the floating type that holds it. scipy.special.logit.
SINTER_FUNCTION_1(logit)
/// `ndtr(x)`: Normal distribution function, accurate in the tail. The shape of x. Types: real; an integer
/// gives the floating type that holds it. scipy.special.ndtr.
SINTER_FUNCTION_1(ndtr)
/// `tgamma(x)`: Gamma function; NaN at negative integers, infinite at 0. The shape of x. Types: real; an
/// integer gives the floating type that holds it. scipy.special.gamma.
SINTER_FUNCTION_1(tgamma)
/// `gammaln(x)`: Logarithm of the gamma function's magnitude; infinite at 0 and negative integers. The shape
/// of x. Types: real; an integer gives the floating type that holds it. scipy.special.gammaln.
SINTER_FUNCTION_1(gammaln)
/// `sinc(x)`: sin(pi x) / (pi x), of the rounded angle as in NumPy; 1 at 0. The shape of x. Types: real; an
/// integer gives the floating type that holds it. numpy.sinc.
SINTER_FUNCTION_1(sinc)
/// `xlogy(x, y)`: x * log(y); 0 where x is 0, unless y is NaN. Shapes are broadcast; shape_error where they
/// do not fit. Types: real; an integer gives the floating type that holds it. scipy.special.xlogy.
SINTER_FUNCTION_2(xlogy)
/// `entr(x)`: -x * log(x); 0 at 0, -inf below. The shape of x. Types: real; an integer gives the floating
/// type that holds it. scipy.special.entr.
SINTER_FUNCTION_1(entr)
/// `huber(delta, r)`: Of (delta, r): r * r / 2 up to delta, then delta * (abs(r) - delta / 2); infinite where
/// delta is negative. Shapes are broadcast; shape_error where they do not fit. Types: real; an integer gives
/// the floating type that holds it. scipy.special.huber.
SINTER_FUNCTION_2(huber)
/// `softplus(x)`: log(1 + exp(x)) without overflow. The shape of x. Types: real; an integer gives the
/// floating type that holds it. jax.nn.softplus.
SINTER_FUNCTION_1(softplus)
/// `silu(x)`: x * expit(x); -0 at -inf. The shape of x. Types: real; an integer gives the floating type that
/// holds it. jax.nn.silu.
SINTER_FUNCTION_1(silu)
/// `gelu(x)`: x * ndtr(x); -0 at -inf. The shape of x. Types: real; an integer gives the floating type that
/// holds it. jax.nn.gelu(x, approximate=False).
SINTER_FUNCTION_1(gelu)

// ---- random numbers (sinter/rng.hpp) ----

/// `random_word(word, seed, sequence)`: Word a of Philox4x32-10's stream of seed b and sequence c: uint32.
/// Shapes are broadcast; shape_error where they do not fit. Types: unsigned integers; the result is uint32.
SINTER_FUNCTION_3(random_word)
/// `normal_of_bits(radius, angle, c)`: Box-Muller of two draws of bits, radius and angle: the cosine's number
/// if c is even, else the sine's. Shapes are broadcast; shape_error where they do not fit. Types: float of
/// uint32, double of uint64.
SINTER_FUNCTION_3(normal_of_bits)

// ---- keys ----

/// `order_key(x)`: Integer by which numbers are ordered, as many bits: -0 below 0, and every NaN above
/// infinity. The shape of x. Types: int32 of float, int64 of double.
SINTER_FUNCTION_1(order_key)
/// `of_order_key(x)`: The number of such a key. The shape of x. Types: float of int32, double of int64.
SINTER_FUNCTION_1(of_order_key)

// ---- choice ----

/// `where(condition, a, b)`: Second operand where the first is true, else the third. Shapes are broadcast;
/// shape_error where they do not fit. Types: that of a and b promoted; the condition is any, 0 as false.
/// numpy.where.
SINTER_FUNCTION_3(where)

#undef SINTER_FUNCTION_1
#undef SINTER_FUNCTION_2
#undef SINTER_FUNCTION_3

}  // namespace sinter::inline v0
