// Extents of arrays that are put together or taken apart, and the messages for sizes that do not fit.
#include <doctest/doctest.h>

#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/shape/shape_inference.hpp>
#include <sinter/codegen/simplify/simplify.hpp>

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "../support/count_allocations.hpp"

using namespace sinter;

namespace {

using extents = std::vector<std::int64_t>;
using recorder = std::function<graph_value(graph_builder&, graph_value source, graph_value n)>;

void infer(const graph& recorded, const std::vector<extents>& arrays, std::int64_t n, shape_table& shapes) {
  std::vector<array_layout> layouts;
  for (const extents& each : arrays)
    layouts.push_back({.type = element_type::float32,
                       .rank = static_cast<std::uint8_t>(each.size()),
                       .extents = each.data()});
  const auto scalar = static_cast<std::uint64_t>(n);
  infer_shapes(recorded, layouts, std::span(&scalar, 1), shapes);
}

/// The shape of what is recorded of a float32 array of these extents and an integer parameter.
extents shape_of(const extents& source, std::int64_t n, const recorder& record,
                 const std::function<graph(const graph&)>& rewrite = std::identity()) {
  graph_builder builder;
  const graph_value x = builder.input(element_type::float32, static_cast<unsigned>(source.size()));
  builder.output(record(builder, x, builder.parameter(element_type::int64)));
  const graph recorded = rewrite(builder.recorded());
  shape_table shapes;
  infer(recorded, {source}, n, shapes);
  const auto found = shapes.of(recorded.outputs[0]);
  return {found.begin(), found.end()};
}
/// The same of two arrays along an axis.
extents concatenated(const extents& a, const extents& b, unsigned axis) {
  graph_builder builder;
  const graph_value x = builder.input(element_type::float32, static_cast<unsigned>(a.size()));
  const graph_value y = builder.input(element_type::float32, static_cast<unsigned>(b.size()));
  builder.parameter(element_type::int64);
  builder.output(builder.concatenate(x, y, axis, {}));
  shape_table shapes;
  infer(builder.recorded(), {a, b}, 0, shapes);
  const auto found = shapes.of(builder.recorded().outputs[0]);
  return {found.begin(), found.end()};
}

recorder extended_by(extension rule, std::int64_t first = 0) {
  return [rule, first](graph_builder& builder, graph_value x, graph_value n) {
    return builder.extended(x, 0, rule, builder.literal(first), n, {});
  };
}
graph_value window(graph_builder& builder, graph_value x, graph_value n) {
  return builder.window(x, 0, n, {});
}
graph_value rows(graph_builder& builder, graph_value x, graph_value n) {
  return builder.split(x, 0, n, false, {});
}
graph_value whole(graph_builder& builder, graph_value x, graph_value n) {
  return builder.split(x, 0, n, true, {});
}
graph_value diagonal(graph_builder& builder, graph_value x, graph_value n) {
  return builder.diagonal(x, 0, 1, n, {});
}

template <typename Action>
std::string message_of(const Action& action) {
  try {
    action();
  } catch (const shape_error& caught) {
    return caught.what();
  }
  return "nothing was thrown";
}

}  // namespace

