#pragma once
// NumPy's functions that are composed of several rows of the table of operations, and so fuse as these do. A
// value as operand gives a value; arrays, views and expressions give an expression, or a std::tuple of two.
//
// Threads: any thread may call these, also on the same arrays; values are the thread's that records them.
// Throws: error for a value outside of its recording, type_error for a number that does not fit or an operand
// that cannot be there; shapes are checked when the function is called or the expression evaluated:
// shape_error.
// After a failure: nothing has run and no operand has changed; a recording that the exception leaves is
// dropped.

#include <sinter/dsl/composed/compose.hpp>
#include <sinter/dsl/functions.hpp>
#include <sinter/dsl/parts/parts.hpp>

#include <limits>

namespace sinter::inline v0 {

namespace detail {

/// The tag of an absent bound or replacement.
struct absent_tag {};

template <class X>
inline constexpr element_type type_of_value = info_of<X>::type.type;

struct floor_quotient {
  template <class A, class B>
  auto operator()(const location& at, const A& a, const B& b) const {
    return floor_divide(a, b, at);
  }
};
struct floor_remainder {
  template <class A, class B>
  auto operator()(const location& at, const A& a, const B& b) const {
    return remainder(a, b, at);
  }
};
struct fraction_of {
  template <class X>
  auto operator()(const location& at, const X& x) const {
    return modf_fraction(x, at);
  }
};
struct whole_of {
  template <class X>
  auto operator()(const location& at, const X& x) const {
    if constexpr (is_inexact(type_of_value<X>))
      return trunc(x, at);
    else
      return convert<floating_type(type_of_value<X>)>(at, x);
  }
};
struct mantissa_of {
  template <class X>
  auto operator()(const location& at, const X& x) const {
    return frexp_mantissa(x, at);
  }
};
struct exponent_of {
  template <class X>
  auto operator()(const location& at, const X& x) const {
    return frexp_exponent(x, at);
  }
};

struct wide_power {
  template <class A, class B>
  auto operator()(const location& at, const A& a, const B& b) const {
    constexpr bool complex = is_complex(type_of_value<A>) || is_complex(type_of_value<B>);
    constexpr element_type type = complex ? element_type::complex128 : element_type::float64;
    return power(convert<type>(at, a), convert<type>(at, b), at);
  }
};

constexpr double power_of_ten(int exponent) {
  double power = 1;
  for (int i = 0; i < exponent; ++i) power *= 10;
  return power;
}
/// The number is scaled by a power of ten, rounded and scaled back, as NumPy does it.
template <int Decimals>
struct round_decimals {
  template <class X>
  auto operator()(const location& at, const X& x) const {
    constexpr bool whole = !is_inexact(type_of_value<X>);
    constexpr double scale = power_of_ten(Decimals < 0 ? -Decimals : Decimals);
    if constexpr (Decimals == 0 || (whole && Decimals > 0))
      return round(x, at);
    else if constexpr (whole)
      return convert<type_of_value<X>>(
          at, multiply(rint(true_divide(x, literal(scale), at), at), literal(scale), at));
    else if constexpr (Decimals > 0)
      return true_divide(rint(multiply(x, literal(scale), at), at), literal(scale), at);
    else
      return multiply(rint(true_divide(x, literal(scale), at), at), literal(scale), at);
  }
};

/// The largest finite number of a floating type.
constexpr double largest_number(element_type type) {
  switch (type) {
    case element_type::float16:
      return 65504;
    case element_type::bfloat16:
      return 0x1.fep127;
    case element_type::float32:
      return std::numeric_limits<float>::max();
    default:
      return std::numeric_limits<double>::max();
  }
}
struct numbers_for_nan {
  template <class X, class Nan, class Above, class Below>
  auto operator()(const location& at, const X& x, const Nan& nan, const Above& above,
                  const Below& below) const {
    if constexpr (is_complex(type_of_value<X>)) {
      return make_complex((*this)(at, real(x, at), nan, above, below),
                          (*this)(at, imag(x, at), nan, above, below), at);
    } else if constexpr (is_inexact(type_of_value<X>)) {
      const auto bounded = where(equal(x, inf, at), above, where(equal(x, -inf, at), below, x, at), at);
      return where(isnan(x, at), nan, bounded, at);
    } else {
      return x;
    }
  }
};
/// A replacement as it is given, or the largest number of a type with a sign.
template <element_type Type, int Sign, class Given>
decltype(auto) replacement(const Given& given) {
  if constexpr (std::is_same_v<Given, absent_tag>)
    return literal(Sign * largest_number(component_of(Type)));
  else
    return (given);
}

struct tanh_gelu {
  template <class X>
  auto operator()(const location& at, const X& x) const {
    // 0.5 (1 + tanh(u)) is expit(2u), which keeps the digits of its tail
    const auto cubic = multiply(square(x, at), literal(2 * 0.7978845608028654 * 0.044715), at);
    const auto slope = add(cubic, literal(2 * 0.7978845608028654), at);
    return multiply(x, expit(multiply(x, slope, at), at), at);
  }
};

template <class... Options>
struct peak_to_peak {
  template <class X>
  auto operator()(const location& at, const X& x) const {
    return subtract(max(x, Options()..., no_option(), no_option(), at),
                    min(x, Options()..., no_option(), no_option(), at), at);
  }
};

/// The elements without NaN, of which a scan is then taken.
template <int Number>
struct numbers_of {
  template <class X>
  auto operator()(const location& at, const X& x) const {
    if constexpr (is_inexact(type_of_value<X>))
      return where(isnan(x, at), literal(Number), x, at);
    else
      return x;
  }
};
template <reduction Scan, class Accumulator, class Axis>
struct scan_of_numbers {
  template <class X>
  auto operator()(const location& at, const X& x) const {
    constexpr int neutral = Scan == reduction::cumprod ? 1 : 0;
    return reduce<Scan, Accumulator>(at, 0.0, numbers_of<neutral>()(at, x), Axis());
  }
};

/// Weights of one axis with axes of extent 1 after it.
template <unsigned Count, class W, class... Items>
auto followed_by_axes(const W& w, Items... items) {
  if constexpr (sizeof...(Items) == Count)
    return w(all(), items...);
  else
    return followed_by_axes<Count>(w, items..., newaxis);
}
/// The weights in the shape of x, so that those that are broadcast count as often as they weigh.
template <class X, class W, std::size_t... Axes>
auto in_shape_of(const X& x, const W& weights, std::index_sequence<Axes...>) {
  return broadcast_to(weights, extent<static_cast<int>(Axes)>(x)...);
}
template <class Axes, class Keepdims>
struct weighted_average {
  template <class X, class W>
  auto operator()(const location& at, const X& x, const W& weights) const {
    constexpr bool whole = !is_inexact(type_of_value<X>);
    constexpr operand_type own = promote(info_of<X>::type, info_of<W>::type);
    constexpr element_type type =
        settled(whole ? promote(own, operand_type{element_type::float64, false}) : own).type;
    const auto numbers = convert<type>(at, x);
    const auto by = convert<type>(at, weights);
    return true_divide(sum(multiply(numbers, placed<info_of<X>::rank>(by), at), Axes(), Keepdims(),
                           no_option(), no_option(), at),
                       total(at, x, by), at);
  }

