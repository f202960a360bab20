// Extents of every node, compared with NumPy (vectors/views.hpp), and the messages for shapes that do not
// fit.
#include <doctest/doctest.h>

#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/shape/shape_inference.hpp>
#include <sinter/codegen/types/scalar.hpp>

#include <limits>
#include <string>
#include <vector>

#include "../vectors/views.hpp"

using namespace sinter;

namespace {

using extents = std::vector<std::int64_t>;

bound bound_of(std::int64_t value) { return value == numpy_vectors::absent ? bound{} : literal_bound(value); }

/// Shapes of a graph that is called with float32 arrays of these extents.
shape_table shapes_of(const graph& recorded, const std::vector<extents>& arrays,
                      const std::vector<std::uint64_t>& scalars = {}) {
  std::vector<array_layout> layouts;
  for (std::size_t i = 0; i < arrays.size(); ++i)
    layouts.push_back({.type = i < recorded.inputs.size() ? recorded.inputs[i].type : element_type::float32,
                       .rank = static_cast<std::uint8_t>(arrays[i].size()),
                       .extents = arrays[i].data()});
  shape_table shapes;
  infer_shapes(recorded, layouts, scalars, shapes);
  return shapes;
}

extents result_of(const graph& recorded, const std::vector<extents>& arrays,
                  const std::vector<std::uint64_t>& scalars = {}) {
  const shape_table shapes = shapes_of(recorded, arrays, scalars);
  const auto found = shapes.of(recorded.outputs.at(0));
  return {found.begin(), found.end()};
}

template <typename Error, typename Action>
std::string message_of(const Action& action) {
  try {
    action();
  } catch (const Error& caught) {
    return caught.what();
  }
  return "nothing was thrown";
}
std::string here(const std::source_location& where) {
  return std::string(where.file_name()) + ":" + std::to_string(where.line());
}

/// add(x, y) with these ranks, recorded at `where`.
graph sum_of(unsigned rank_x, unsigned rank_y, const std::source_location& where) {
  graph_builder builder;
  const graph_value x = builder.input(element_type::float32, rank_x),
                    y = builder.input(element_type::float32, rank_y);
  builder.output(builder.apply(operation::add, {x, y}, where));
  return builder.recorded();
}

/// x viewed through one item, with int64 parameters as bounds if the item names them.
graph view_of(unsigned rank, const view_item& item, unsigned parameters, const std::source_location& where) {
  graph_builder builder;
  const graph_value x = builder.input(element_type::float32, rank);
  for (unsigned i = 0; i < parameters; ++i) builder.parameter(element_type::int64);
  builder.output(builder.view(x, std::span(&item, 1), where));
  return builder.recorded();
}

}  // namespace