TEST_SUITE("shapes of parts") {
  TEST_CASE("an extended axis has the extent that is asked for, or that of the repeated elements") {
    for (const extension rule : {extension::edge, extension::reflect, extension::wrap}) {
      CHECK(shape_of({5, 3}, 9, extended_by(rule, -2)) == extents{9, 3});
      CHECK(shape_of({5, 3}, 0, extended_by(rule)) == extents{0, 3});
      CHECK(shape_of({1}, 4, extended_by(rule, 100)) == extents{4});
      CHECK(shape_of({0}, 0, extended_by(rule)) == extents{0});
      CHECK(
          message_of([&] { shape_of({0, 2}, 1, extended_by(rule)); }) ==
          "extended of float32[0,2]: axis 0 has 0 elements, and would have 1: there is no element that could "
          "stand past its ends");
      CHECK(message_of([&] { shape_of({3}, -2, extended_by(rule)); }) ==
            "extended of float32[3]: axis 0 has 3 elements, and would have -2");
    }
    CHECK(shape_of({1, 3}, 4, extended_by(extension::broadcast)) == extents{4, 3});
    CHECK(shape_of({1}, 0, extended_by(extension::broadcast)) == extents{0});
    CHECK(shape_of({4}, 4, extended_by(extension::broadcast)) == extents{4});
    CHECK(message_of([] { shape_of({4}, 5, extended_by(extension::broadcast)); }) ==
          "extended of float32[4]: axis 0 has 4 elements, and would have 5: only an axis of one element is "
          "broadcast");
    CHECK(shape_of({4, 2}, 3, extended_by(extension::repeat)) == extents{12, 2});
    CHECK(shape_of({4}, 0, extended_by(extension::repeat)) == extents{0});
    CHECK(shape_of({0}, 3, extended_by(extension::repeat)) == extents{0});
    CHECK(message_of([] { shape_of({4}, -1, extended_by(extension::repeat)); }) ==
          "extended of float32[4]: axis 0 has 4 elements, and would have -1 of each");
    CHECK_THROWS_AS(shape_of({4}, std::numeric_limits<std::int64_t>::max(), extended_by(extension::repeat)),
                    out_of_memory);
  }

  TEST_CASE("a pad with a negative amount is refused; an axis that goes on from any position is not") {
    constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
    for (const extension rule : {extension::edge, extension::reflect, extension::wrap}) {
      const recorder before = [rule](graph_builder& builder, graph_value x, graph_value n) {
        return builder.padded(x, 1, rule, n, builder.literal(2), {});
      };
      const recorder after = [rule](graph_builder& builder, graph_value x, graph_value n) {
        return builder.padded(x, 1, rule, builder.literal(2), n, {});
      };
      CHECK(shape_of({2, 3}, 0, before) == extents{2, 5});
      CHECK(shape_of({2, 3}, 4, before) == extents{2, 9});
      CHECK(shape_of({2, 3}, 4, after) == extents{2, 9});
      for (const std::int64_t refused : {std::int64_t{-1}, std::int64_t{-9}, least + 1}) {
        const std::string amount = "pad of float32[2,3]: axis 1 has 3 elements, and would have " +
                                   std::to_string(refused) + " more ";
        CHECK(message_of([&] { shape_of({2, 3}, refused, before); }) ==
              amount + "before them: a slice takes elements away");
        CHECK(message_of([&] { shape_of({2, 3}, refused, after); }) ==
              amount + "after them: a slice takes elements away");
      }
      CHECK(shape_of({2, 3}, 1, extended_by(rule, 1)) == extents{1, 3});
      CHECK(shape_of({2, 3}, 0, extended_by(rule, least)) == extents{0, 3});
    }
    graph_builder builder;
    const graph_value x = builder.input(element_type::float32, 1), one = builder.literal(1);
    CHECK_THROWS_AS(builder.padded(x, 0, extension::repeat, one, one, {}), type_error);
  }

  TEST_CASE("integers that are computed with numbers beyond 64 bits are refused") {
    constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max(),
                           least = std::numeric_limits<std::int64_t>::min();
    const auto sized = [](const std::function<graph_value(graph_builder&, graph_value, graph_value)>& size) {
      return [size](graph_builder& builder, graph_value x, graph_value n) {
        return builder.extended(x, 0, extension::wrap, builder.literal(0), size(builder, x, n), {});
      };
    };
    const auto by = [&](operation op) {
      return sized([op](graph_builder& builder, graph_value x, graph_value n) {
        return builder.apply(op, {builder.extent(x, 0), n});
      });
    };
    const auto of = [&](operation op) {
      return sized(
          [op](graph_builder& builder, graph_value, graph_value n) { return builder.apply(op, {n}); });
    };
    const std::string refused =
        "extended of float32[4]: axis 0 has a size or position that is computed with numbers beyond 64 bits: "
        "pass smaller ones";
    CHECK(message_of([&] { shape_of({4}, largest, by(operation::add)); }) == refused);
    CHECK(message_of([&] { shape_of({4}, least, by(operation::subtract)); }) == refused);
    CHECK(message_of([&] { shape_of({4}, std::int64_t{1} << 62, by(operation::multiply)); }) == refused);
    CHECK(message_of([&] { shape_of({4}, 32, by(operation::power)); }) == refused);
    CHECK(message_of([&] { shape_of({4}, std::int64_t{1} << 32, of(operation::square)); }) == refused);
    CHECK(message_of([&] { shape_of({4}, least, of(operation::negative)); }) == refused);
    CHECK(message_of([&] { shape_of({4}, least, of(operation::absolute)); }) == refused);
    CHECK(shape_of({4}, largest - 4, by(operation::add)) == extents{largest});
    CHECK(shape_of({4}, 31, by(operation::power)) == extents{std::int64_t{1} << 62});
    CHECK(shape_of({4}, -largest, of(operation::absolute)) == extents{largest});

    const auto smaller = sized([](graph_builder& builder, graph_value x, graph_value n) {
      const graph_value far = builder.apply(operation::add, {builder.extent(x, 0), n});
      return builder.apply(operation::maximum, {far, builder.literal(3)});
    });
    CHECK(message_of([&] { shape_of({4}, largest, smaller); }) == refused);
    const auto chosen = sized([](graph_builder& builder, graph_value x, graph_value n) {
      const graph_value far = builder.apply(operation::add, {builder.extent(x, 0), n});
      const graph_value is_less = builder.apply(operation::less, {n, builder.literal(9)});
      return builder.apply(operation::where, {is_less, far, builder.literal(9)});
    });
    CHECK(shape_of({4}, largest, chosen) == extents{9});
    CHECK(shape_of({4}, 2, chosen) == extents{6});
    const recorder literals = sized([](graph_builder& builder, graph_value, graph_value) {
      const graph_value far = builder.literal(std::int64_t{1} << 62);
      return builder.apply(operation::multiply, {far, builder.literal(4)});
    });
    CHECK(message_of([&] { shape_of({4}, 0, literals); }) == refused);
    CHECK(message_of([&] { shape_of({4}, 0, literals, simplify); }) == refused);
  }

  TEST_CASE("concatenated axes add up; others are equal") {
    CHECK(concatenated({2, 3}, {4, 3}, 0) == extents{6, 3});
    CHECK(concatenated({2, 0}, {2, 1}, 1) == extents{2, 1});
    CHECK(
        message_of([] { concatenated({2, 3}, {4, 1}, 0); }) ==
        "concatenate of float32[2,3] and float32[4,1] along axis 0: their axes 1 differ; only the axis along "
        "which they stand may");
  }

  TEST_CASE("windows are as many as fit") {
    CHECK(shape_of({5, 2}, 2, window) == extents{4, 2, 2});
    CHECK(shape_of({5}, 5, window) == extents{1, 5});
    CHECK(shape_of({1}, 1, window) == extents{1, 1});
    for (const std::int64_t refused : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{6}})
      CHECK(message_of([&] { shape_of({5}, refused, window); }) ==
            "window of float32[5]: axis 0 has 5 elements, and no windows of " + std::to_string(refused));
  }

  TEST_CASE("a diagonal ends where one of its axes does") {
    CHECK(shape_of({3, 5}, 0, diagonal) == extents{3});
    CHECK(shape_of({3, 5}, 3, diagonal) == extents{2});
    CHECK(shape_of({3, 5, 7}, -2, diagonal) == extents{7, 1});
    CHECK(shape_of({3, 5}, 9, diagonal) == extents{0});
    CHECK(shape_of({3, 5}, std::numeric_limits<std::int64_t>::min(), diagonal) == extents{0});
    CHECK(shape_of({0, 5}, 0, diagonal) == extents{0});
  }

  TEST_CASE("axes are merged and split without a rest") {
    const recorder merged = [](graph_builder& builder, graph_value x, graph_value) {
      return builder.merged(x, 1, {});
    };
    CHECK(shape_of({2, 3, 4, 5}, 0, merged) == extents{2, 12, 5});
    CHECK(shape_of({2, 0, 4}, 0, merged) == extents{2, 0});
    CHECK(shape_of({48, 2}, 8, rows) == extents{6, 8, 2});
    CHECK(shape_of({0}, 8, rows) == extents{0, 8});
    CHECK(shape_of({0}, 0, rows) == extents{0, 0});
    CHECK(shape_of({8, 2}, 8, whole) == extents{8, 2});
    CHECK(shape_of({3, 0}, 7, whole) == extents{7, 0});
    CHECK(message_of([] { shape_of({5}, 0, rows); }) ==
          "cannot reshape float32[5]: 5 elements do not fill [-1,0]");
    CHECK(message_of([] { shape_of({4}, -2, rows); }) ==
          "cannot reshape float32[4]: 4 elements do not fill [-1,-2]");
  }

  TEST_CASE("a reshape that does not fit names the array and the whole shape") {
    const recorder reshape = [](graph_builder& builder, graph_value x, graph_value n) {
      const graph_value flat = builder.merged(x, 0, {});
      return builder.split(builder.split(flat, 0, n, false, {}), 0, builder.literal(5), true, {});
    };
    CHECK(shape_of({10, 4}, 8, reshape) == extents{5, 8});
    CHECK(shape_of({0, 4}, 0, reshape) == extents{5, 0});
    CHECK(message_of([&] { shape_of({8, 6}, 8, reshape); }) ==
          "cannot reshape float32[8,6]: 48 elements do not fill [5,8]");
    CHECK(message_of([&] { shape_of({8, 6}, 7, reshape); }) ==
          "cannot reshape float32[8,6]: 48 elements do not fill [-1,7]");
  }

  TEST_CASE("sizes are computed from parameters and the extents of earlier nodes, without allocating again") {
    graph_builder builder;
    const graph_value x = builder.input(element_type::float32, 1), n = builder.parameter(element_type::int64);
    const graph_value longer =
        builder.extended(x, 0, extension::wrap, n, builder.apply(operation::add, {builder.extent(x, 0), n}));
    const graph_value size =
        builder.apply(operation::floor_divide, {builder.extent(longer, 0), builder.literal(2)});
    const graph_value result = builder.window(longer, 0, size);
    builder.output(result);
    shape_table shapes;
    const std::vector<extents> arrays{{7}};
    infer(builder.recorded(), arrays, 3, shapes);
    CHECK(shapes.integer(size.id) == 5);
    CHECK(shapes.of(result.id)[0] == 6);
    CHECK(shapes.of(result.id)[1] == 5);
    const array_layout layout{.type = element_type::float32, .rank = 1, .extents = arrays[0].data()};
    const std::uint64_t scalar = 5;
    const allocation_counter counted;
    infer_shapes(builder.recorded(), std::span(&layout, 1), std::span(&scalar, 1), shapes);
    CHECK(counted.count() == 0);
    CHECK(shapes.integer(size.id) == 6);
  }
}
