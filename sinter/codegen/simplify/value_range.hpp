#pragma once
// Which values the elements of a node can have, whatever a call's arrays hold.

#include <sinter/codegen/graph/operation.hpp>
#include <sinter/codegen/types/element_type.hpp>

#include <optional>
#include <span>

namespace sinter::inline v0 {

/// The smallest and the largest value. Elements with a range are numbers: no NaN, infinity or -0, and none
/// that is denormal in any type, which a conversion could make a zero.
struct value_range {
  /// Zeros that arithmetic on ranges gives a sign lose it.
  constexpr value_range(long double smallest, long double largest)
      : min(smallest + 0.0L), max(largest + 0.0L) {}
  constexpr bool is_single() const { return min == max; }
  constexpr bool operator==(const value_range&) const = default;

  long double min;
  long double max;
};

/// One operand, and its range if it has one. Every bool and integer has one.
struct ranged_operand {
  element_type type;
  std::optional<value_range> range;
};

/// The range of all values of a bool or integer type; none for other types.
std::optional<value_range> range_of_type(element_type type);

/// The range of a literal; none for what is no number, or is denormal in some type.
std::optional<value_range> range_of_literal(element_type type, std::uint64_t bits);

/// The range of an operation's result; none where nothing is known of a floating result.
std::optional<value_range> range_of_result(operation op, element_type type,
                                           std::span<const ranged_operand> operands);

}  // namespace sinter::inline v0
