#pragma once
// Which values the elements of a node can have, whatever a call's arrays hold.

#include <sinter/codegen/graph/operation.hpp>
#include <sinter/codegen/types/element_type.hpp>

#include <optional>
#include <span>

namespace sinter::inline v0 {

/// The least and the greatest value. Elements with a range are numbers: no NaN, infinity or -0, and none that
/// is denormal in any type, which a conversion could make a zero.
struct value_range {
  long double least = 0;
  long double greatest = 0;
  constexpr bool is_single() const { return least == greatest; }
  constexpr bool operator==(const value_range&) const = default;
};

/// One operand, and its range if it has one. Every bool and integer has one.
struct ranged_operand {
  element_type type;
  std::optional<value_range> range;
};

/// That of all values of a bool or integer type; none of other types.
std::optional<value_range> range_of_type(element_type type);

/// That of a literal.
std::optional<value_range> range_of_literal(element_type type, std::uint64_t bits);

/// That of the result of an operation; none where nothing is known of a floating result.
std::optional<value_range> range_of_result(operation op, element_type type,
                                           std::span<const ranged_operand> operands);

}  // namespace sinter::inline v0
