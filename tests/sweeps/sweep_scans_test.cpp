// Scans on every target, compared with the reference interpreter: operations, types, axes, shapes and
// layouts, and operations fused before, between and after them.

#include <doctest/doctest.h>

#include <algorithm>

#include "../support/sweep/sweep_reference.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/types/scalar.hpp>
#include <sinter/sinter.hpp>

#include <cmath>
#include <limits>

namespace sinter::test {
namespace {

graph single(operation op, element_type type, const shape& extents, unsigned axis) {
  graph_builder builder;
  builder.restart();
  builder.output(builder.scan(op, builder.input(type, static_cast<unsigned>(extents.size())), axis));
  return builder.recorded();
}

/// Small whole numbers, for products 1 and -1: every type represents each result exactly, in any order. For
/// half types few are not 0.
bits values_for(operation op, element_type type, std::size_t count, std::uint64_t seed) {
  return whole_numbers(type, count, seed, [&](std::int64_t drawn) -> std::int64_t {
    if (op == operation::cumprod) return drawn % 2 == 0 ? 1 : -1;
    if (op == operation::cumsum && is_storage_only(type))
      return drawn % 16 == 0 ? 1 : drawn % 16 == 1 ? -1 : 0;
    return drawn % 7 - 3;
  });
}

// NOLINTNEXTLINE(readability-function-size): a whole call, and how its result may differ
void check(const std::string& name, const graph& recorded, const shape& extents, operation op, device on,
           failure_list& failures, placement where = placement::contiguous, double tolerance = 0) {
  std::vector<bits> values;
  for (std::size_t i = 0; i < recorded.inputs.size(); ++i)
    values.push_back(values_for(op, recorded.inputs[i].type, count_of(extents), i + 1));
  check_against_reference(name, recorded, values, std::vector(values.size(), extents), where, on,
                          {tolerance, 1}, failures);
}

constexpr operation scans[] = {operation::cumsum, operation::cumprod};
constexpr element_type types[] = {element_type::boolean,  element_type::int8,    element_type::int32,
                                  element_type::int64,    element_type::uint32,  element_type::float16,
                                  element_type::bfloat16, element_type::float32, element_type::float64};

}  // namespace

TEST_CASE("every scan of every type along rows and columns") {
  sweep(std::size(scans) * std::size(types), [&](std::size_t i, failure_list& failures) {
    const operation op = scans[i % std::size(scans)];
    const element_type type = types[i / std::size(scans)];
    for (const shape& extents : {shape{37, 133}, shape{5, 4, 129}})
      for (unsigned axis = 0; axis < extents.size(); ++axis)
        for (const device on : sweep_devices())
          check(std::string(facts_of(op).name) + " " + std::string(facts_of(type).name) + " of " +
                    text_of(extents) + " along " + std::to_string(axis),
                single(op, type, extents, axis), extents, op, on, failures);
  });
}

TEST_CASE("sums up to each element at every size around a warp, a block, a chunk and a piece") {
  const std::vector<shape> shapes{
      {0},        {1},        {2},        {3},         {31},        {32},         {33},         {255},
      {256},      {257},      {1023},     {1024},      {1025},      {4095},       {4096},       {4097},
      {65535},    {65536},    {65537},    {1 << 20},   {3, 0},      {0, 3},       {3, 1},       {1, 3},
      {5, 2},     {4, 3},     {7, 31},    {9, 64},     {300, 33},   {3, 257},     {40, 1023},   {2, 4096},
      {3, 4097},  {2, 20000}, {3, 65537}, {1025, 3},   {4097, 2},   {300, 8},     {4095, 17},   {70000, 1},
      {70000, 9}, {257, 100}, {3, 5, 7},  {4, 33, 65}, {2, 300, 9}, {2, 3, 4, 5}, {3, 1, 40, 2}};
  sweep(shapes.size(), [&](std::size_t i, failure_list& failures) {
    const shape& extents = shapes[i];
    const auto rank = static_cast<unsigned>(extents.size());
    for (unsigned axis = 0; axis < rank; ++axis)
      for (const placement where : {placement::contiguous, placement::padded, placement::unaligned}) {
        if (where == placement::padded && rank != 2) continue;
        for (const device on : sweep_devices())
          check("cumsum of " + text_of(extents) + " along " + std::to_string(axis) + " " +
                    std::string(to_string(where)),
                single(operation::cumsum, element_type::float32, extents, axis), extents, operation::cumsum,
                on, failures, where);
      }
  });
}

TEST_CASE("scans of strided, reversed and transposed operands, into such results") {
  failure_list failures;
  for (const placement where : {placement::strided, placement::backwards, placement::transposed})
    for (const shape& extents : {shape{40, 70}, shape{130, 9}, shape{3, 3000}})
      for (unsigned axis = 0; axis < 2; ++axis)
        for (const device on : sweep_devices()) {
          const std::string name = "cumsum " + std::string(to_string(where)) + " " + text_of(extents) +
                                   " along " + std::to_string(axis);
          const graph recorded = single(operation::cumsum, element_type::float32, extents, axis);
          check(name, recorded, extents, operation::cumsum, on, failures, where);
          const bits values = values_for(operation::cumsum, element_type::float32, count_of(extents), 1);
          std::vector<placed_array> arrays;
          arrays.emplace_back(element_type::float32, values, extents, placement::contiguous, on);
          bool untouched = true;
          const runtime::function_handle called = runtime::intern(recorded);
          if (run_into(called, arrays, {}, on, extents, where, untouched) != run(called, arrays, {}, on))
            failures.add(on.to_string() + " " + name, "other elements where results lie so");
          if (!untouched) failures.add(on.to_string() + " " + name, "wrote between its results");
        }
  INFO(failures.text());
  CHECK(failures.count() == 0);
}

namespace {

using recording = std::function<void(graph_builder&, graph_value, unsigned axis)>;

std::uint32_t mask_of(unsigned axis) { return 1u << axis; }

graph_value centred(graph_builder& b, graph_value x, unsigned axis) {
  return b.apply(operation::subtract, {x, b.reduce(operation::max, x, mask_of(axis), true)});
}

void backwards_and_in_part(graph_builder& b, graph_value x, unsigned axis) {
  std::array<view_item, 2> down{}, first{};
  down[axis].step = literal_bound(-1);
  first[axis].stop = literal_bound(2);
  const graph_value sums = b.scan(operation::cumsum, b.view(x, down), axis);
  b.output(b.view(sums, down));
  b.output(b.view(sums, first));
}

/// Scans with work before and after them.
std::vector<std::pair<const char*, recording>> programs_with_scans() {
  return {
      {"of squares",
       [](graph_builder& b, graph_value x, unsigned axis) {
         b.output(b.scan(operation::cumsum, b.apply(operation::square, {x}), axis));
       }},
      {"less its operand",
       [](graph_builder& b, graph_value x, unsigned axis) {
         b.output(b.apply(operation::subtract, {b.scan(operation::cumsum, x, axis), x}));
       }},
      {"of a scan",
       [](graph_builder& b, graph_value x, unsigned axis) {
         const graph_value signs = b.scan(operation::cumprod, b.apply(operation::sign, {x}), axis);
         b.output(b.apply(operation::add, {b.scan(operation::cumsum, signs, axis), x}));
       }},
      {"of a scan along the other axis",
       [](graph_builder& b, graph_value x, unsigned axis) {
         b.output(b.scan(operation::cumsum, b.scan(operation::cumsum, x, 1 - axis), axis));
       }},
      {"reduced",
       [](graph_builder& b, graph_value x, unsigned axis) {
         const graph_value sums = b.scan(operation::cumsum, x, axis);
         b.output(b.reduce(operation::max, sums, mask_of(axis)));
         b.output(b.reduce(operation::sum, b.apply(operation::less, {sums, x}), mask_of(1 - axis)));
         b.output(b.reduce(operation::argmax, sums, mask_of(axis)));
       }},
      {"of elements less the largest, over their sum",
       [](graph_builder& b, graph_value x, unsigned axis) {
         const graph_value sums = b.scan(operation::cumsum, centred(b, x, axis), axis);
         b.output(b.apply(operation::subtract, {sums, b.reduce(operation::min, sums, mask_of(axis), true)}));
       }},
      {"of elements less the whole's largest",
       [](graph_builder& b, graph_value x, unsigned axis) {
         b.output(b.scan(operation::cumsum,
                         b.apply(operation::subtract, {x, b.reduce(operation::max, x, 3u, true)}), axis));
       }},
      {"of a reduction",
       [](graph_builder& b, graph_value x, unsigned axis) {
         b.output(b.scan(operation::cumsum, b.reduce(operation::max, x, mask_of(axis)), 0));
       }},
      {"backwards and in part", backwards_and_in_part},
      {"beside what has no scan",
       [](graph_builder& b, graph_value x, unsigned axis) {
         b.output(b.scan(operation::cumsum, x, axis));
         b.output(b.apply(operation::negative, {x}));
         b.output(b.scan(operation::cumsum, x, 1 - axis));
       }},
      {"of positions",
       [](graph_builder& b, graph_value x, unsigned axis) {
         b.output(b.scan(operation::cumsum, b.coordinate(x, axis), axis));
         b.output(b.scan(operation::cumsum, b.coordinate(x, 1 - axis), axis));
       }},
  };
}

}  // namespace

TEST_CASE("scans are fused with what feeds them and what they feed, or cut where they must be") {
  const std::vector<shape> shapes{{60, 200}, {3, 5000}, {2, 70000}, {1, 200000}, {5000, 12}, {70000, 2}};
  const auto programs = programs_with_scans();
  sweep(shapes.size() * programs.size(), [&](std::size_t i, failure_list& failures) {
    const shape& extents = shapes[i % shapes.size()];
    const auto& [name, program] = programs[i / shapes.size()];
    for (unsigned axis = 0; axis < 2; ++axis) {
      graph_builder builder;
      builder.restart();
      program(builder, builder.input(element_type::float32, 2), axis);
      for (const device on : sweep_devices())
        check(std::string("cumsum ") + name + ", " + text_of(extents) + " along " + std::to_string(axis),
              builder.recorded(), extents, operation::cumsum, on, failures);
    }
  });
}

TEST_CASE("shares of a softmax add up to one along the axis") {
  const std::vector<shape> shapes{{5, 7}, {33, 64}, {9, 1000}, {2, 5000}, {2, 40000}, {1, 200000}, {1000, 3}};
  sweep(shapes.size(), [&](std::size_t i, failure_list& failures) {
    for (unsigned axis = 0; axis < 2; ++axis) {
      graph_builder b;
      b.restart();
      const graph_value x = b.input(element_type::float32, 2);
      const std::uint32_t axes = 1u << axis;
      const graph_value powers = b.apply(
          operation::exp, {b.apply(operation::subtract, {x, b.reduce(operation::max, x, axes, true)})});
      const graph_value shares =
          b.apply(operation::true_divide, {powers, b.reduce(operation::sum, powers, axes, true)});
      b.output(b.scan(operation::cumsum, shares, axis));
      for (const device on : sweep_devices())
        check("cumsum of softmax " + text_of(shapes[i]) + " along " + std::to_string(axis), b.recorded(),
              shapes[i], operation::cumsum, on, failures, placement::contiguous, 1e-5);
    }
  });
}

TEST_CASE("NaN and infinities stay from where they appear, and no other row sees them") {
  failure_list failures;
  for (const shape& extents : {shape{6, 100}, shape{3, 6000}, shape{2, 100000}, shape{100, 12}})
    for (unsigned axis = 0; axis < 2; ++axis) {
      bits values(count_of(extents));
      const float infinity = std::numeric_limits<float>::infinity();
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = real_bits(element_type::float32, i % 977 == 500   ? infinity
                                                     : i % 4099 == 77 ? -infinity
                                                     : i % 3001 == 99 ? std::nanf("")
                                                                      : 1);
      const graph recorded = single(operation::cumsum, element_type::float32, extents, axis);
      std::vector<reference_array> expected;
      interpret(recorded,
                std::vector{load_reference(element_type::float32, extents,
                                           pack(element_type::float32, values).data())},
                {}, expected);
      for (const device on : sweep_devices()) {
        std::vector<placed_array> arrays;
        arrays.emplace_back(element_type::float32, values, extents, placement::contiguous, on);
        const std::vector<bits> actual = run(runtime::intern(recorded), arrays, {}, on);
        for (std::size_t i = 0; i < values.size(); ++i)
          if (!same_element(element_type::float32, actual[0][i],
                            store_reference(element_type::float32, expected[0].at(i))))
            failures.add(
                on.to_string() + " " + text_of(extents) + " along " + std::to_string(axis),
                "element " + std::to_string(i) + " is " + element_text(element_type::float32, actual[0][i]));
      }
    }
  INFO(failures.text());
  CHECK(failures.count() == 0);
}

TEST_CASE("a scan gives the same bits every time, wherever its operand lies and whatever runs beside it") {
  const std::vector<shape> shapes{{100003}, {1 << 20}, {7, 4099}, {300, 1000}, {4099, 70}, {2, 40000}};
  // every item runs in parallel with others
  sweep(4 * shapes.size(), [&](std::size_t i, failure_list& failures) {
    const shape& extents = shapes[i % shapes.size()];
    const bits values = random_values(element_type::float32, count_of(extents), 17);
    const auto rank = static_cast<unsigned>(extents.size());
    for (unsigned axis = 0; axis < rank; ++axis) {
      graph_builder builder;
      builder.restart();
      const graph_value bounded =
          builder.apply(operation::tanh, {builder.input(element_type::float32, rank)});
      const graph_value sums = builder.scan(operation::cumsum, bounded, axis);
      builder.output(sums);
      builder.output(builder.scan(operation::cumprod, builder.apply(operation::cos, {sums}), axis));
      for (const device on : sweep_devices())
        check_same_bits(text_of(extents) + " along " + std::to_string(axis), builder.recorded(), values,
                        extents, on, failures);
    }
  });
}

TEST_CASE("a phase without scans whose column rows share goes before one that scans, at every length") {
  const auto whole = fuse([](auto x, auto w) { return cumsum(x - max(w, axis<0>, keepdims), axis<0>); });
  for (const device where : sweep_devices())
    for (const std::int64_t length : {3, 40, 128, 129, 1000, 5000})
      for (const std::int64_t columns : {12, 40}) {
        INFO(length, " rows of ", columns);
        std::vector<double> x(static_cast<std::size_t>(length * columns)),
            w(static_cast<std::size_t>(length));
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i * 7 % 13);
        for (std::size_t i = 0; i < w.size(); ++i) w[i] = static_cast<double>(i * 5 % 1009);
        const double most = *std::max_element(w.begin(), w.end());
        const auto on = [&](const std::vector<double>& values, std::int64_t extent) {
          return array<double, 2>::from(values, {length, extent}, where);
        };
        const std::vector<double> made = whole(on(x, columns), on(w, 1)).to_vector();
        std::vector<double> sums(static_cast<std::size_t>(columns), 0.0);
        for (std::size_t i = 0; i < x.size(); ++i) {
          double& sum = sums[i % static_cast<std::size_t>(columns)];
          sum += x[i] - most;
          REQUIRE(made[i] == sum);
        }
      }
}

}  // namespace sinter::test
