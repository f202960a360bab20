// Complex numbers on every target, compared with the reference interpreter: functions, layouts, reductions
// along axes and scans, for both types.

#include <doctest/doctest.h>

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/types/scalar.hpp>

#include <algorithm>
#include <cmath>
#include <random>

#include "../support/sweep/sweep_reference.hpp"

namespace sinter::test {
namespace {

constexpr element_type types[] = {element_type::complex64, element_type::complex128};

std::string named(std::string_view what, element_type type) {
  return std::string(what) + " " + std::string(facts_of(type).name);
}

/// One rounding of a part.
long double unit(element_type type) { return type == element_type::complex64 ? 0x1p-24L : 0x1p-53L; }

/// Numbers in all directions, with magnitudes from 2^-20 to 2^`largest`, some on the axes, some near the unit
/// circle.
bits numbers(element_type type, std::size_t count, std::uint64_t seed, double largest = 3) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> angle(-3.14159265, 3.14159265), exponent(-20, largest);
  bits made;
  for (std::size_t i = 0; i < count; ++i) {
    const double direction = i % 7 == 0 ? 1.5707963267948966 * static_cast<double>(i / 7 % 4) : angle(random);
    const double size = i % 5 == 0 ? 1 + exponent(random) * 0x1p-12 : std::exp2(exponent(random));
    made.push_back(real_bits(component_of(type), size * std::cos(direction)));
    made.push_back(real_bits(component_of(type), size * std::sin(direction)));
  }
  return made;
}

bool is_function_of_complex(const operation_facts& row) {
  return takes_complex(row.rule) && row.rule != type_rule::logical && row.op != operation::where;
}

graph applied(const operation_facts& row, element_type type, unsigned rank, arithmetic_mode mode) {
  graph_builder builder;
  builder.restart(mode);
  const graph_value x = builder.input(type, rank), y = builder.input(type, rank);
  const std::array<graph_value, 2> both{x, y};
  builder.output(builder.apply(row.op, std::span(both).first(row.arity)));
  builder.output(builder.apply(operation::where, {builder.apply(operation::equal, {x, y}), x, y}));
  return builder.recorded();
}

graph reduced(operation op, element_type type, unsigned rank, std::uint32_t axes) {
  graph_builder builder;
  builder.restart();
  builder.output(builder.reduce(op, builder.input(type, rank), axes, false));
  return builder.recorded();
}

graph scanned(operation op, element_type type, unsigned rank, unsigned axis) {
  graph_builder builder;
  builder.restart();
  builder.output(builder.scan(op, builder.input(type, rank), axis));
  return builder.recorded();
}

/// Small Gaussian integers: sums are exact in any order. Products are of 1, -1, i and -i.
bits whole(operation op, element_type type, std::size_t count) {
  const bool sums = facts_of(op).combine == operation::add;
  bits made = whole_numbers(type, count, 7, [](std::int64_t drawn) { return drawn % 7 - 3; });
  if (sums) return made;
  const std::uint64_t one = real_bits(component_of(type), 1), minus = real_bits(component_of(type), -1);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t drawn = made[2 * i];
    made[2 * i] = drawn % 3 == 0 ? one : drawn % 3 == 1 ? 0 : minus;
    made[2 * i + 1] = made[2 * i] == 0 ? one : 0;
  }
  return made;
}

}  // namespace

