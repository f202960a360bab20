// Sums of floating-point numbers at positions that are values, which are the same in any order: integers are
// added, in units of the largest term of each element.
#include <sinter/dsl/composed/graph_operations.hpp>
#include <sinter/dsl/scatters/compose_scatter.hpp>

#include <limits>

namespace sinter::inline v0::detail {
namespace {

constexpr auto i32 = element_type::int32, i64 = element_type::int64, f64 = element_type::float64;

/// In place of the exponent of 2 of an element's terms: all of them are 0, one is infinite, one is NaN.
constexpr std::int32_t all_zero = -4096, infinite = 4096, not_a_number = 4097;
/// The bits of an integer that N terms of a number's bits never fill.
constexpr int bits_of_sum = 62;
/// In the sum of an element with infinite terms, what positive and negative ones add.
constexpr std::int64_t positive_infinity = 1, negative_infinity = std::int64_t{1} << 32;

/// Fixed-point numbers: a first part, and what is left of it in finer units for float64.
class fixed_point : graph_operations {
 public:
  fixed_point(graph_builder& to, const scatter_operands& given, unsigned axis,
              const std::source_location& where)
      : graph_operations{to, where}, type_(given.base.type.type) {
    // one term more is the base; a number of n bits is below 2^n
    const graph_value terms = add(extent(given.updates, axis), number(1));
    const graph_value headroom = apply(operation::frexp_exponent, cast(terms, f64));
    bits_ = subtract(number(bits_of_sum, i32), headroom);
  }

  graph_value exponent(graph_value x) const {
    const graph_value finite = apply(operation::frexp_exponent, x);
    const graph_value number_or_zero = where(equal(x, zero()), number(all_zero, i32), finite);
    const graph_value not_nan = where(apply(operation::isinf, x), number(infinite, i32), number_or_zero);
    return where(is_nan(x), number(not_a_number, i32), not_nan);
  }
  /// x in units of 2^(largest - bits), rounded; for infinite elements a count of infinities.
  graph_value first(graph_value x, graph_value largest) const {
    const graph_value infinity = into.literal(std::numeric_limits<double>::infinity(), type_, at);
    const graph_value below = where(equal(x, negative(infinity)), number(negative_infinity), number(0));
    const graph_value counted = where(equal(x, infinity), number(positive_infinity), below);
    return where(is_finite(largest), cast(rounded(x, largest), i64), counted);
  }
  /// What is left of x, in units of 2^-bits of the first part's.
  graph_value second(graph_value x, graph_value largest) const {
    const graph_value left = subtract(scaled(x, largest), rounded(x, largest));
    const graph_value fine = apply(operation::rint, apply(operation::ldexp, left, bits_));
    return where(is_finite(largest), cast(fine, i64), number(0));
  }
  /// The number of a sum of first parts, and perhaps of second ones.
  graph_value sum(graph_value largest, graph_value firsts, const graph_value* seconds) const {
    graph_value made = cast(firsts, f64);
    if (seconds != nullptr) {
      // in two halves, which are exact as float64
      const graph_value low = apply(operation::bitwise_and, firsts, number(0xffffffff));
      const graph_value high = cast(subtract(firsts, low), f64);
      const graph_value fine = apply(operation::ldexp, cast(*seconds, f64), negative(bits_));
      made = add(high, add(cast(low, f64), fine));
    }
    const graph_value finite = cast(apply(operation::ldexp, made, subtract(largest, bits_)), type_);
    return where(is_finite(largest), finite, infinite_sum(largest, firsts));
  }
  static bool has_second(element_type type) { return type == f64; }

 private:
  graph_value zero() const { return into.literal(0.0, type_, at); }
  graph_value is_finite(graph_value largest) const { return less(largest, number(infinite, i32)); }
  graph_value scaled(graph_value x, graph_value largest) const {
    return apply(operation::ldexp, x, subtract(bits_, largest));
  }
  graph_value rounded(graph_value x, graph_value largest) const {
    return apply(operation::rint, scaled(x, largest));
  }
  graph_value infinite_sum(graph_value largest, graph_value counts) const {
    const graph_value infinity = into.literal(std::numeric_limits<double>::infinity(), type_, at);
    const graph_value nan = into.literal(std::numeric_limits<double>::quiet_NaN(), type_, at);
    const graph_value positive = equal(apply(operation::right_shift, counts, number(32)), number(0));
    const graph_value negative_alone =
        equal(apply(operation::bitwise_and, counts, number(0xffffffff)), number(0));
    const graph_value one_sign = where(positive, infinity, where(negative_alone, negative(infinity), nan));
    return where(equal(largest, number(infinite, i32)), one_sign, nan);
  }

  element_type type_;
  graph_value bits_;
};

}  // namespace

graph_value scatter_floating_sum(graph_builder& into, const scatter_operands& operands, unsigned axis,
                                 scatter_rule rule, const std::source_location& at) {
  const auto& [base, index, updates] = operands;
  const fixed_point fixed(into, operands, axis, at);
  const auto scattered = [&](graph_value to, graph_value from, operation combine) {
    return into.scatter(to, index, from, {axis, combine, rule, axis}, at);
  };
  const graph_value largest = scattered(fixed.exponent(base), fixed.exponent(updates), operation::maximum);
  // what is out of range is not written
  const index_rule read = rule == scatter_rule::reported ? index_rule::checked : index_rule::clip;
  const graph_value at_updates = into.gather(largest, index, axis, read, axis, at);
  const graph_value firsts =
      scattered(fixed.first(base, largest), fixed.first(updates, at_updates), operation::add);
  if (!fixed_point::has_second(base.type.type)) return fixed.sum(largest, firsts, nullptr);
  const graph_value seconds =
      scattered(fixed.second(base, largest), fixed.second(updates, at_updates), operation::add);
  return fixed.sum(largest, firsts, &seconds);
}

}  // namespace sinter::inline v0::detail
