#include <sinter/codegen/simplify/value_range.hpp>
#include <sinter/codegen/types/scalar.hpp>

#include <algorithm>
#include <cmath>

namespace sinter::inline v0 {
namespace {

using maybe_range = std::optional<value_range>;

bool contains_zero(const value_range& range) { return range.least <= 0 && range.greatest >= 0; }

value_range hull(const value_range& a, const value_range& b) {
  return {std::min(a.least, b.least), std::max(a.greatest, b.greatest)};
}

/// Integer results beyond their type wrap. long double rounds sums and products of 64-bit integers, but none
/// that lies inside of a type, and none of the others to one that does.
maybe_range unless_it_wraps(element_type type, const value_range& range) {
  const maybe_range all = range_of_type(type);
  return range.least >= all->least && range.greatest <= all->greatest ? range : all;
}

maybe_range range_of_cast(const ranged_operand& operand, element_type to) {
  const maybe_range& from = operand.range;
  if (!from || is_complex(to)) return range_of_type(to);
  if (is_boolean(to)) {
    if (!contains_zero(*from)) return value_range{1, 1};
    return from->is_single() ? value_range{0, 0} : value_range{0, 1};
  }
  if (is_integer(to)) {
    const value_range whole{std::trunc(from->least), std::trunc(from->greatest)};
    if (!is_floating(operand.type)) return unless_it_wraps(to, whole);
    const value_range all = *range_of_type(to);  // conversions of floating numbers saturate
    return value_range{std::clamp(whole.least, all.least, all.greatest),
                       std::clamp(whole.greatest, all.least, all.greatest)};
  }
  // a computed half is a float32 inside a kernel: rounded or not
  const value_range range{std::min(from->least, rounded(to, from->least)),
                          std::max(from->greatest, rounded(to, from->greatest))};
  return std::isfinite(range.greatest) && std::isfinite(range.least) ? maybe_range(range) : maybe_range();
}

maybe_range range_of_comparison(operation op, const value_range& a, const value_range& b) {
  constexpr value_range no{0, 0}, yes{1, 1}, either{0, 1};
  const auto decided = [&](bool always, bool never) { return always ? yes : never ? no : either; };
  const bool apart = a.greatest < b.least || b.greatest < a.least;
  const bool equal = a.is_single() && a == b;
  switch (op) {
    case operation::less:
      return decided(a.greatest < b.least, a.least >= b.greatest);
    case operation::less_equal:
      return decided(a.greatest <= b.least, a.least > b.greatest);
    case operation::greater:
      return decided(a.least > b.greatest, a.greatest <= b.least);
    case operation::greater_equal:
      return decided(a.least >= b.greatest, a.greatest < b.least);
    case operation::equal:
      return decided(equal, apart);
    default:
      return decided(apart, equal);  // not_equal
  }
}

value_range greater_of(const value_range& a, const value_range& b) {
  return {std::max(a.least, b.least), std::max(a.greatest, b.greatest)};
}
value_range less_of(const value_range& a, const value_range& b) {
  return {std::min(a.least, b.least), std::min(a.greatest, b.greatest)};
}

/// Arithmetic of integers. Floating results round, and are not followed.
maybe_range range_of_arithmetic(operation op, element_type type, const value_range& a, const value_range& b) {
  if (!is_integer(type)) return range_of_type(type);
  switch (op) {
    case operation::add:
      return unless_it_wraps(type, {a.least + b.least, a.greatest + b.greatest});
    case operation::subtract:
      return unless_it_wraps(type, {a.least - b.greatest, a.greatest - b.least});
    case operation::multiply: {
      const auto [least, greatest] = std::minmax(
          {a.least * b.least, a.least * b.greatest, a.greatest * b.least, a.greatest * b.greatest});
      return unless_it_wraps(type, {least, greatest});
    }
    case operation::remainder:  // has the sign of the divisor
      return b.least > 0 ? maybe_range({0, b.greatest - 1}) : range_of_type(type);
    case operation::bitwise_and:
      if (a.least >= 0 && b.least >= 0) return value_range{0, std::min(a.greatest, b.greatest)};
      if (a.least >= 0) return value_range{0, a.greatest};
      return b.least >= 0 ? maybe_range({0, b.greatest}) : range_of_type(type);
    default:
      return range_of_type(type);
  }
}

maybe_range range_of_one(operation op, element_type type, const value_range& a) {
  switch (op) {
    case operation::absolute: {
      const long double greatest = std::max(std::fabs(a.least), std::fabs(a.greatest));
      const value_range range{contains_zero(a) ? 0 : std::min(std::fabs(a.least), std::fabs(a.greatest)),
                              greatest};
      return is_integer(type) ? unless_it_wraps(type, range) : maybe_range(range);
    }
    case operation::negative:
      if (is_integer(type)) return unless_it_wraps(type, {-a.greatest, -a.least});
      // 0 would become -0
      return is_floating(type) && !contains_zero(a) ? maybe_range({-a.greatest, -a.least})
                                                    : range_of_type(type);
    case operation::square: {
      const maybe_range size = range_of_one(operation::absolute, type, a);
      return size ? range_of_arithmetic(operation::multiply, type, *size, *size) : range_of_type(type);
    }
    case operation::logical_not:
      return value_range{1 - a.greatest, 1 - a.least};
    default:
      return range_of_type(type);
  }
}

}  // namespace

maybe_range range_of_type(element_type type) {
  if (is_boolean(type)) return value_range{0, 1};
  if (!is_integer(type)) return {};
  const int bits = static_cast<int>(8 * size_of(type));
  if (kind_of(type) == element_kind::unsigned_integer) return value_range{0, std::ldexp(1.0L, bits) - 1};
  return value_range{-std::ldexp(1.0L, bits - 1), std::ldexp(1.0L, bits - 1) - 1};
}

maybe_range range_of_literal(element_type type, std::uint64_t bits) {
  if (is_complex(type)) return {};
  if (!is_floating(type)) {
    const long double value = integer_as_real(type, integer_of(type, bits));
    return value_range{value, value};
  }
  // the least normal number of float16; fast arithmetic may take denormals for zeros
  constexpr long double least_normal = 0x1p-14L;
  const long double value = real_of(type, bits);
  const bool is_zero = value == 0 && !std::signbit(value);
  if (!std::isfinite(value) || (!is_zero && std::fabs(value) < least_normal)) return {};
  return value_range{value, value};
}

maybe_range range_of_result(operation op, element_type type, std::span<const ranged_operand> operands) {
  if (op == operation::cast) return range_of_cast(operands[0], type);
  if (op == operation::coordinate || op == operation::extent)
    return value_range{0, range_of_type(type)->greatest};
  if (op == operation::view) return operands[0].range;
  if (op == operation::where) {
    const maybe_range &condition = operands[0].range, &yes = operands[1].range, &no = operands[2].range;
    if (condition && condition->is_single()) return condition->least != 0 ? yes : no;
    return yes && no ? maybe_range(hull(*yes, *no)) : maybe_range();
  }
  for (const ranged_operand& operand : operands)
    if (!operand.range) return range_of_type(type);
  if (operands.size() == 1) return range_of_one(op, type, *operands[0].range);
  const value_range &a = *operands[0].range, &b = *operands[1].range;
  switch (op) {
    case operation::maximum:
    case operation::fmax:
    case operation::logical_or:
      return greater_of(a, b);
    case operation::minimum:
    case operation::fmin:
    case operation::logical_and:
      return less_of(a, b);
    case operation::clip:
      return less_of(greater_of(a, b), *operands[2].range);
    case operation::less:
    case operation::less_equal:
    case operation::greater:
    case operation::greater_equal:
    case operation::equal:
    case operation::not_equal:
      return range_of_comparison(op, a, b);
    default:
      return range_of_arithmetic(op, type, a, b);
  }
}

}  // namespace sinter::inline v0
