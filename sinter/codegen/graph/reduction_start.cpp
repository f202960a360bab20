#include <sinter/codegen/graph/reduction_start.hpp>
#include <sinter/codegen/types/scalar.hpp>

#include <limits>

namespace sinter::inline v0 {
namespace {

std::uint64_t integer_start(reduction_start start, element_type type) {
  const unsigned width = 8 * static_cast<unsigned>(size_of(type));
  const std::uint64_t ones = ~std::uint64_t{0} >> (64 - width), top = std::uint64_t{1} << (width - 1);
  const bool is_signed = kind_of(type) == element_kind::signed_integer;
  switch (start) {
    case reduction_start::one:
      return 1;
    case reduction_start::lowest:
      return is_signed ? top : 0;
    case reduction_start::highest:
      return canonical_bits(type, is_signed ? ones ^ top : ones);
    default:
      return 0;
  }
}

}  // namespace

std::uint64_t start_bits(operation op, element_type type) {
  const reduction_start start = facts_of(op).start;
  // integers have no NaN: nanmax and nanmin start as max and min do
  const reduction_start extreme =
      facts_of(op).combine == operation::fmax ? reduction_start::lowest : reduction_start::highest;
  if (!is_floating(type))
    return integer_start(start == reduction_start::not_a_number ? extreme : start, type);
  constexpr long double infinity = std::numeric_limits<long double>::infinity();
  switch (start) {
    case reduction_start::one:
      return real_bits(type, 1);
    case reduction_start::negative_zero:
      return real_bits(type, -0.0L);
    case reduction_start::lowest:
      return real_bits(type, -infinity);
    case reduction_start::highest:
      return real_bits(type, infinity);
    case reduction_start::not_a_number:
      return real_bits(type, std::numeric_limits<long double>::quiet_NaN());
    default:
      return real_bits(type, 0);
  }
}

}  // namespace sinter::inline v0
