// The guarantees of the arithmetic modes.

#include <doctest/doctest.h>

#include "../support/sweep/sweep.hpp"

#include <cmath>
#include <cstring>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/types/scalar.hpp>

namespace sinter::test {
namespace {

constexpr element_type f32 = element_type::float32;

void expect_reference(const graph& recorded, const std::vector<bits>& values, const shape& extents,
                      const std::vector<bits>& actual, const std::string& kind, failure_list& failures) {
  const std::vector<reference_array> expected =
      reference_of(recorded, values, extents, reference_precision::native);
  for (std::size_t o = 0; o < expected.size(); ++o)
    for (std::size_t i = 0; i < actual[o].size(); ++i) {
      const element_type type = expected[o].type;
      const std::uint64_t wanted = store_reference(type, expected[o].at(i));
      if (!same_element(type, wanted, actual[o][i]))
        failures.add(kind + " " + std::string(facts_of(type).name),
                     "of " + element_text(recorded.inputs[0].type, values[0][i]) + " is " +
                         element_text(type, wanted) + ", got " + element_text(type, actual[o][i]));
    }
}

std::vector<placed_array> place_all(const graph& recorded, const std::vector<bits>& values,
                                    const shape& extents, device on) {
  std::vector<placed_array> made;
  for (std::size_t i = 0; i < values.size(); ++i)
    made.emplace_back(recorded.inputs[i].type, values[i], extents, placement::contiguous, on);
  return made;
}

}  // namespace

TEST_CASE("a half type becomes every bit pattern's value and comes back unchanged") {
  for (const element_type half : {element_type::float16, element_type::bfloat16}) {
    graph_builder builder;
    const graph_value x = builder.input(half, 1);
    builder.output(builder.cast(x, f32));
    builder.output(builder.cast(builder.cast(x, f32), half));
    builder.output(builder.apply(operation::negative, {x}));
    bits values(65536);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = i;
    const graph& recorded = builder.recorded();
    failure_list failures;
    for (const device on : sweep_devices())
      expect_reference(recorded, {values}, {65536},
                       run(runtime::intern(recorded), place_all(recorded, {values}, {65536}, on), {}, on),
                       on.to_string() + " " + std::string(facts_of(half).name), failures);
    INFO(failures.text());
    CHECK(failures.count() == 0);
  }
}

TEST_CASE("strict arithmetic is bit for bit the reference's, operation by operation, on every target") {
  failure_list failures;
  in_parallel(real_types.size(), failures, [&](std::size_t t) {
    const element_type type = real_types[t].type;
    if (is_boolean(type)) return;
    graph_builder builder;
    builder.restart(arithmetic_mode::strict);
    const graph_value a = builder.input(type, 1), b = builder.input(type, 1), c = builder.input(type, 1);
    const auto apply = [&](operation op, graph_value x, graph_value y) { return builder.apply(op, {x, y}); };
    // would be fused and contracted in any other mode
    const graph_value product = apply(operation::multiply, a, b);
    builder.output(apply(operation::add, product, c));
    builder.output(apply(operation::subtract, c, product));
    builder.output(
        apply(operation::subtract, apply(operation::multiply, a, a), apply(operation::multiply, b, b)));
    builder.output(apply(operation::add, apply(operation::true_divide, a, b), c));
    builder.output(
        builder.apply(operation::sqrt, {apply(operation::add, apply(operation::multiply, a, a), c)}));
    builder.output(apply(operation::multiply, apply(operation::add, a, b), apply(operation::subtract, a, c)));
    operand_values operands = sweep_operands(type, 4000, t);
    const std::vector<bits> values{operands.first, operands.second, operands.third};
    const graph& recorded = builder.recorded();
    for (const device on : sweep_devices())
      expect_reference(recorded, values, {4000},
                       run(runtime::intern(recorded), place_all(recorded, values, {4000}, on), {}, on),
                       on.to_string() + " " + std::string(facts_of(type).name), failures);
  });
  INFO(failures.text());
  CHECK(failures.count() == 0);
}

TEST_CASE("standard arithmetic rounds a product that only a sum uses once, on every target") {
  for (const element_type type : {f32, element_type::float64}) {
    graph_builder builder;
    const graph_value a = builder.input(type, 1), b = builder.input(type, 1), c = builder.input(type, 1);
    const auto product = [&] { return builder.apply(operation::multiply, {a, b}); };
    builder.output(builder.apply(operation::add, {product(), c}));
    builder.output(builder.apply(operation::subtract, {c, builder.apply(operation::multiply, {a, a})}));
    builder.output(builder.apply(operation::subtract, {builder.apply(operation::multiply, {c, c}), a}));
    operand_values operands = sweep_operands(type, 5000, 1);
    const std::vector<bits> values{operands.first, operands.second, operands.third};
    const graph& recorded = builder.recorded();
    std::size_t wrong = 0;
    for (const device on : sweep_devices()) {
      const std::vector<bits> actual =
          run(runtime::intern(recorded), place_all(recorded, values, {5000}, on), {}, on);
      for (std::size_t i = 0; i < 5000; ++i) {
        const auto fused = [&](long double x, long double y, long double z) {
          return type == f32
                     ? real_bits(type,
                                 static_cast<long double>(std::fma(
                                     static_cast<float>(x), static_cast<float>(y), static_cast<float>(z))))
                     : real_bits(type, static_cast<long double>(std::fma(static_cast<double>(x),
                                                                         static_cast<double>(y),
                                                                         static_cast<double>(z))));
        };
        const long double x = real_of(type, values[0][i]), y = real_of(type, values[1][i]),
                          z = real_of(type, values[2][i]);
        wrong += !same_element(type, actual[0][i], fused(x, y, z));
        wrong += !same_element(type, actual[1][i], fused(-x, x, z));
        wrong += !same_element(type, actual[2][i], fused(z, z, -x));
      }
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("fast arithmetic is within a thousandth, and special values stay special") {
  failure_list failures;
  std::vector<operation_group> groups;
  for (const element_type_facts& type : real_types)
    if (is_floating(type.type))
      for (operation_group& group : groups_of(type.type)) groups.push_back(std::move(group));
  in_parallel(groups.size(), failures, [&](std::size_t g) {
    const operation_group& group = groups[g];
    const graph recorded = graph_of(group, arithmetic_mode::fast);
    // moderate operands: fast functions lose accuracy with the magnitude of their argument
    std::vector<bits> values = inputs_of(group, 3000, g);
    for (std::size_t operand = 0; operand < 3; ++operand)
      for (std::size_t i = 0; i < 3000; ++i) {
        const long double unit =
            std::fmod(static_cast<long double>((i + 1) * (7919 + 104 * operand)), 10007) / 10007;
        values[operand][i] = real_bits(group.type, (i % 3 == 0 ? -8 : 8) * unit);
      }
    const std::vector<reference_array> expected =
        reference_of(recorded, values, {3, 1000}, reference_precision::extended);
    for (const device on : sweep_devices()) {
      const std::vector<bits> actual = run(
          runtime::intern(recorded), place(group, values, {3, 1000}, {placement::contiguous}, on), {}, on);
      for (std::size_t o = 0; o < expected.size(); ++o) {
        const element_type type = expected[o].type;
        if (!is_floating(type)) continue;
        const operation op = group.operations[o];
        // quotients near an integer may round to either side
        if (op == operation::floor_divide || op == operation::trunc_divide || op == operation::remainder ||
            op == operation::fmod)
          continue;
        const long double rounding = type == element_type::bfloat16 ? 0x1p-8L : 0x1p-11L;
        for (std::size_t i = 0; i < actual[o].size(); ++i) {
          const long double wanted = expected[o].at(i).real, got = real_of(type, actual[o][i]);
          const bool close =
              std::isnan(wanted) ? std::isnan(got)
              : std::isinf(rounded(type, wanted))
                  ? got == rounded(type, wanted)
                  : std::fabs(got - wanted) <= (0x1p-10L + rounding) * std::fabs(wanted) + 0x1p-18L;
          if (!close)
            failures.add(on.to_string() + " " + std::string(facts_of(op).name) + " " +
                             std::string(facts_of(type).name),
                         "of " + element_text(group.type, values[0][i]) + ", " +
                             element_text(group.type, values[1][i]) + " is " +
                             element_text(type, real_bits(type, wanted)) + ", got " +
                             element_text(type, actual[o][i]));
        }
      }
    }
  });
  INFO(failures.text());
  CHECK(failures.count() == 0);
}

}  // namespace sinter::test