 private:
  template <unsigned Rank, class W>
  static auto placed(const W& weights) {
    if constexpr (info_of<W>::rank == Rank || option_kind_of<Axes> == option_kind::none)
      return weights;
    else
      return followed_by_axes<Rank - 1 - static_cast<unsigned>(std::countr_zero(axes_of<Axes>(Rank)))>(
          weights);
  }
  template <class X, class W>
  static auto total(const location& at, const X& x, const W& weights) {
    constexpr unsigned rank = info_of<X>::rank;
    if constexpr (info_of<W>::rank == rank)
      return sum(in_shape_of(x, weights, std::make_index_sequence<rank>()), Axes(), Keepdims(), no_option(),
                 no_option(), at);
    else
      return sum(weights, no_option(), no_option(), no_option(), no_option(), at);
  }
};

}  // namespace detail

/// In the place of a bound or of a replacement: there is none.
inline constexpr detail::absent_tag none{};

// ---- two results ----

/// floor_divide(a, b) and remainder(a, b): `auto [quotient, rest] = divmod(a, b);`
template <class A, class B>
  requires detail::any_sinter_operand<A, B>
[[nodiscard]] auto divmod(A&& a, B&& b, std::source_location at = std::source_location::current()) {
  return detail::compose<detail::floor_quotient, detail::floor_remainder>(at, std::forward<A>(a),
                                                                          std::forward<B>(b));
}
/// The fraction of x and its whole part, in this order as in NumPy, both with the sign of x:
/// `auto [fraction, whole] = modf(x);`. Of an infinity they are 0 and the infinity.
template <detail::sinter_operand X>
[[nodiscard]] auto modf(X&& x, std::source_location at = std::source_location::current()) {
  return detail::compose<detail::fraction_of, detail::whole_of>(at, std::forward<X>(x));
}
/// x as mantissa * 2^exponent, with a mantissa in [0.5, 1) and an exponent of int32:
/// `auto [mantissa, exponent] = frexp(x);`. The exponent of 0, infinities and NaN is 0.
template <detail::sinter_operand X>
[[nodiscard]] auto frexp(X&& x, std::source_location at = std::source_location::current()) {
  return detail::compose<detail::mantissa_of, detail::exponent_of>(at, std::forward<X>(x));
}

// ---- of elements ----

/// a to the power b in float64, or complex128 if either is complex.
template <class A, class B>
  requires detail::any_sinter_operand<A, B>
[[nodiscard]] auto float_power(A&& a, B&& b, std::source_location at = std::source_location::current()) {
  return detail::compose<detail::wide_power>(at, std::forward<A>(a), std::forward<B>(b));
}

/// Rounded to a number of decimals, ties to even: `round<2>(x)`. Negative ones round to tens, hundreds, …; of
/// integers these are the only ones that change anything, and results beyond their type saturate. Scales by
/// a power of ten as NumPy does, so 0.5 units in the last place of x may decide.
template <int Decimals, detail::sinter_operand X>
[[nodiscard]] auto round(X&& x, std::source_location at = std::source_location::current()) {
  static_assert(Decimals >= -300 && Decimals <= 300, "round<Decimals>(x): from -300 to 300");
  return detail::compose<detail::round_decimals<Decimals>>(at, std::forward<X>(x));
}

/// `clip(x, none, high)`: bounded above alone.
template <detail::sinter_operand X, operand High>
[[nodiscard]] auto clip(X&& x, detail::absent_tag, High&& high,
                        std::source_location at = std::source_location::current()) {
  return minimum(std::forward<X>(x), std::forward<High>(high), at);
}
/// `clip(x, low, none)`: bounded below alone.
template <detail::sinter_operand X, operand Low>
[[nodiscard]] auto clip(X&& x, Low&& low, detail::absent_tag,
                        std::source_location at = std::source_location::current()) {
  return maximum(std::forward<X>(x), std::forward<Low>(low), at);
}

/// NaN replaced by a number and infinities by others: `nan_to_num(x)`, `nan_to_num(x, 0, 1e6, -1e6)`. Without
/// a replacement, or with `none`, an infinity becomes the largest or the least finite number of its type.
/// Both parts of complex numbers; integers are unchanged.
template <detail::sinter_operand X, operand Nan = int, class Above = detail::absent_tag,
          class Below = detail::absent_tag>
[[nodiscard]] auto nan_to_num(X&& x, const Nan& nan = 0, const Above& above = {}, const Below& below = {},
                              std::source_location at = std::source_location::current()) {
  constexpr element_type type = settled(detail::info_of<X>::type).type;
  return detail::compose<detail::numbers_for_nan>(
      at, std::forward<X>(x), nan, detail::replacement<type, 1>(above), detail::replacement<type, -1>(below));
}

/// gelu by its usual approximation: x * 0.5 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))).
template <detail::sinter_operand X>
[[nodiscard]] auto gelu_tanh(X&& x, std::source_location at = std::source_location::current()) {
  return detail::compose<detail::tanh_gelu>(at, std::forward<X>(x));
}

// ---- of axes ----

/// Largest less smallest element: `ptp(x)`, `ptp(x, axis<1>)`, `ptp(x, axis<1>, keepdims)`.
template <detail::sinter_operand X, class A = detail::no_option, class B = detail::no_option>
[[nodiscard]] auto ptp(X&& x, A = {}, B = {}, std::source_location at = std::source_location::current()) {
  return detail::compose<detail::peak_to_peak<A, B>>(at, std::forward<X>(x));
}

/// cumsum of the elements in which NaN counts as 0.
template <class Accumulator = void, detail::sinter_operand X, class Axis = detail::no_option>
[[nodiscard]] auto nancumsum(X&& x, Axis = {}, std::source_location at = std::source_location::current()) {
  return detail::compose<detail::scan_of_numbers<detail::reduction::cumsum, Accumulator, Axis>>(
      at, std::forward<X>(x));
}
/// cumprod of the elements in which NaN counts as 1.
template <class Accumulator = void, detail::sinter_operand X, class Axis = detail::no_option>
[[nodiscard]] auto nancumprod(X&& x, Axis = {}, std::source_location at = std::source_location::current()) {
  return detail::compose<detail::scan_of_numbers<detail::reduction::cumprod, Accumulator, Axis>>(
      at, std::forward<X>(x));
}

/// Mean with weights, which are broadcast to the shape of x, or are one axis for the one that is named:
/// `average(x, weights)`, `average(x, weights, axis<1>)`, `average(x, weights, axis<1>, keepdims)`. Integers
/// are averaged in float64; shape_error for weights with more elements than x.
template <detail::sinter_operand X, detail::sinter_operand Weights, class Axes = detail::no_option,
          class Keepdims = detail::no_option>
[[nodiscard]] auto average(X&& x, Weights&& weights, Axes = {}, Keepdims = {},
                           std::source_location at = std::source_location::current()) {
  constexpr unsigned rank = detail::info_of<X>::rank, given = detail::info_of<Weights>::rank;
  constexpr bool one_axis = std::popcount(detail::axes_of<Axes>(rank)) == 1;
  constexpr bool fits = given == rank || (given == 1 && one_axis);
  static_assert(fits, "weights have the shape of x, or one axis for the axis<A> that is named");
  if constexpr (fits)
    return detail::compose<detail::weighted_average<Axes, Keepdims>>(at, std::forward<X>(x),
                                                                     std::forward<Weights>(weights));
}

}  // namespace sinter::inline v0
