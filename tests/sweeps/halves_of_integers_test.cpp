// An integer, or a float that was one, is rounded when it becomes a float16 or a bfloat16, also where nothing
// but its size makes that rounding inexact: a compiler that knows that the low digits are zeros must not take
// the conversion for exact. CUDA's texts are run by the simulator.

#include <doctest/doctest.h>

#include "../support/cuda/cuda_simulator.hpp"
#include "../support/sweep/sweep_reference.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/types/scalar.hpp>
#include <sinter/dsl/extern_function.hpp>
#include <sinter/sinter.hpp>

#include <algorithm>

namespace sinter::test {
namespace {

constexpr element_type narrow[] = {element_type::int8, element_type::uint8, element_type::int16,
                                   element_type::uint16};
constexpr element_type wide[] = {element_type::int32, element_type::uint32, element_type::int64,
                                 element_type::uint64};
constexpr arithmetic_mode modes[] = {arithmetic_mode::standard, arithmetic_mode::strict,
                                     arithmetic_mode::fast};

/// An integer whose low digits are known to be zeros.
enum class known { product, mask, shift, choice };

graph_value integer_of(graph_builder& builder, graph_value x, known how, unsigned zeros) {
  const element_type type = x.type.type;
  const auto number = [&](std::uint64_t value) { return builder.literal(type, canonical_bits(type, value)); };
  const std::uint64_t unit = std::uint64_t{1} << zeros;
  if (how == known::product) return builder.apply(operation::multiply, {x, number(unit)});
  if (how == known::shift) return builder.apply(operation::left_shift, {x, number(zeros)});
  const graph_value masked = builder.apply(operation::bitwise_and, {x, number(0 - unit)});
  if (how == known::mask) return masked;
  const graph_value is_whole = builder.apply(operation::equal, {x, masked});
  return builder.apply(operation::where, {is_whole, x, number(unit)});
}

/// The half by every way to it: straight, by wider floats, by operations that only choose or change signs.
std::vector<graph_value> halves_of(graph_builder& builder, graph_value x, element_type half) {
  std::vector<graph_value> made{builder.cast(x, half)};
  for (const element_type by : {element_type::float32, element_type::float64}) {
    const graph_value wide = builder.cast(x, by);
    const graph_value choice = builder.apply(
        operation::where, {builder.apply(operation::equal, {x, builder.literal(x.type.type, 0)}),
                           builder.literal(by, real_bits(by, 5)), wide});
    for (const graph_value at : {wide, builder.apply(operation::negative, {wide}),
                                 builder.apply(operation::absolute, {wide}), choice})
      made.push_back(builder.cast(at, half));
  }
  return made;
}

void use(graph_builder& builder, graph_value at) {
  const element_type half = at.type.type;
  for (const operation op : {operation::isfinite, operation::isinf, operation::isnan, operation::signbit,
                             operation::sign, operation::floor, operation::negative})
    builder.output(builder.apply(op, {at}));
  const graph_value most = builder.literal(half, real_bits(half, 65504));
  const graph_value is_infinite = builder.apply(operation::isinf, {at});
  builder.output(builder.apply(operation::greater, {at, most}));
  builder.output(builder.apply(operation::where, {is_infinite, most, at}));
  builder.output(builder.cast(at, element_type::float64));
  builder.output(builder.cast(at, element_type::int32));
  builder.output(at);
}

/// A half that one way leads to, of an integer of which so many last digits are known.
struct half_of_integer {
  element_type from, half;
  known how;
  unsigned zeros;
  std::size_t way;
};

std::string name_of(const half_of_integer& made, arithmetic_mode mode) {
  return std::string(facts_of(made.from).name) + " to " + std::string(facts_of(made.half).name) +
         ", known by " + std::to_string(static_cast<int>(made.how)) + ", way " + std::to_string(made.way) +
         ", mode " + std::to_string(static_cast<int>(mode));
}

graph used(const half_of_integer& made, arithmetic_mode mode) {
  graph_builder builder;
  builder.restart(mode);
  const graph_value x = builder.input(made.from, 1);
  use(builder, halves_of(builder, integer_of(builder, x, made.how, made.zeros), made.half)[made.way]);
  return builder.recorded();
}

/// Every way, for wide integers by every kind of knowledge. Of the digits one is left, or some that a half
/// holds.
std::vector<half_of_integer> all_halves() {
  constexpr std::size_t ways = 9;
  std::vector<half_of_integer> made;
  for (std::size_t way = 0; way < ways; ++way) {
    for (const element_type from : narrow)
      made.push_back(
          {from, element_type::float16, known::product, static_cast<unsigned>(8 * size_of(from) - 1), way});
    for (const element_type from : wide) {
      const auto width = static_cast<unsigned>(8 * size_of(from));
      for (const known how : {known::product, known::mask, known::shift, known::choice})
        made.push_back({from, element_type::float16, how, width - (how == known::product ? 1 : 9), way});
      made.push_back({from, element_type::bfloat16, known::product, width - 7, way});
    }
  }
  return made;
}

bits values_of(element_type type) {
  bits made;
  for (unsigned power = 0; power < 64; ++power)
    for (const std::uint64_t near : {std::uint64_t{1} << power, std::uint64_t{3} << power})
      for (const std::uint64_t each : {near, 0 - near, near - 1}) made.push_back(canonical_bits(type, each));
  std::ranges::sort(made);
  made.erase(std::ranges::unique(made).begin(), made.end());
  return made;
}

}  // namespace

TEST_CASE("integers with low digits of zero, and floats that were such, are rounded to halves") {
  const std::vector<half_of_integer> all = all_halves();
  sweep(all.size(), [&](std::size_t i, failure_list& failures) {
    const bits values = values_of(all[i].from);
    const arithmetic_mode mode = modes[i % std::size(modes)];
    for (const device on : sweep_devices())
      check_against_reference(name_of(all[i], mode), used(all[i], mode), {values},
                              {shape{static_cast<std::int64_t>(values.size())}}, placement::contiguous, on,
                              {}, failures);
  });
}

TEST_CASE("CUDA's texts round integers with low digits of zero to halves") {
  const std::vector<half_of_integer> all = all_halves();
  sweep(all.size(), [&](std::size_t i, failure_list& failures) {
    if (all[i].how != known::product) return;
    const element_type from = all[i].from;
    const bits values = values_of(from);
    const shape extents{static_cast<std::int64_t>(values.size())};
    const graph recorded = used(all[i], arithmetic_mode::strict);
    std::vector<placed_array> arrays;
    arrays.emplace_back(from, values, extents, placement::contiguous, device::cpu());
    const std::vector<bits> made = simulate(recorded, {arrays[0].operand()}, {});
    std::vector<reference_array> expected;
    interpret(recorded, std::vector{load_reference(from, extents, pack(from, values).data())}, {}, expected,
              reference_precision::extended);
    for (std::size_t o = 0; o < made.size(); ++o)
      for (std::size_t e = 0; e < made[o].size(); ++e) {
        const element_type type = expected[o].type;
        const std::uint64_t wanted = store_reference(type, expected[o].at(e));
        if (!same_element(type, made[o][e], wanted))
          failures.add(name_of(all[i], arithmetic_mode::strict),
                       "result " + std::to_string(o) + " element " + std::to_string(e) + " is " +
                           element_text(type, made[o][e]) + ", not " + element_text(type, wanted));
      }
  });
}

TEST_CASE("what a user's function makes of integers is rounded to halves") {
  const extern_function<float(std::int32_t)> raised(
      "raised", {.cpp = "extern \"C\" float raised(int n) { return (float)(int)((unsigned)n << 24); }"});
  const auto x = array<std::int32_t, 1>::from(std::vector<std::int32_t>{0, 1, 64, 256}, {4}, device::cpu());
  const auto made = fuse([&](auto n) { return isfinite(astype<float16>(raised(n))); })(x);
  CHECK(made.to_vector() == std::vector<bool>{true, false, false, true});
}

}  // namespace sinter::test
