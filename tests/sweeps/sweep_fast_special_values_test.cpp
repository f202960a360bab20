// What fast mode promises for NaN, infinities, zeros and signs, of every function: the same as standard mode,
// wherever the exact result is neither near overflow nor below the normal numbers (docs/guide.md).

#include <doctest/doctest.h>

#include "../support/sweep/sweep_reference.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/types/scalar.hpp>

#include <cmath>
#include <functional>
#include <limits>
#include <utility>

namespace sinter::test {
namespace {

enum class kind_of_value : std::uint8_t {
  nan,
  negative_infinity,
  negative,
  negative_zero,
  zero,
  positive,
  infinity
};

kind_of_value kind_of_number(long double value) {
  const bool below = std::signbit(value);
  if (std::isnan(value)) return kind_of_value::nan;
  if (std::isinf(value)) return below ? kind_of_value::negative_infinity : kind_of_value::infinity;
  if (value == 0) return below ? kind_of_value::negative_zero : kind_of_value::zero;
  return below ? kind_of_value::negative : kind_of_value::positive;
}

/// Whether an approximation may round to infinity or zero where the exact result does not, or the other way.
bool is_near_an_end(element_type type, long double exact) {
  const element_type compute = facts_of(type).compute;
  const long double magnitude = std::fabs(exact);
  if (std::isnan(exact) || std::isinf(exact) || exact == 0) return false;
  // half a type's smallest number, computed in a wider type, may round to 0
  if (compute != type && std::fabs(magnitude / real_of(type, 1) - 0.5L) < 0x1p-10L) return true;
  const int range = compute == element_type::float64 ? 1023 : 127;
  return magnitude > std::ldexp(1.0L, range - 4) || magnitude < std::ldexp(1.0L, 8 - range);
}

/// Results whose sign and zero are not promised: quotients next to a whole number may round to either side of
/// it, sums of exponentials next to 1 have logarithms of either sign, and the error of sines is absolute.
bool may_have_either_sign(operation op, long double exact) {
  switch (op) {
    case operation::floor_divide:
    case operation::trunc_divide:
    case operation::remainder:
    case operation::fmod:
      return std::isfinite(exact);
    case operation::logaddexp:
    case operation::logaddexp2:
      return std::fabs(exact) < 0x1p-10L;
    case operation::sin:
    case operation::cos:
      return exact != 0 && std::fabs(exact) < 0x1p-20L;
    default:
      return false;
  }
}

/// The real numbers that an operation is given as a literal or a scalar.
constexpr long double infinity = std::numeric_limits<long double>::infinity();
constexpr long double numbers[] = {
    -infinity, -2.5L, -1,   -0.5L, -0.0L, 0,        1 / 3.0L,
    0.5L,      1,     1.5L, 2,     3,     infinity, std::numeric_limits<long double>::quiet_NaN()};

bits numbers_of(element_type type) {
  bits made;
  for (const long double each : numbers) made.push_back(real_bits(type, each));
  return made;
}

/// An operation of an array and each of the numbers, which are literals or scalars of a call.
graph beside_numbers(operation op, element_type type, bool number_first, bool literals) {
  graph_builder builder;
  builder.restart(arithmetic_mode::fast);
  const graph_value x = builder.input(type, 1);
  for (const std::uint64_t each : numbers_of(type)) {
    const graph_value number = literals ? builder.literal(type, each) : builder.parameter(type);
    builder.output(number_first ? builder.apply(op, {number, x}) : builder.apply(op, {x, number}));
  }
  return builder.recorded();
}

/// Adds to `failures` each element whose kind is not that of the exact result. `operands` tells those of an
/// element.
void compare(const std::string& what, operation op, const reference_array& expected, const bits& actual,
             const std::function<std::string(std::size_t)>& operands, failure_list& failures) {
  const element_type type = expected.type;
  if (!is_floating(type)) return;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const long double exact = expected.at(i).real;
    if (is_near_an_end(type, exact) || may_have_either_sign(op, exact)) continue;
    if (kind_of_number(rounded(type, exact)) == kind_of_number(real_of(type, actual[i]))) continue;
    failures.add(what + " " + std::string(facts_of(op).name) + " " + std::string(facts_of(type).name),
                 "of " + operands(i) + " is " + element_text(type, real_bits(type, exact)) + ", got " +
                     element_text(type, actual[i]));
  }
}

}  // namespace

TEST_CASE("fast mode gives NaN, infinities, zeros and signs as standard mode does") {
  std::vector<operation_group> groups;
  for (const element_type_facts& type : real_types)
    if (is_floating(type.type))
      for (operation_group& group : groups_of(type.type)) groups.push_back(std::move(group));
  sweep(groups.size(), [&](std::size_t g, failure_list& failures) {
    const operation_group& group = groups[g];
    const graph recorded = graph_of(group, arithmetic_mode::fast);
    const std::size_t special = special_values(group.type).size(), count = special * special;
    const std::vector<bits> values = inputs_of(group, count, g);  // begins with every pair of special values
    const shape extents{1, static_cast<std::int64_t>(count)};
    const std::vector<reference_array> expected =
        reference_of(recorded, values, extents, reference_precision::extended);
    for (const device on : sweep_devices()) {
      const std::vector<bits> actual =
          run(runtime::intern(recorded), place(group, values, extents, {placement::contiguous}, on), {}, on);
      for (std::size_t o = 0; o < expected.size(); ++o)
        compare(
            on.to_string(), group.operations[o], expected[o], actual[o],
            [&](std::size_t i) {
              return element_text(group.type, values[0][i]) + ", " + element_text(group.type, values[1][i]);
            },
            failures);
    }
  });
}

TEST_CASE("fast mode does so beside a literal and a scalar, too") {
  std::vector<std::pair<element_type, operation>> all;
  for (const element_type_facts& type : real_types)
    if (is_floating(type.type))
      for (const operation_group& group : groups_of(type.type))
        for (const operation op : group.operations)
          if (facts_of(op).arity == 2) all.emplace_back(type.type, op);
  sweep(4 * all.size(), [&](std::size_t item, failure_list& failures) {
    const auto [type, op] = all[item / 4];
    const bool number_first = item % 2 != 0, literals = item / 2 % 2 != 0;
    const graph recorded = beside_numbers(op, type, number_first, literals);
    const bits values = special_values(type), given = numbers_of(type);
    const shape extents{static_cast<std::int64_t>(values.size())};
    const std::vector<reference_array> expected = reference_of(
        beside_numbers(op, type, number_first, true), {values}, extents, reference_precision::extended);
    const std::vector<runtime::scalar> scalars = literals ? bits{} : given;
    for (const device on : sweep_devices()) {
      std::vector<placed_array> arrays;
      arrays.emplace_back(type, values, extents, placement::contiguous, on);
      const std::vector<bits> actual = run(runtime::intern(recorded), arrays, scalars, on);
      for (std::size_t o = 0; o < expected.size(); ++o)
        compare(
            on.to_string() + (literals ? ", literal" : ", scalar"), op, expected[o], actual[o],
            [&](std::size_t i) {
              const std::string x = element_text(type, values[i]), number = element_text(type, given[o]);
              return number_first ? number + ", " + x : x + ", " + number;
            },
            failures);
    }
  });
}

}  // namespace sinter::test
