// Reductions on every target, compared with the reference interpreter: operations, types, axes, shapes and
// layouts, and operations fused before, between and after them.

#include <doctest/doctest.h>

#include "../support/sweep/sweep_reference.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>

namespace sinter::test {
namespace {

struct reduction_case {
  std::string name;
  graph recorded;
  std::vector<shape> extents;  ///< of each input
  placement where = placement::contiguous;
};

graph_value input_of(graph_builder& builder, element_type type, const shape& extents) {
  return builder.input(type, static_cast<unsigned>(extents.size()));
}

graph single(operation op, element_type type, const shape& extents, std::uint32_t axes, bool keepdims) {
  graph_builder builder;
  builder.restart();
  builder.output(builder.reduce(op, input_of(builder, type, extents), axes, keepdims));
  return builder.recorded();
}

/// Small whole numbers: every sum of them is exact in every type, in any order. Products use 1 and -1.
bits values_for(operation op, element_type type, std::size_t count, std::uint64_t seed) {
  return whole_numbers(type, count, seed, [&](std::int64_t drawn) -> std::int64_t {
    if (op == operation::prod) return drawn % 2 == 0 ? 1 : -1;
    if (op == operation::sum && is_storage_only(type)) return drawn % 3 - 1;
    // on one side of zero, so that a wrong initial value shows
    if (op == operation::max || op == operation::nanmax) return -1 - drawn % 5;
    if (op == operation::min || op == operation::nanmin) return 1 + drawn % 5;
    if (op == operation::all) return drawn % 900 == 0 ? 0 : 1;
    if (op == operation::any) return drawn % 900 == 0 ? 1 : 0;
    return drawn % 7 - 3;
  });
}

void check(const reduction_case& at, operation op, device on, failure_list& failures, double tolerance = 0) {
  std::vector<bits> values;
  for (std::size_t i = 0; i < at.extents.size(); ++i)
    values.push_back(values_for(op, at.recorded.inputs[i].type, count_of(at.extents[i]), i + 1));
  check_against_reference(at.name, at.recorded, values, at.extents, at.where, on, {tolerance, 1e-30L},
                          failures);
}

constexpr operation reductions[] = {operation::sum,    operation::prod,  operation::max,    operation::min,
                                    operation::all,    operation::any,   operation::argmax, operation::argmin,
                                    operation::nanmax, operation::nanmin};
}  // namespace

TEST_CASE("every reduction of every type along rows, columns, both and all") {
  sweep(std::size(reductions) * real_types.size(), [&](std::size_t i, failure_list& failures) {
    const operation op = reductions[i % std::size(reductions)];
    const element_type type = real_types[i / std::size(reductions)].type;
    for (const shape& extents : {shape{37, 133}, shape{45, 3}, shape{2, 133}, shape{2, 2}})
      for (const std::uint32_t axes : {1u, 2u, 3u})
        for (const bool keepdims : {false, true})
          for (const device on : sweep_devices())
            check({std::string(facts_of(op).name) + " " + std::string(facts_of(type).name) + " of " +
                       text_of(extents) + " axes " + std::to_string(axes),
                   single(op, type, extents, axes, keepdims),
                   {extents}},
                  op, on, failures);
  });
}

TEST_CASE("every reduction of as many elements as fill warps, blocks and pieces, and one more and one less") {
  const std::vector<std::int64_t> sizes{
      0,    1,    2,    3,    31,   32,    33,    255,   256,           257,     1023,
      1024, 1025, 4095, 4096, 4097, 65535, 65536, 65537, (1 << 20) - 1, 1 << 20, (1 << 20) + 1};
  sweep(sizes.size() * std::size(reductions), [&](std::size_t i, failure_list& failures) {
    const operation op = reductions[i % std::size(reductions)];
    const std::int64_t size = sizes[i / std::size(reductions)];
    if (size == 0 && (needs_elements(op) || finds_position(op))) return;
    // as a vector, as few rows, as few columns
    for (const shape& extents : {shape{size}, shape{3, size}, shape{size, 3}})
      for (std::uint32_t axes = 1; axes < 1u << extents.size(); ++axes) {
        if (extents.size() > 1 && size > 65537) continue;
        for (const device on : sweep_devices())
          check({std::string(facts_of(op).name) + " of " + text_of(extents) + " axes " + std::to_string(axes),
                 single(op, element_type::float32, extents, axes, false),
                 {extents}},
                op, on, failures);
      }
  });
}

TEST_CASE("sums and positions of every shape, padded and unaligned") {
  const std::vector<shape> shapes{{33},        {4097},     {3, 1},          {5, 2},    {4, 3},
                                  {7, 31},     {9, 64},    {3, 257},        {2, 4096}, {3, 40000},
                                  {1, 1025},   {1025, 3},  {300, 8},        {4097, 2}, {3, 5, 7},
                                  {4, 33, 65}, {70000, 1}, {2, 3, 4, 5, 6}, {0, 3},    {3, 0}};
  sweep(shapes.size(), [&](std::size_t i, failure_list& failures) {
    const shape& extents = shapes[i];
    const auto rank = static_cast<unsigned>(extents.size());
    for (std::uint32_t axes = 1; axes < 1u << rank; ++axes)
      for (const operation op : {operation::sum, operation::argmin}) {
        if (count_of(extents) == 0 && op == operation::argmin) continue;
        for (const placement where : {placement::contiguous, placement::padded, placement::unaligned}) {
          if (where == placement::padded && rank != 2) continue;
          for (const device on : sweep_devices())
            check({std::string(facts_of(op).name) + " of " + text_of(extents) + " axes " +
                       std::to_string(axes) + " " + std::string(to_string(where)),
                   single(op, element_type::float32, extents, axes, false),
                   {extents},
                   where},
                  op, on, failures);
        }
      }
  });
}

TEST_CASE("reductions of strided, reversed and transposed operands") {
  failure_list failures;
  for (const placement where : {placement::strided, placement::backwards, placement::transposed})
    for (const shape& extents : {shape{40, 70}, shape{130, 9}})
      for (const std::uint32_t axes : {1u, 2u, 3u})
        for (const operation op : {operation::sum, operation::max, operation::argmax})
          for (const device on : sweep_devices())
            check({std::string(facts_of(op).name) + " " + std::string(to_string(where)) + " " +
                       text_of(extents),
                   single(op, element_type::float32, extents, axes, true),
                   {extents},
                   where},
                  op, on, failures);
  INFO(failures.text());
  CHECK(failures.count() == 0);
}

TEST_CASE("softmax and variance of rows are fused with what they feed") {
  const std::vector<shape> shapes{{5, 7},     {33, 64},   {9, 100},   {3, 1000},   {2, 4096}, {2, 5000},
                                  {1, 32768}, {2, 40000}, {1, 70000}, {1, 200000}, {1000, 3}, {64, 1}};
  sweep(shapes.size(), [&](std::size_t i, failure_list& failures) {
    const shape& extents = shapes[i];
    for (const std::uint32_t axes : {2u, 1u}) {
      graph_builder softmax;
      softmax.restart();
      const graph_value x = softmax.input(element_type::float32, 2);
      const graph_value e = softmax.apply(
          operation::exp,
          {softmax.apply(operation::subtract, {x, softmax.reduce(operation::max, x, axes, true)})});
      softmax.output(
          softmax.apply(operation::true_divide, {e, softmax.reduce(operation::sum, e, axes, true)}));

      graph_builder variance;
      variance.restart();
      const graph_value y = variance.input(element_type::float32, 2);
      const graph_value n = variance.cast(variance.extent(y, axes == 2u ? 1 : 0), element_type::float32);
      const graph_value mean =
          variance.apply(operation::true_divide, {variance.reduce(operation::sum, y, axes, true), n});
      const graph_value apart = variance.apply(operation::subtract, {y, mean});
      const graph_value squares =
          variance.reduce(operation::sum, variance.apply(operation::square, {apart}), axes, false);
      variance.output(variance.apply(operation::true_divide, {squares, n}));

      for (const device on : sweep_devices()) {
        check(
            {"softmax " + text_of(extents) + " axes " + std::to_string(axes), softmax.recorded(), {extents}},
            operation::max, on, failures, 1e-5);
        check({"variance " + text_of(extents) + " axes " + std::to_string(axes),
               variance.recorded(),
               {extents}},
              operation::max, on, failures, 1e-5);
      }
    }
  });
}

TEST_CASE("reductions of reductions, along different axes and of the whole are cut where they must be") {
  failure_list failures;
  const shape extents{60, 200};
  const auto each = [&](const char* name, const std::function<void(graph_builder&, graph_value)>& record) {
    graph_builder builder;
    builder.restart();
    record(builder, builder.input(element_type::float32, 2));
    for (const device on : sweep_devices())
      check({name, builder.recorded(), {extents}}, operation::max, on, failures, 1e-5);
  };
  each("the sum of row maxima", [](graph_builder& b, graph_value x) {
    b.output(b.reduce(operation::sum, b.reduce(operation::max, x, 2u), 1u));
  });
  each("rows less column maxima, summed", [](graph_builder& b, graph_value x) {
    b.output(b.reduce(operation::sum,
                      b.apply(operation::subtract, {x, b.reduce(operation::max, x, 1u, true)}), 2u));
  });
  each("centred both ways", [](graph_builder& b, graph_value x) {
    const graph_value rows = b.reduce(operation::max, x, 2u, true),
                      columns = b.reduce(operation::min, x, 1u, true);
    b.output(b.apply(operation::add, {b.apply(operation::subtract, {x, rows}), columns}));
  });
  each("divided by the whole's sum", [](graph_builder& b, graph_value x) {
    const graph_value sum = b.reduce(operation::sum, b.apply(operation::absolute, {x}), 3u);
    b.output(b.apply(operation::true_divide, {x, sum}));
  });
  each("less the whole's largest, summed by rows", [](graph_builder& b, graph_value x) {
    b.output(b.reduce(operation::sum,
                      b.apply(operation::subtract, {x, b.reduce(operation::max, x, 3u, true)}), 2u));
  });
  each("results of different shapes", [](graph_builder& b, graph_value x) {
    b.output(b.reduce(operation::sum, x, 1u));
    b.output(b.reduce(operation::max, x, 2u));
    b.output(b.reduce(operation::argmax, x, 3u));
    b.output(b.apply(operation::negative, {x}));
  });
  each("the product of a matrix with itself, transposed", [](graph_builder& b, graph_value x) {
    const view_item whole, added{.what = view_item::kind::newaxis, .start = {}, .stop = {}, .step = {}};
    const std::array<view_item, 3> left{whole, added, whole}, right{added, whole, whole};
    b.output(b.reduce(operation::sum, b.apply(operation::multiply, {b.view(x, left), b.view(x, right)}), 4u));
  });
  INFO(failures.text());
  CHECK(failures.count() == 0);
}

TEST_CASE(
    "a reduction gives the same bits every time, wherever its operand lies and whatever runs beside it") {
  const std::vector<shape> shapes{{100003}, {1 << 20}, {7, 4099}, {300, 1000}, {4099, 70}, {2, 40000}};
  // every item runs in parallel with others
  sweep(4 * shapes.size(), [&](std::size_t i, failure_list& failures) {
    const shape& extents = shapes[i % shapes.size()];
    const bits values = random_values(element_type::float32, count_of(extents), 17);
    const auto rank = static_cast<unsigned>(extents.size());
    for (std::uint32_t axes = 1; axes < 1u << rank; ++axes) {
      graph_builder builder;
      builder.restart();
      const graph_value x = builder.input(element_type::float32, rank);
      const graph_value bounded = builder.apply(operation::tanh, {x});
      builder.output(builder.reduce(operation::sum, bounded, axes));
      const graph_value apart =
          builder.apply(operation::subtract, {bounded, builder.reduce(operation::sum, bounded, axes, true)});
      builder.output(builder.reduce(operation::prod, apart, axes));
      for (const device on : sweep_devices())
        check_same_bits(text_of(extents) + " axes " + std::to_string(axes), builder.recorded(), values,
                        extents, on, failures);
    }
  });
}

}  // namespace sinter::test
