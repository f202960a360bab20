// Minima, maxima and clips by bounds that the text states have the bits of those by bounds in arrays.

#include <doctest/doctest.h>

#include "../support/loops_after.hpp"
#include "../support/sweep/sweep_array.hpp"
#include "../support/sweep/sweep_values.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/math/instruction_function.hpp>

#include <bit>
#include <cmath>

namespace sinter::test {
namespace {

constexpr element_type floating[] = {element_type::float32, element_type::float64, element_type::float16,
                                     element_type::bfloat16};

/// minimum, maximum and clip of x by two literals, then by two arrays.
graph by_literals_and_arrays(element_type type, std::uint64_t low, std::uint64_t high) {
  graph_builder builder;
  const graph_value x = builder.input(type, 1);
  const graph_value array_low = builder.input(type, 1), array_high = builder.input(type, 1);
  const auto add = [&](graph_value from, graph_value to) {
    builder.output(builder.apply(operation::minimum, {x, from}));
    builder.output(builder.apply(operation::maximum, {x, from}));
    builder.output(builder.apply(operation::clip, {x, from, to}));
  };
  add(builder.literal(type, low), builder.literal(type, high));
  add(array_low, array_high);
  return builder.recorded();
}

}  // namespace

TEST_CASE("a bound in the text gives the bits of the same bound in an array, for special values") {
  for (const device on : sweep_devices())
    for (const element_type type : floating) {
      const bits values = special_values(type);
      const shape extents{static_cast<std::int64_t>(values.size())};
      for (std::size_t i = 0; i < values.size(); ++i) {
        const std::uint64_t low = values[i], high = values[(i * 7 + 3) % values.size()];
        std::vector<placed_array> arrays;
        for (const bits& each : {values, bits(values.size(), low), bits(values.size(), high)})
          arrays.emplace_back(type, each, extents, placement::contiguous, on);
        const std::vector<bits> made =
            run(runtime::intern(by_literals_and_arrays(type, low, high)), arrays, {}, on);
        INFO(facts_of(type).name, " bounds ", low, " and ", high, " on ", on.to_string());
        for (std::size_t of = 0; of < 3; ++of)
          for (std::size_t at = 0; at < values.size(); ++at)
            CHECK(same_element(type, made[of][at], made[of + 3][at]));
      }
    }
}

TEST_CASE("one comparison decides where the bound is a number other than -0, and only in the text") {
  const auto function_by = [](element_type type, std::uint64_t bound, const target_facts& target) {
    graph_builder builder;
    const graph_value x = builder.input(type, 1);
    builder.output(builder.apply(operation::maximum, {x, builder.literal(type, bound)}));
    const lowered_call lowered = lower(builder.recorded(), {contiguous({1000}, type)}, target);
    const kernel_description kernel = read_signature(lowered.stages[0].signature).value();
    for (const instruction& at : kernel.body.body)
      if (at.op == operation::maximum) return codegen::function_of(kernel, at);
    return std::string();
  };
  constexpr std::uint64_t negative_zero = 0x8000000000000000, nan = 0x7ff8000000000000;
  const element_type f64 = element_type::float64;
  CHECK(function_by(f64, 0, cuda_facts()) == "maximum_bound_f64");
  CHECK(function_by(f64, negative_zero, cuda_facts()) == "maximum_f64");
  CHECK(function_by(f64, nan, cuda_facts()) == "maximum_f64");
  CHECK(function_by(f64, 0, cpu_facts()) == "maximum_bound_f64");
  CHECK(function_by(element_type::float16, 0, cpu_facts()) == "maximum_bound_f32");
  // one instruction for any operands
  CHECK(function_by(element_type::float32, 0, cuda_facts()) == "maximum_f32");
}

TEST_CASE("a reduction's combine takes no bound for its operand, whichever instruction a literal is") {
  for (const device on : sweep_devices())
    for (const operation op : {operation::max, operation::min}) {
      // the nest's instructions 0 and 1 are the input and the literal in one order or the other
      for (const bool literal_first : {false, true}) {
        graph_builder builder;
        const graph_value x = builder.input(element_type::float32, 2);
        const graph_value two = builder.literal(element_type::float32, 0x40000000);
        const graph_value scaled = literal_first ? builder.apply(operation::hypot, {two, x})
                                                 : builder.apply(operation::hypot, {x, two});
        // of what the literal takes part in: it is an instruction of the reduction's own nest
        builder.output(builder.reduce(op, scaled, 2, false));
        for (const std::int64_t length : {2, 33, 1000}) {
          bits values(static_cast<std::size_t>(3 * length), 0x3f800000);
          for (std::size_t row = 0; row < 3; ++row)  // NaN as the first, middle and last element
            values[row * static_cast<std::size_t>(length) + row * static_cast<std::size_t>(length - 1) / 2] =
                0x7fc00000;
          std::vector<placed_array> arrays;
          arrays.emplace_back(element_type::float32, values, shape{3, length}, placement::contiguous, on);
          const std::vector<bits> made = run(runtime::intern(builder.recorded()), arrays, {}, on);
          INFO(facts_of(op).name, " of rows of ", length, " on ", on.to_string());
          for (const std::uint64_t of_row : made[0])
            CHECK(std::isnan(std::bit_cast<float>(static_cast<std::uint32_t>(of_row))));
        }
      }
    }
}

}  // namespace sinter::test