TEST_SUITE("complex numbers on every target") {
  // In units of a part's rounding, by distance in the plane. Functions of large sums lose a few more.
  TEST_CASE("every function that takes them is within ten roundings of the reference") {
    const std::span<const operation_facts> rows = element_operations();
    sweep(rows.size() * std::size(types), [&](std::size_t i, failure_list& failures) {
      const operation_facts& row = rows[i / std::size(types)];
      const element_type type = types[i % std::size(types)];
      if (!is_function_of_complex(row)) return;
      // for powers the exponent's error grows with its magnitude times the logarithm
      const long double roundings = row.op == operation::power ? 120 : 10;
      const shape extents{40, 50};
      const std::vector<bits> values{numbers(type, 2000, 1), numbers(type, 2000, 2, 2)};
      for (const device on : sweep_devices())
        check_against_reference(named(row.name, type), applied(row, type, 2, arithmetic_mode::standard),
                                values, {extents, extents}, placement::contiguous, on,
                                {roundings * unit(type), 1e-30L}, failures);
    });
  }

  TEST_CASE("any layout of operands and results, in strict arithmetic too") {
    const operation_facts& row = facts_of(operation::multiply);
    sweep(std::size(types), [&](std::size_t t, failure_list& failures) {
      const element_type type = types[t];
      for (const shape& extents :
           {shape{1}, shape{3}, shape{37, 61}, shape{64, 64}, shape{3, 4099}, shape{5, 6, 7}})
        for (const placement where :
             {placement::contiguous, placement::unaligned, placement::strided, placement::padded,
              placement::backwards, placement::transposed, placement::column}) {
          if (extents.size() < 2 && (where == placement::transposed || where == placement::column)) continue;
          const std::size_t count = count_of(extents);
          const std::vector<bits> values{numbers(type, count, 3), numbers(type, count, 4)};
          for (const arithmetic_mode mode : {arithmetic_mode::standard, arithmetic_mode::strict})
            for (const device on : sweep_devices()) {
              const graph recorded = applied(row, type, static_cast<unsigned>(extents.size()), mode);
              const std::string name =
                  named("multiply " + text_of(extents) + " " + std::string(to_string(where)), type);
              if (!broadcasts(where))
                check_against_reference(name, recorded, values, {extents, extents}, where, on,
                                        {4 * unit(type), 1e-30L}, failures);
              std::vector<placed_array> arrays;
              for (const bits& operand : values) arrays.emplace_back(type, operand, extents, where, on);
              if (broadcasts(where))
                arrays[1] = placed_array(type, values[1], extents, placement::contiguous, on);
              bool untouched = true;
              const runtime::function_handle called = runtime::intern(recorded);
              const placement into = broadcasts(where) ? placement::strided : where;
              if (run_into(called, arrays, {}, on, extents, into, untouched) != run(called, arrays, {}, on))
                failures.add(on.to_string() + " " + name, "other elements where results lie so");
              if (!untouched) failures.add(on.to_string() + " " + name, "wrote between its results");
            }
        }
    });
  }

  TEST_CASE("sums and products along every axis, at every size around a warp, a block and a piece") {
    const std::vector<shape> shapes{{1},       {2},        {31},       {33},        {257},       {1025},
                                    {65537},   {1 << 20},  {3, 1},     {37, 133},   {3, 4097},   {2049, 9},
                                    {300, 33}, {5, 70000}, {70000, 2}, {4, 33, 65}, {2, 3, 4, 5}};
    sweep(shapes.size() * std::size(types), [&](std::size_t i, failure_list& failures) {
      const shape& extents = shapes[i / std::size(types)];
      const element_type type = types[i % std::size(types)];
      const auto rank = static_cast<unsigned>(extents.size());
      for (const operation op : {operation::sum, operation::prod})
        for (std::uint32_t axes = 1; axes < 1u << rank; ++axes)
          for (const device on : sweep_devices())
            check_against_reference(
                named(facts_of(op).name, type) + " of " + text_of(extents) + " along " + std::to_string(axes),
                reduced(op, type, rank, axes), {whole(op, type, count_of(extents))}, {extents},
                placement::contiguous, on, {}, failures);
    });
  }

  TEST_CASE("sums of transposed, strided and unaligned operands") {
    sweep(std::size(types), [&](std::size_t t, failure_list& failures) {
      const shape extents{130, 70};
      for (const placement where :
           {placement::transposed, placement::strided, placement::unaligned, placement::backwards})
        for (const std::uint32_t axes : {1u, 2u, 3u})
          for (const device on : sweep_devices())
            check_against_reference(named("sum", types[t]) + " " + std::string(to_string(where)) + " along " +
                                        std::to_string(axes),
                                    reduced(operation::sum, types[t], 2, axes),
                                    {whole(operation::sum, types[t], count_of(extents))}, {extents}, where,
                                    on, {}, failures);
    });
  }

  TEST_CASE("scans along rows and columns of every length") {
    const std::vector<shape> shapes{{1},       {3},      {33},       {1025},     {4097},
                                    {65537},   {7, 31},  {3, 257},   {40, 1023}, {3, 65537},
                                    {4097, 2}, {300, 8}, {4, 33, 65}};
    sweep(shapes.size() * std::size(types), [&](std::size_t i, failure_list& failures) {
      const shape& extents = shapes[i / std::size(types)];
      const element_type type = types[i % std::size(types)];
      const auto rank = static_cast<unsigned>(extents.size());
      for (const operation op : {operation::cumsum, operation::cumprod})
        for (unsigned axis = 0; axis < rank; ++axis)
          for (const device on : sweep_devices())
            check_against_reference(
                named(facts_of(op).name, type) + " of " + text_of(extents) + " along " + std::to_string(axis),
                scanned(op, type, rank, axis), {whole(op, type, count_of(extents))}, {extents},
                placement::contiguous, on, {}, failures);
    });
  }

  TEST_CASE("a long sum of fractions is as accurate as pairwise summation") {
    sweep(std::size(types), [&](std::size_t t, failure_list& failures) {
      const shape extents{1 << 18};
      for (const device on : sweep_devices())
        check_against_reference(named("sum of fractions", types[t]), reduced(operation::sum, types[t], 1, 1),
                                {numbers(types[t], count_of(extents), 5)}, {extents}, placement::contiguous,
                                on, {100 * unit(types[t]), 100}, failures);
    });
  }
}

}  // namespace sinter::test
