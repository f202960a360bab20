// Every operation on every element type in every layout: a result's bits do not depend on its operands'
// layouts.

#include <doctest/doctest.h>

#include "../support/sweep/sweep.hpp"

#include <algorithm>
#include <array>

namespace sinter::test {
namespace {

/// The layouts of one call's operands. The shapes select each loop order of both targets, with and without
/// vectors.
struct layout_case {
  std::string_view name;
  shape extents;
  std::vector<placement> where;  ///< of inputs a, b, c, m
  /// The operations: all; all but functions of integers, which are those of reals after a cast; or all but
  /// functions, which take long to compile.
  enum class reach : std::uint8_t { everything, functions_of_reals, quick } of = reach::everything;
};

const std::vector<layout_case>& cases() {
  using enum placement;
  using enum layout_case::reach;
  static const std::vector<layout_case> all{
      {"unaligned", {33, 257}, {unaligned}, functions_of_reals},
      {"strided", {5, 261}, {strided}, quick},
      {"backwards", {33, 67}, {backwards}, functions_of_reals},
      {"padded rows of whole vectors", {9, 272}, {padded}, quick},
      {"transposed", {48, 80}, {transposed}, functions_of_reals},
      {"rows and columns", {33, 257}, {row, column, contiguous, contiguous}, functions_of_reals},
      {"short rows", {300, 3}, {contiguous, row, column, column}, functions_of_reals},
      {"one element against all", {20, 300}, {single, contiguous, row, contiguous}, quick},
      {"mixed", {65, 131}, {transposed, backwards, strided, column}, everything},
  };
  return all;
}

// NOLINTNEXTLINE(readability-function-size): two results of a call, and all that a report says of it
void expect_equal(const operation_group& group, const graph& recorded, device on, std::string_view layout,
                  const std::vector<bits>& expected, const std::vector<bits>& actual,
                  failure_list& failures) {
  for (std::size_t o = 0; o < group.operations.size(); ++o) {
    const element_type type = recorded.nodes[recorded.outputs[o]].type;
    const std::string kind = on.to_string() + " " + std::string(facts_of(group.operations[o]).name) + " " +
                             std::string(facts_of(group.type).name) + " " + std::string(layout);
    if (expected[o].size() != actual[o].size()) {
      failures.add(kind, "has " + std::to_string(actual[o].size()) + " elements");
      continue;
    }
    for (std::size_t i = 0; i < actual[o].size(); ++i)
      if (!same_element(type, expected[o][i], actual[o][i]))
        failures.add(kind, "element " + std::to_string(i) + " is " + element_text(type, actual[o][i]) +
                               ", contiguous " + element_text(type, expected[o][i]));
  }
}

/// Inputs with the case's layouts, broadcast to the whole shape.
std::vector<bits> spread_all(const std::vector<bits>& values, const layout_case& at) {
  std::vector<bits> made;
  for (std::size_t i = 0; i < values.size(); ++i)
    made.push_back(spread(values[i], at.extents, at.where[i % at.where.size()]));
  return made;
}

std::size_t count_of(const shape& extents) {
  return static_cast<std::size_t>(extents[0]) * static_cast<std::size_t>(extents[1]);
}

bool needs(const layout_case& at, const operation_group& group) {
  if (at.of == layout_case::reach::everything || !group.smooth) return true;
  return at.of == layout_case::reach::functions_of_reals && is_floating(group.type);
}

}  // namespace

TEST_CASE("every operation gives the same bits however its operands lie") {
  const std::vector<operation_group> groups = all_groups();
  failure_list failures;
  in_parallel(groups.size(), failures, [&](std::size_t g) {
    const operation_group& group = groups[g];
    const graph recorded = graph_of(group), paired = graph_of(group, arithmetic_mode::standard, true);
    const runtime::function_handle plain_function = runtime::intern(recorded),
                                   paired_function = runtime::intern(paired);
    for (const layout_case& at : cases()) {
      if (!needs(at, group)) continue;
      const bool broadcast = std::any_of(at.where.begin(), at.where.end(), broadcasts);
      const runtime::function_handle called = broadcast ? paired_function : plain_function;
      const std::vector<bits> values = inputs_of(group, count_of(at.extents), g);
      for (const device on : sweep_devices()) {
        const std::vector<bits> expected = run(
            called, place(group, spread_all(values, at), at.extents, {placement::contiguous}, on), {}, on);
        const std::vector<bits> actual = run(called, place(group, values, at.extents, at.where, on), {}, on);
        expect_equal(group, recorded, on, at.name, expected, actual, failures);
      }
    }
  });
  INFO(failures.text());
  CHECK(failures.count() == 0);
}

TEST_CASE("every operation gives the same bits at every size") {
  const std::vector<operation_group> groups = all_groups();
  constexpr std::array<std::int64_t, 37> sizes{
      0,  1,  2,   3,   4,   5,   7,   8,   9,   15,  16,  17,   31,   32,   33,   47,   48,   49,  63,
      64, 65, 127, 128, 129, 255, 256, 257, 511, 512, 513, 1023, 1024, 1025, 2047, 2049, 4096, 4097};
  failure_list failures;
  in_parallel(groups.size(), failures, [&](std::size_t g) {
    const operation_group& group = groups[g];
    const graph recorded = graph_of(group);
    const runtime::function_handle called = runtime::intern(recorded);
    const std::vector<bits> values = inputs_of(group, 4097, g);
    for (const device on : sweep_devices()) {
      const std::vector<bits> whole =
          run(called, place(group, values, {1, 4097}, {placement::contiguous}, on), {}, on);
      for (const std::int64_t size : sizes) {
        if (size == 1 && group.smooth && !is_floating(group.type)) continue;  // a separate kernel
        std::vector<bits> some = values, expected = whole;
        for (bits& of : some) of.resize(static_cast<std::size_t>(size));
        for (bits& of : expected) of.resize(static_cast<std::size_t>(size));
        const std::vector<bits> actual =
            run(called, place(group, some, {1, size}, {placement::contiguous}, on), {}, on);
        expect_equal(group, recorded, on, "size " + std::to_string(size), expected, actual, failures);
      }
    }
  });
  INFO(failures.text());
  CHECK(failures.count() == 0);
}

TEST_CASE("results may lie in any layout and nothing between their elements is written") {
  // results with every element size
  const operation_group group{element_type::int16,
                              false,
                              {operation::add, operation::greater, operation::bit_count,
                               operation::true_divide, operation::where, operation::copysign}};
  const operation_group wide{
      element_type::int64, false, {operation::subtract, operation::true_divide, operation::less}};
  failure_list failures;
  for (const operation_group& of : {group, wide}) {
    const graph recorded = graph_of(of);
    const runtime::function_handle called = runtime::intern(recorded);
    using enum placement;
    for (const shape& extents :
         {shape{33, 257}, shape{48, 80}, shape{300, 3}, shape{3, 300}, shape{1, 50}, shape{16, 272}})
      for (const placement into : {contiguous, unaligned, strided, padded, backwards, transposed})
        for (const std::vector<placement>& from :
             {std::vector{contiguous}, std::vector{transposed, backwards, strided}}) {
          const std::vector<bits> values = inputs_of(of, count_of(extents), 5);
          for (const device on : sweep_devices()) {
            const std::vector<bits> expected =
                run(called, place(of, values, extents, {contiguous}, on), {}, on);
            bool untouched = false;
            const std::vector<bits> actual =
                run_into(called, place(of, values, extents, from, on), {}, on, extents, into, untouched);
            expect_equal(of, recorded, on, to_string(into), expected, actual, failures);
            if (!untouched)
              failures.add(std::string("gaps of ") + std::string(to_string(into)), on.to_string());
          }
        }
  }
  INFO(failures.text());
  CHECK(failures.count() == 0);
}

TEST_CASE("scalars of rank 0 are operands like any other") {
  const std::vector<operation_group> groups = groups_of(element_type::float32);
  failure_list failures;
  for (const operation_group& group : groups) {
    graph_builder builder;
    std::vector<graph_value> inputs;
    for (const element_type type : input_types(group)) inputs.push_back(builder.input(type, 0));
    const graph_value row = builder.input(group.type, 1);
    for (const operation op : group.operations) {
      std::array<graph_value, 3> operands{inputs[0], inputs[1], inputs[2]};
      if (op == operation::where) operands = {inputs[3], inputs[0], inputs[1]};
      const graph_value made = builder.apply(op, std::span(operands).first(facts_of(op).arity));
      builder.output(made);
      builder.output(builder.apply(operation::where, {builder.apply(operation::isnan, {row}), made, made}));
    }
    const runtime::function_handle called = runtime::intern(builder.recorded());
    const runtime::function_handle wide = runtime::intern(graph_of(group));
    const std::vector<bits> values = inputs_of(group, 40, 3);
    for (const device on : sweep_devices()) {
      const std::vector<bits> all =
          run(wide, place(group, values, {1, 40}, {placement::contiguous}, on), {}, on);
      for (std::size_t i = 0; i < 40; i += 3) {
        std::vector<placed_array> arrays;
        const std::vector<element_type> types = input_types(group);
        for (std::size_t a = 0; a < values.size(); ++a)
          arrays.emplace_back(types[a], bits{values[a][i]}, shape{}, placement::contiguous, on);
        arrays.emplace_back(group.type, bits(5, 0), shape{5}, placement::contiguous, on);
        const std::vector<bits> actual = run(called, arrays, {}, on);
        std::vector<bits> expected, single;
        for (std::size_t o = 0; o < all.size(); ++o) {
          expected.push_back(bits{all[o][i]});
          single.push_back(actual[2 * o]);
          if (actual[2 * o + 1].size() != 5) failures.add("a scalar spread", std::to_string(o));
        }
        expect_equal(group, runtime::recorded_graph(wide), on, "rank 0", expected, single, failures);
      }
    }
  }
  INFO(failures.text());
  CHECK(failures.count() == 0);
}

}  // namespace sinter::test
