// What fast mode promises for NaN, infinities, zeros and signs, of every function: the same as standard mode,
// wherever the exact result is neither near overflow nor below the normal numbers (docs/guide.md).

#include <doctest/doctest.h>

#include "../support/sweep/sweep.hpp"

#include <sinter/codegen/types/scalar.hpp>

#include <cmath>

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
  const element_type compute = facts(type).compute;
  const long double magnitude = std::fabs(exact);
  if (std::isnan(exact) || std::isinf(exact) || exact == 0) return false;
  const int range = compute == element_type::float64 ? 1023 : 127;
  return magnitude > std::ldexp(1.0L, range - 4) || magnitude < std::ldexp(1.0L, 8 - range);
}

/// Results whose sign and zero are not promised: quotients next to a whole number may round to either side of
/// it, and sums of exponentials next to 1 have logarithms of either sign.
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
    default:
      return false;
  }
}

}  // namespace

TEST_CASE("fast mode gives NaN, infinities, zeros and signs as standard mode does") {
  failure_list failures;
  std::vector<operation_group> groups;
  for (const element_type_facts& type : real_types)
    if (is_floating(type.type))
      for (operation_group& group : groups_of(type.type)) groups.push_back(std::move(group));
  in_parallel(groups.size(), failures, [&](std::size_t g) {
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
      for (std::size_t o = 0; o < expected.size(); ++o) {
        const element_type type = expected[o].type;
        const operation op = group.operations[o];
        if (!is_floating(type)) continue;
        for (std::size_t i = 0; i < actual[o].size(); ++i) {
          const long double exact = expected[o].at(i).real;
          if (is_near_an_end(type, exact) || may_have_either_sign(op, exact)) continue;
          if (kind_of_number(rounded(type, exact)) == kind_of_number(real_of(type, actual[o][i]))) continue;
          failures.add(
              on.to_string() + " " + std::string(facts(op).name) + " " + std::string(facts(type).name),
              "of " + element_text(group.type, values[0][i]) + ", " + element_text(group.type, values[1][i]) +
                  " is " + element_text(type, real_bits(type, exact)) + ", got " +
                  element_text(type, actual[o][i]));
        }
      }
    }
  });
  INFO(failures.text());
  CHECK(failures.count() == 0);
}

}  // namespace sinter::test