TEST_SUITE("shape inference") {
  TEST_CASE("slices are those of NumPy for any start, stop and step") {
    for (const auto& row : numpy_vectors::slices) {
      CAPTURE(row.extent);
      CAPTURE(row.start);
      CAPTURE(row.stop);
      CAPTURE(row.step);
      const view_item item{view_item::kind::slice, bound_of(row.start), bound_of(row.stop),
                           bound_of(row.step)};
      CHECK(resolve(item, row.extent, {}) == resolved_slice{row.first, row.every, row.count});
    }
  }

  TEST_CASE("extreme bounds and steps do not overflow") {
    constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    const auto slice = [](std::int64_t start, std::int64_t stop, std::int64_t step, std::int64_t extent) {
      return resolve({view_item::kind::slice, literal_bound(start), literal_bound(stop), literal_bound(step)},
                     extent, {});
    };
    CHECK(slice(least, most, 1, 5) == resolved_slice{0, 1, 5});
    CHECK(slice(most, least, -1, 5) == resolved_slice{4, -1, 5});
    CHECK(slice(most, least, least, 5) == resolved_slice{4, 1, 1});
    CHECK(slice(least, most, most, most) == resolved_slice{0, 1, 1});
    CHECK(slice(0, most, 1, most) == resolved_slice{0, 1, most});
  }

  TEST_CASE("bounds and indices may be parameters") {
    const view_item item{view_item::kind::slice, parameter_bound(0), {}, parameter_bound(1)};
    const graph recorded = view_of(1, item, 2, std::source_location::current());
    const auto scalar = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
    CHECK(result_of(recorded, {{10}}, {scalar(2), scalar(3)}) == extents{3});
    CHECK(result_of(recorded, {{10}}, {scalar(-1), scalar(-1)}) == extents{10});
    CHECK(result_of(recorded, {{0}}, {scalar(2), scalar(3)}) == extents{0});
    CHECK_THROWS_AS(result_of(recorded, {{10}}, {scalar(2), scalar(0)}), shape_error);
  }

  TEST_CASE("operands broadcast from their last axes, an extent of 1 to any other") {
    const auto where = std::source_location::current();
    const auto sum = [&](const extents& a, const extents& b) {
      return result_of(sum_of(static_cast<unsigned>(a.size()), static_cast<unsigned>(b.size()), where),
                       {a, b});
    };
    CHECK(sum({3, 4}, {4}) == extents{3, 4});
    CHECK(sum({3, 1}, {1, 4}) == extents{3, 4});
    CHECK(sum({}, {2, 3}) == extents{2, 3});
    CHECK(sum({}, {}) == extents{});
    CHECK(sum({0}, {1}) == extents{0});
    CHECK(sum({5, 1}, {3, 1, 7}) == extents{3, 5, 7});
    CHECK_THROWS_AS(sum({0}, {2}), shape_error);
  }

  TEST_CASE("a mismatch names the operation, every shape, the axis and the line") {
    const auto where = std::source_location::current();
    graph recorded = sum_of(2, 1, where);
    CHECK(message_of<shape_error>([&] { result_of(recorded, {{3, 4}, {5}}); }) ==
          "cannot broadcast add(float32[3,4], float32[5]) at " + here(where) +
              ": axis 1 of the result would be 4 and 5");
    recorded.defined_at = std::source_location::current();
    CHECK(message_of<shape_error>([&] { result_of(recorded, {{3, 4}, {5}}); }) ==
          "cannot broadcast add(float32[3,4], float32[5]) at " + here(where) + " (in " +
              here(recorded.defined_at) + "): axis 1 of the result would be 4 and 5");
    recorded.locations.clear();
    CHECK(message_of<shape_error>([&] { result_of(recorded, {{3, 4}, {5}}); }) ==
          "cannot broadcast add(float32[3,4], float32[5]) at " + here(recorded.defined_at) +
              ": axis 1 of the result would be 4 and 5");
  }

  TEST_CASE("an index outside its axis names the index, the axis, the extent and the line") {
    const auto where = std::source_location::current();
    graph_builder builder;
    const graph_value x = builder.input(element_type::float32, 2);
    builder.parameter(element_type::int64);
    const std::vector<view_item> items{{view_item::kind::slice, {}, {}, {}},
                                       {view_item::kind::index, parameter_bound(0), {}, {}}};
    builder.output(builder.view(x, items, where));
    const graph& recorded = builder.recorded();
    CHECK(result_of(recorded, {{3, 4}}, {3}) == extents{3});
    CHECK(result_of(recorded, {{3, 4}}, {static_cast<std::uint64_t>(-4)}) == extents{3});
    CHECK(message_of<shape_error>([&] { result_of(recorded, {{3, 4}}, {4}); }) ==
          "view [:, p0] of float32[3,4] at " + here(where) + ": index 4 is outside axis 1 of extent 4");
    CHECK_THROWS_AS(result_of(recorded, {{3, 4}}, {static_cast<std::uint64_t>(-5)}), shape_error);
    CHECK_THROWS_AS(result_of(recorded, {{3, 0}}, {0}), shape_error);
    CHECK_THROWS_AS(resolve({view_item::kind::index, literal_bound(4), {}, {}}, 4, {}), shape_error);
    CHECK(resolve({view_item::kind::index, literal_bound(-1), {}, {}}, 4, {}) == resolved_slice{3, 0, 1});
  }

  TEST_CASE("a step of 0 from a parameter names the axis and the line") {
    const auto where = std::source_location::current();
    const graph recorded = view_of(2, {view_item::kind::slice, {}, {}, parameter_bound(0)}, 1, where);
    CHECK(message_of<shape_error>([&] { result_of(recorded, {{3, 4}}, {0}); }) ==
          "view [::p0] of float32[3,4] at " + here(where) + ": the slice of axis 0 has step 0");
    CHECK_THROWS_AS(resolve({view_item::kind::slice, {}, {}, literal_bound(0)}, 4, {}), shape_error);
  }

  TEST_CASE("permutations, coordinates and extents have the shapes they are of") {
    graph_builder builder;
    const graph_value x = builder.input(element_type::float32, 3);
    std::vector<view_item> items;
    for (const std::int64_t axis : {2, 0, 1})
      items.push_back({view_item::kind::permute, literal_bound(axis), {}, {}});
    const graph_value turned = builder.view(x, items);
    const graph_value position = builder.coordinate(turned, 1), length = builder.extent(turned, 0);
    const shape_table shapes = shapes_of(builder.recorded(), {{2, 3, 4}});
    const auto of = [&](const graph_value& value) {
      return extents(shapes.of(value.id).begin(), shapes.of(value.id).end());
    };
    CHECK(of(turned) == extents{4, 2, 3});
    CHECK(of(position) == extents{4, 2, 3});
    CHECK(of(length) == extents{});
  }

  TEST_CASE("a call with other arrays than declared is refused") {
    const auto where = std::source_location::current();
    graph recorded = sum_of(1, 1, where);
    recorded.defined_at = where;
    CHECK(message_of<shape_error>([&] { shapes_of(recorded, {{3}}); }) ==
          "a function of 2 arrays and 0 scalars at " + here(where) + " was given 1 and 0");
    CHECK(message_of<shape_error>([&] { shapes_of(recorded, {{3}, {3}}, {1}); }) ==
          "a function of 2 arrays and 0 scalars at " + here(where) + " was given 2 and 1");
    CHECK(message_of<shape_error>([&] { shapes_of(recorded, {{3}, {3, 1}}); }) ==
          "array 1 of a function at " + here(where) + " is float32[:], not float32[:,:]");
    const std::int64_t extent = 3;
    const std::vector<array_layout> layouts(2, {.type = element_type::int8, .rank = 1, .extents = &extent});
    shape_table shapes;
    CHECK_THROWS_AS(infer_shapes(recorded, layouts, {}, shapes), type_error);
  }

  TEST_CASE("a weak integer that does not fit is refused when it is given") {
    const auto where = std::source_location::current();
    graph_builder builder;
    const graph_value x = builder.input(element_type::uint8, 1);
    const graph_value p = builder.parameter(element_type::int64, true);
    builder.output(builder.apply(operation::add, {x, p}));
    builder.recorded().defined_at = where;
    const auto check = [&](std::int64_t value) {
      const auto bits = static_cast<std::uint64_t>(value);
      check_parameter_limits(builder.recorded(), std::span(&bits, 1));
    };
    CHECK_NOTHROW(check(0));
    CHECK_NOTHROW(check(255));
    CHECK_THROWS_AS(check(-1), type_error);
    CHECK(message_of<type_error>([&] { check(256); }) ==
          "scalar 0 of a function at " + here(where) + " is 256, which does not fit uint8");
  }

  TEST_CASE("a table that is used again allocates nothing") {
    const graph recorded = sum_of(2, 1, std::source_location::current());
    const std::int64_t wide[] = {3, 4}, narrow[] = {4};
    const array_layout layouts[] = {{.type = element_type::float32, .rank = 2, .extents = wide},
                                    {.type = element_type::float32, .rank = 1, .extents = narrow}};
    shape_table shapes;
    infer_shapes(recorded, layouts, {}, shapes);
    const auto* extents_before = shapes.extents.data();
    const auto* first_before = shapes.first.data();
    infer_shapes(recorded, layouts, {}, shapes);
    CHECK(shapes.extents.data() == extents_before);
    CHECK(shapes.first.data() == first_before);
  }
}
