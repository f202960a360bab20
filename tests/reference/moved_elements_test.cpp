// Elements of arrays that are put together or taken apart, by the reference interpreter.
#include <doctest/doctest.h>

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/reference/interpreter.hpp>

#include <functional>
#include <numeric>
#include <vector>

using namespace sinter;

namespace {

using extents = std::vector<std::int64_t>;
using numbers = std::vector<std::int64_t>;
using recorder = std::function<graph_value(graph_builder&, graph_value source)>;

reference_array counted(const extents& shape, std::uint64_t first = 0) {
  reference_array made{element_type::int64, shape, {}, {}};
  made.integers.resize(static_cast<std::size_t>(
      std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>())));
  std::iota(made.integers.begin(), made.integers.end(), first);
  return made;
}
numbers elements_of(const graph& recorded, const std::vector<reference_array>& inputs) {
  std::vector<reference_array> results;
  interpret(recorded, inputs, {}, results);
  return {results[0].integers.begin(), results[0].integers.end()};
}
/// What is recorded of the numbers 0, 1, … in this shape.
numbers of(const extents& shape, const recorder& record) {
  graph_builder builder;
  const graph_value x = builder.input(element_type::int64, static_cast<unsigned>(shape.size()));
  builder.output(record(builder, x));
  return elements_of(builder.recorded(), {counted(shape)});
}
recorder extended_by(extension rule, std::int64_t first, std::int64_t extent, unsigned axis = 0) {
  return [=](graph_builder& builder, graph_value x) {
    return builder.extended(x, axis, rule, builder.literal(first), builder.literal(extent));
  };
}
recorder diagonal_of(unsigned a, unsigned b, std::int64_t offset) {
  return [=](graph_builder& builder, graph_value x) {
    return builder.diagonal(x, a, b, builder.literal(offset));
  };
}

}  // namespace

TEST_SUITE("moved elements") {
  TEST_CASE("an axis goes on past its ends as NumPy pads it") {
    CHECK(of({3}, extended_by(extension::edge, -2, 7)) == numbers{0, 0, 0, 1, 2, 2, 2});
    CHECK(of({3}, extended_by(extension::reflect, -5, 11)) == numbers{1, 0, 1, 2, 1, 0, 1, 2, 1, 0, 1});
    CHECK(of({3}, extended_by(extension::wrap, -4, 9)) == numbers{2, 0, 1, 2, 0, 1, 2, 0, 1});
    CHECK(of({1}, extended_by(extension::reflect, -2, 4)) == numbers{0, 0, 0, 0});
    CHECK(of({2, 2}, extended_by(extension::edge, 1, 2, 1)) == numbers{1, 1, 3, 3});
  }

  TEST_CASE("far positions do not overflow") {
    CHECK(of({3}, extended_by(extension::edge, INT64_MAX, 2)) == numbers{2, 2});
    CHECK(of({3}, extended_by(extension::edge, INT64_MIN, 2)) == numbers{0, 0});
    CHECK(of({4}, extended_by(extension::wrap, INT64_MAX, 2)) == numbers{3, 0});
    CHECK(of({4}, extended_by(extension::wrap, INT64_MIN, 2)) == numbers{0, 1});
    CHECK(of({3}, extended_by(extension::reflect, INT64_MAX, 2)) == numbers{1, 0});
  }

  TEST_CASE("elements are broadcast and repeated") {
    CHECK(of({1, 2}, extended_by(extension::broadcast, 0, 3)) == numbers{0, 1, 0, 1, 0, 1});
    CHECK(of({3}, extended_by(extension::broadcast, 0, 3)) == numbers{0, 1, 2});
    CHECK(of({2, 2}, extended_by(extension::repeat, 0, 2)) == numbers{0, 1, 0, 1, 2, 3, 2, 3});
    CHECK(of({2}, extended_by(extension::repeat, 0, 0)).empty());
    CHECK(of({0}, extended_by(extension::repeat, 0, 3)).empty());
  }

  TEST_CASE("arrays stand one after the other") {
    graph_builder builder;
    const graph_value a = builder.input(element_type::int64, 2), b = builder.input(element_type::int64, 2);
    builder.output(builder.concatenate(a, b, 1));
    CHECK(elements_of(builder.recorded(), {counted({2, 2}), counted({2, 1}, 10)}) ==
          numbers{0, 1, 10, 2, 3, 11});
    CHECK(elements_of(builder.recorded(), {counted({2, 0}), counted({2, 1}, 10)}) == numbers{10, 11});
  }

  TEST_CASE("windows overlap") {
    const auto window = [](graph_builder& builder, graph_value x) {
      return builder.window(x, 0, builder.literal(2));
    };
    CHECK(of({4}, window) == numbers{0, 1, 1, 2, 2, 3});
    CHECK(of({3, 2}, window) == numbers{0, 2, 1, 3, 2, 4, 3, 5});
  }

  TEST_CASE("diagonals go down and to the right") {
    CHECK(of({2, 3}, diagonal_of(0, 1, 0)) == numbers{0, 4});
    CHECK(of({2, 3}, diagonal_of(0, 1, 1)) == numbers{1, 5});
    CHECK(of({2, 3}, diagonal_of(0, 1, -1)) == numbers{3});
    CHECK(of({2, 3}, diagonal_of(1, 0, -1)) == numbers{1, 5});
    CHECK(of({2, 3}, diagonal_of(0, 1, 3)).empty());
    CHECK(of({2, 2, 2}, diagonal_of(0, 2, 0)) == numbers{0, 5, 2, 7});
    CHECK(of({2, 2, 2}, diagonal_of(2, 1, 1)) == numbers{2, 6});
  }

  TEST_CASE("axes are merged and split in row-major order") {
    const numbers all{0, 1, 2, 3, 4, 5};
    CHECK(of({2, 3}, [](graph_builder& builder, graph_value x) { return builder.merged(x, 0); }) == all);
    const auto split = [](graph_builder& builder, graph_value x) {
      return builder.split(x, 0, builder.literal(2));
    };
    CHECK(of({6}, split) == all);
    const auto columns = [&](graph_builder& builder, graph_value x) {
      const view_item axes[] = {{view_item::kind::permute, literal_bound(1), {}, {}},
                                {view_item::kind::permute, literal_bound(0), {}, {}}};
      return builder.merged(builder.view(x, axes), 0);
    };
    CHECK(of({2, 3}, columns) == numbers{0, 3, 1, 4, 2, 5});
  }
}
