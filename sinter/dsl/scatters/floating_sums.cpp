// Sums of floating-point numbers at positions that are values, which are the same in any order: integers are
// added, in units of the largest term of each element.
#include <sinter/dsl/composed/graph_operations.hpp>
#include <sinter/dsl/scatters/compose_scatter.hpp>

#include <limits>

namespace sinter::inline v0::detail {
namespace {

constexpr auto i32 = element_type::int32, i64 = element_type::int64, f64 = element_type::float64;

/// The bits of an integer that the terms of an element never fill.
constexpr int bits_of_sum = 62;
/// In the sum of an element with infinite terms, what positive and negative ones add; NaN adds both.
constexpr std::int64_t positive_infinity = 1, negative_infinity = std::int64_t{1} << 32;

/// A binary format: its bits of the fraction, and what is added to exponents. A number is below
/// 2^(exponent - bias), with the exponent that its bits have.
struct format {
  int fraction, bias, infinite;
};
constexpr format format_of(element_type type) {
  return type == f64 ? format{52, 1022, 2047} : format{23, 126, 255};
}

/// Numbers of an element in units of the exponent of its largest term.
class fixed_point : protected graph_operations {
 public:
  fixed_point(graph_builder& to, const scatter_operands& given, unsigned axis, int most,
              const std::source_location& where)
      : graph_operations{to, where}, type_(given.base.type.type), own_(format_of(type_)) {
    // one term more is the base; a number of n bits is below 2^n
    const graph_value terms = add(extent(given.updates, axis), number(1));
    const graph_value headroom = apply(operation::frexp_exponent, cast(terms, f64));
    bits_ = minimum(subtract(number(bits_of_sum, i32), headroom), number(most, i32));
  }

  /// The exponent in the bits of a number: 0 for what is denormal, the greatest for infinities and NaN.
  graph_value exponent(graph_value x) const {
    const graph_value key = apply(operation::order_key, apply(operation::absolute, x));
    return cast(apply(operation::right_shift, key, number(own_.fraction, key.type.type)), i32);
  }

 protected:
  graph_value is_finite(graph_value largest) const { return less(largest, number(own_.infinite, i32)); }
  graph_value literal(double x, element_type type) const { return into.literal(x, type, at); }

  /// The exponent of 2 by which the terms of an element are multiplied.
  graph_value scale(graph_value largest) const {
    return subtract(add(bits_, number(own_.bias, i32)), largest);
  }
  /// Of infinite elements a count of infinities.
  graph_value finite_or_count(graph_value fixed, graph_value x, graph_value largest) const {
    const graph_value infinity = literal(std::numeric_limits<double>::infinity(), type_);
    const graph_value finite = number(0), both = number(positive_infinity + negative_infinity);
    const graph_value below = where(equal(x, negative(infinity)), number(negative_infinity), finite);
    const graph_value counted = where(equal(x, infinity), number(positive_infinity), below);
    return where(is_finite(largest), fixed, where(is_nan(x), both, counted));
  }
  /// Where nothing is added to a zero, it keeps its sign.
  graph_value or_zero(graph_value base, graph_value sum, graph_value is_nothing) const {
    return where(both(is_nothing, equal(base, literal(0, type_))), base, sum);
  }
  graph_value finite_or_infinite(graph_value finite, graph_value counts, graph_value largest) const {
    const graph_value infinity = literal(std::numeric_limits<double>::infinity(), type_);
    const graph_value nan = literal(std::numeric_limits<double>::quiet_NaN(), type_);
    const graph_value no_negative = less(counts, number(negative_infinity));
    const graph_value no_positive =
        equal(apply(operation::bitwise_and, counts, number(negative_infinity - 1)), number(0));
    const graph_value infinite = where(no_negative, infinity, where(no_positive, negative(infinity), nan));
    return where(is_finite(largest), finite, infinite);
  }

  element_type type_;
  format own_;
  graph_value bits_;
};

/// Of float32: products with powers of 2 are exact in float64, and rounded by adding a number whose unit in
/// the last place is 1.
class short_fixed_point : public fixed_point {
 public:
  short_fixed_point(graph_builder& to, const scatter_operands& given, unsigned axis,
                    const std::source_location& where)
      : fixed_point(to, given, axis, most_bits, where) {}

  graph_value fixed(graph_value x, graph_value largest) const {
    const graph_value units = multiply(cast(x, f64), power_of_two(scale(largest)));
    const graph_value shifted = apply(operation::order_key, add(units, literal(middle, f64)));
    const graph_value rounded = subtract(shifted, apply(operation::order_key, literal(middle, f64)));
    return finite_or_count(rounded, x, largest);
  }
  graph_value sum(graph_value base, graph_value largest, graph_value fixed) const {
    const graph_value units = power_of_two(subtract(number(0, i32), scale(largest)));
    const graph_value finite = cast(multiply(cast(fixed, f64), units), type_);
    return finite_or_infinite(or_zero(base, finite, equal(fixed, number(0))), fixed, largest);
  }

 private:
  static constexpr int most_bits = 50;
  static constexpr double middle = 0x1.8p52;

