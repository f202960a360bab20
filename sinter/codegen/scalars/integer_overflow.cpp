#include <sinter/codegen/scalars/integer_overflow.hpp>

#include <cstdint>
#include <limits>

namespace sinter::inline v0 {
namespace {

bool power_wraps(std::int64_t base, std::int64_t exponent) {
  if (base >= -1 && base <= 1) return false;
  std::int64_t result = 1;
  for (; exponent > 0; --exponent)  // at most 64 times
    if (__builtin_mul_overflow(result, base, &result)) return true;
  return false;
}

}  // namespace

bool wraps_around(operation op, element_type compute, std::span<const reference_value> operands) {
  if (compute != element_type::int64 || operands.empty()) return false;
  const auto a = static_cast<std::int64_t>(operands[0].integer);
  const std::int64_t b = operands.size() > 1 ? static_cast<std::int64_t>(operands[1].integer) : 0;
  std::int64_t result = 0;
  switch (op) {
    case operation::add:
      return __builtin_add_overflow(a, b, &result);
    case operation::subtract:
      return __builtin_sub_overflow(a, b, &result);
    case operation::multiply:
      return __builtin_mul_overflow(a, b, &result);
    case operation::square:
      return __builtin_mul_overflow(a, a, &result);
    case operation::power:
      return power_wraps(a, b);
    case operation::negative:
    case operation::absolute:
      return a == std::numeric_limits<std::int64_t>::min();
    default:
      return false;
  }
}

}  // namespace sinter::inline v0
