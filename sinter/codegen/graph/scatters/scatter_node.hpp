#pragma once
// operation::scatter: an array, some of whose elements are combined with values at positions that are values.
//
//   scatter      base, index, updates     axis, combine, rule: element (…, index (…, i, …), …) of the base is
//                                         combined with updates (…, i, …), for each i
//
// Base, index and updates have one rank; index and updates have one shape, which is the base's along all axes
// but `axis`. The index is int64. Elements are integers of 4 or 8 bytes, and are combined by an
// operation that is associative and commutative, so that the result does not depend on an order; or they are
// float32 or float64 and added in any order, by which the last bits of the result depend.

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/scatters/scatter_rule.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace sinter::inline v0 {

constexpr scatter_form form_of_scatter(const node& scatter) {
  return {static_cast<unsigned>(scatter.payload & 0xff), static_cast<operation>(scatter.payload >> 8 & 0xff),
          static_cast<scatter_rule>(scatter.payload >> 16 & 0xff),
          static_cast<unsigned>(scatter.payload >> 24)};
}
constexpr std::uint64_t payload_of(const scatter_form& form) {
  return form.axis | static_cast<std::uint64_t>(form.combine) << 8 |
         static_cast<std::uint64_t>(form.rule) << 16 | std::uint64_t{form.named_axis} << 24;
}

/// Whether an operation combines elements of this type in memory: integers in any order with one result, sums
/// of floating-point numbers with one that depends on the order.
constexpr bool combines_in_memory(operation combine, element_type type) {
  if (type == element_type::float32 || type == element_type::float64) return combine == operation::add;
  return (combine == operation::add || combine == operation::minimum || combine == operation::maximum) &&
         is_integer(type) && size_of(type) >= 4;
}

/// What kernels call this: `add`, `minimum` or `maximum`, or `sum` of floating-point numbers.
constexpr std::string_view update_name(operation combine, element_type type) {
  return combine == operation::add && is_floating(type) ? "sum" : facts_of(combine).name;
}

/// What is wrong with the types, ranks and the axis of a scatter; empty: nothing.
std::string fault_in_scatter(const graph& recorded, const node& scatter);

}  // namespace sinter::inline v0