  graph_value power_of_two(graph_value exponent) const {
    const graph_value biased = cast(add(exponent, number(1023, i32)), i64);
    return apply(operation::of_order_key, apply(operation::left_shift, biased, number(52)));
  }
};

/// Of float64: a first part, and what is left of it in finer units.
class long_fixed_point : public fixed_point {
 public:
  long_fixed_point(graph_builder& to, const scatter_operands& given, unsigned axis,
                   const std::source_location& where)
      : fixed_point(to, given, axis, bits_of_sum, where) {}

  graph_value first(graph_value x, graph_value largest) const {
    return finite_or_count(cast(rounded(x, largest), i64), x, largest);
  }
  /// In units of 2^-bits of the first part's.
  graph_value second(graph_value x, graph_value largest) const {
    const graph_value left = subtract(scaled(x, largest), rounded(x, largest));
    const graph_value fine = apply(operation::rint, apply(operation::ldexp, left, bits_));
    return where(is_finite(largest), cast(fine, i64), number(0));
  }
  graph_value sum(graph_value base, graph_value largest, graph_value firsts, graph_value seconds) const {
    // the first in two halves, which are exact as float64; the low one has a sign, so that it does not cancel
    const graph_value half = number(std::int64_t{1} << 31);
    const graph_value bits = apply(operation::bitwise_and, firsts, number(0xffffffff));
    const graph_value low = subtract(apply(operation::bitwise_xor, bits, half), half);
    const graph_value high = cast(subtract(firsts, low), f64);
    const graph_value fine = apply(operation::ldexp, cast(seconds, f64), negative(bits_));
    const graph_value units = add(high, add(cast(low, f64), fine));
    const graph_value finite = apply(operation::ldexp, units, subtract(number(0, i32), scale(largest)));
    const graph_value is_nothing = both(equal(firsts, number(0)), equal(seconds, number(0)));
    return finite_or_infinite(or_zero(base, finite, is_nothing), firsts, largest);
  }

 private:
  graph_value scaled(graph_value x, graph_value largest) const {
    return apply(operation::ldexp, x, scale(largest));
  }
  graph_value rounded(graph_value x, graph_value largest) const {
    return apply(operation::rint, scaled(x, largest));
  }
};

/// The greatest exponent of each element's terms, for the elements and for their updates.
class exponents_of_sums : graph_operations {
 public:
  exponents_of_sums(graph_builder& to, const scatter_operands& given, const fixed_point& fixed,
                    const scatter_form& form, const std::source_location& where)
      : graph_operations{to, where}, form_(form), index_(given.index) {
    const unsigned axis = form.axis;
    const bool is_dropped = form.rule == scatter_rule::dropped;
    graph_value exponents = fixed.exponent(given.base);
    // where updates may have no element, one is read that is none of the array
    if (is_dropped) exponents = into.concatenate(exponents, row_beside(given.base, axis), axis, at);
    const graph_value largest = into.scatter(exponents, index_, fixed.exponent(given.updates), form, at);
    of_base = is_dropped
                  ? into.extended(largest, axis, extension::edge, number(0), extent(given.base, axis), at)
                  : largest;
    const index_rule read = form.rule == scatter_rule::reported ? index_rule::checked : index_rule::clip;
    of_updates = into.gather(largest, index_, axis, read, axis, at);
  }

  graph_value scattered(graph_value base, graph_value updates) const {
    scatter_form sums = form_;
    sums.combine = operation::add;
    return into.scatter(base, index_, updates, sums, at);
  }

  graph_value of_base, of_updates;

 private:
  /// One row of zeros with the other extents of an array.
  graph_value row_beside(graph_value x, unsigned axis) const {
    graph_value made = with_axes(number(0, i32), 0, x.rank);
    for (unsigned i = 0; i < x.rank; ++i)
      if (i != axis) made = broadcast(made, i, extent(x, i));
    return made;
  }

  scatter_form form_;
  graph_value index_;
};

}  // namespace

graph_value scatter_floating_sum(graph_builder& into, const scatter_operands& operands, unsigned axis,
                                 scatter_rule rule, const std::source_location& at) {
  const auto& [base, index, updates] = operands;
  const scatter_form form{axis, operation::maximum, rule, axis};
  if (base.type.type != f64) {
    const short_fixed_point fixed(into, operands, axis, at);
    const exponents_of_sums all(into, operands, fixed, form, at);
    const graph_value sums =
        all.scattered(fixed.fixed(base, all.of_base), fixed.fixed(updates, all.of_updates));
    return fixed.sum(base, all.of_base, sums);
  }
  const long_fixed_point fixed(into, operands, axis, at);
  const exponents_of_sums all(into, operands, fixed, form, at);
  const graph_value firsts =
      all.scattered(fixed.first(base, all.of_base), fixed.first(updates, all.of_updates));
  const graph_value seconds =
      all.scattered(fixed.second(base, all.of_base), fixed.second(updates, all.of_updates));
  return fixed.sum(base, all.of_base, firsts, seconds);
}

}  // namespace sinter::inline v0::detail
