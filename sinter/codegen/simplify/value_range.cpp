#include <sinter/codegen/simplify/value_range.hpp>
#include <sinter/codegen/types/scalar.hpp>

#include <algorithm>
#include <cmath>

namespace sinter::inline v0 {
namespace {

using maybe_range = std::optional<value_range>;

bool contains_zero(const value_range& range) { return range.min <= 0 && range.max >= 0; }

value_range hull(const value_range& a, const value_range& b) {
  return {std::min(a.min, b.min), std::max(a.max, b.max)};
}

/// Integer results beyond their type wrap. long double rounds sums and products of 64-bit integers, but none
/// that lies inside of a type, and none of the others to one that does.
maybe_range unless_it_wraps(element_type type, const value_range& range) {
  const maybe_range all = range_of_type(type);
  return range.min >= all->min && range.max <= all->max ? range : all;
}

maybe_range range_of_cast(const ranged_operand& operand, element_type to) {
  const maybe_range& from = operand.range;
  if (!from || is_complex(to)) return range_of_type(to);
  if (is_boolean(to)) {
    if (!contains_zero(*from)) return value_range{1, 1};
    return from->is_single() ? value_range{0, 0} : value_range{0, 1};
  }
  if (is_integer(to)) {
    const value_range whole{std::trunc(from->min), std::trunc(from->max)};
    if (!is_floating(operand.type)) return unless_it_wraps(to, whole);
    const value_range all = *range_of_type(to);  // conversions of floating numbers saturate
    return value_range{std::clamp(whole.min, all.min, all.max), std::clamp(whole.max, all.min, all.max)};
  }
  // a computed half is a float32 inside a kernel: rounded or not
  const value_range range{std::min(from->min, rounded(to, from->min)),
                          std::max(from->max, rounded(to, from->max))};
  return std::isfinite(range.max) && std::isfinite(range.min) ? maybe_range(range) : maybe_range();
}

maybe_range range_of_comparison(operation op, const value_range& a, const value_range& b) {
  constexpr value_range no{0, 0}, yes{1, 1}, either{0, 1};
  const auto decided = [&](bool always, bool never) { return always ? yes : never ? no : either; };
  const bool apart = a.max < b.min || b.max < a.min;
  const bool equal = a.is_single() && a == b;
  switch (op) {
    case operation::less:
      return decided(a.max < b.min, a.min >= b.max);
    case operation::less_equal:
      return decided(a.max <= b.min, a.min > b.max);
    case operation::greater:
      return decided(a.min > b.max, a.max <= b.min);
    case operation::greater_equal:
      return decided(a.min >= b.max, a.max < b.min);
    case operation::equal:
      return decided(equal, apart);
    default:
      return decided(apart, equal);  // not_equal
  }
}

value_range greater_of(const value_range& a, const value_range& b) {
  return {std::max(a.min, b.min), std::max(a.max, b.max)};
}
value_range less_of(const value_range& a, const value_range& b) {
  return {std::min(a.min, b.min), std::min(a.max, b.max)};
}

/// Arithmetic of integers. Floating results round, and are not followed.
maybe_range range_of_arithmetic(operation op, element_type type, const value_range& a, const value_range& b) {
  if (!is_integer(type)) return range_of_type(type);
  switch (op) {
    case operation::add:
      return unless_it_wraps(type, {a.min + b.min, a.max + b.max});
    case operation::subtract:
      return unless_it_wraps(type, {a.min - b.max, a.max - b.min});
    case operation::multiply: {
      const auto [smallest, largest] =
          std::minmax({a.min * b.min, a.min * b.max, a.max * b.min, a.max * b.max});
      return unless_it_wraps(type, {smallest, largest});
    }
    case operation::remainder:  // has the sign of the divisor
      return b.min > 0 ? maybe_range({0, b.max - 1}) : range_of_type(type);
    case operation::bitwise_and:
      if (a.min >= 0 && b.min >= 0) return value_range{0, std::min(a.max, b.max)};
      if (a.min >= 0) return value_range{0, a.max};
      return b.min >= 0 ? maybe_range({0, b.max}) : range_of_type(type);
    default:
      return range_of_type(type);
  }
}

maybe_range range_of_one(operation op, element_type type, const value_range& a) {
  switch (op) {
    case operation::absolute: {
      const long double largest = std::max(std::fabs(a.min), std::fabs(a.max));
      const value_range range{contains_zero(a) ? 0 : std::min(std::fabs(a.min), std::fabs(a.max)), largest};
      return is_integer(type) ? unless_it_wraps(type, range) : maybe_range(range);
    }
    case operation::negative:
      if (is_integer(type)) return unless_it_wraps(type, {-a.max, -a.min});
      // 0 would become -0
      return is_floating(type) && !contains_zero(a) ? maybe_range({-a.max, -a.min}) : range_of_type(type);
    case operation::square: {
      const maybe_range size = range_of_one(operation::absolute, type, a);
      return size ? range_of_arithmetic(operation::multiply, type, *size, *size) : range_of_type(type);
    }
    case operation::logical_not:
      return value_range{1 - a.max, 1 - a.min};
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
  // the smallest normal number of float16; fast arithmetic may take denormals for zeros
  constexpr long double min_normal = 0x1p-14L;
  const long double value = real_of(type, bits);
  const bool is_zero = value == 0 && !std::signbit(value);
  if (!std::isfinite(value) || (!is_zero && std::fabs(value) < min_normal)) return {};
  return value_range{value, value};
}

maybe_range range_of_result(operation op, element_type type, std::span<const ranged_operand> operands) {
  if (op == operation::cast) return range_of_cast(operands[0], type);
  if (op == operation::coordinate || op == operation::extent) return value_range{0, range_of_type(type)->max};
  if (moves_one_source(op)) return operands[0].range;
  if (op == operation::concatenate) {
    const maybe_range &a = operands[0].range, &b = operands[1].range;
    return a && b ? maybe_range(hull(*a, *b)) : maybe_range();
  }
  if (op == operation::where) {
    const maybe_range &condition = operands[0].range, &yes = operands[1].range, &no = operands[2].range;
    if (condition && condition->is_single()) return condition->min != 0 ? yes : no;
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
