// Kernels of arrays that are put together and taken apart, on each device and as CUDA's texts in the
// simulator, specialised and shape-generic, beside the interpreter.

#include "../bodies/check_kernels.hpp"

namespace sinter::test {
namespace {

/// Short and long rows, single rows and columns, whole vectors and none, nothing.
const std::initializer_list<shape> shapes_of_parts = {{7, 33}, {1, 1},   {40, 128}, {3, 2000}, {0, 5},
                                                      {5, 1},  {300, 4}, {2, 9000}, {6, 6}};

struct extension_of_axis {
  extension rule;
  unsigned axis;
  std::int64_t before, after;
};

graph_value integer(graph_builder& builder, std::int64_t value) { return builder.literal(value, i64); }
graph_value extent_and(graph_builder& builder, graph_value of, unsigned axis, std::int64_t more) {
  return builder.apply(operation::add, {builder.extent(of, axis), integer(builder, more)});
}
graph_value padded(graph_builder& builder, graph_value x, const extension_of_axis& at) {
  return builder.extended(x, at.axis, at.rule, integer(builder, -at.before),
                          extent_and(builder, x, at.axis, at.before + at.after));
}
graph_value rolled(graph_builder& builder, graph_value x, unsigned axis, std::int64_t by) {
  return builder.extended(x, axis, extension::wrap, integer(builder, -by), builder.extent(x, axis));
}
graph_value flattened(graph_builder& builder, graph_value x) {
  while (x.rank > 1) x = builder.merged(x, 0);
  return x;
}
graph_value sliced(graph_builder& builder, graph_value x, unsigned axis, bound start, bound stop,
                   bound step = {}) {
  std::vector<view_item> items(axis + 1);
  items[axis] = {view_item::kind::slice, start, stop, step};
  return builder.view(x, items);
}
graph_value transposed(graph_builder& builder, graph_value x) {
  const view_item items[] = {{view_item::kind::permute, literal_bound(1), {}, {}},
                             {view_item::kind::permute, literal_bound(0), {}, {}}};
  return builder.view(x, items);
}
graph_value scaled(graph_builder& builder, graph_value x) {
  return builder.apply(operation::add, {builder.apply(operation::multiply, {x, x}), builder.literal(0.25f)});
}
/// A sum whose order changes no bit: of integers.
graph_value whole(graph_builder& builder, graph_value x) {
  return builder.cast(builder.apply(operation::multiply, {x, builder.literal(10007.f)}), i32);
}

template <class Made>
void check(Made made, std::initializer_list<shape> shapes = shapes_of_parts) {
  check_kernels(graph_of({matrix, row}, made), shapes);
}

const std::initializer_list<shape> filled_shapes = {{7, 33}, {1, 1},   {40, 128}, {3, 2000},
                                                    {5, 1},  {300, 4}, {2, 9000}, {6, 6}};

}  // namespace

TEST_SUITE("kernels of parts") {
  TEST_CASE("an axis goes on past its ends by each rule, near and far") {
    for (const extension rule : {extension::edge, extension::reflect, extension::wrap})
      for (const unsigned axis : {0u, 1u})
        for (const auto& [before, after] : {std::pair{1, 1}, {0, 3}, {70, 5}, {-1, 1}})
          check(
              [&](graph_builder& builder, const values& given) -> values {
                return {padded(builder, given[0], {rule, axis, before, after})};
              },
              filled_shapes);
  }

  // Longer than a chunk, and wrapped further than once: what is packed then must fit its buffer.
  TEST_CASE("a long row goes around several times") {
    check(
        [](graph_builder& builder, const values& given) -> values {
          const graph_value rows = padded(builder, given[0], {extension::wrap, 0, 2, 0});
          return {padded(builder, rows, {extension::wrap, 1, 0, 6000}),
                  padded(builder, given[0], {extension::reflect, 1, 5000, 1})};
        },
        {{3, 2000}, {7, 33}, {31, 1000}});
  }

  TEST_CASE("both axes, of a value that is computed") {
    for (const extension rule : {extension::edge, extension::reflect, extension::wrap})
      check(
          [&](graph_builder& builder, const values& given) -> values {
            const graph_value rows = padded(builder, scaled(builder, given[0]), {rule, 0, 2, 1});
            return {padded(builder, rows, {rule, 1, 1, 2})};
          },
          filled_shapes);
  }

  TEST_CASE("a rule on what has a rule") {
    check(
        [&](graph_builder& builder, const values& given) -> values {
          const graph_value once = padded(builder, given[0], {extension::wrap, 1, 2, 3});
          const graph_value twice = padded(builder, once, {extension::reflect, 1, 4, 1});
          return {scaled(builder, padded(builder, twice, {extension::edge, 1, 1, 1}))};
        },
        filled_shapes);
  }

  TEST_CASE("a periodic stencil of five points") {
    check([](graph_builder& builder, const values& given) -> values {
      const auto add = [&](graph_value a, graph_value b) { return builder.apply(operation::add, {a, b}); };
      const graph_value x = given[0];
      return {add(add(rolled(builder, x, 0, 1), rolled(builder, x, 0, -1)),
                  add(add(rolled(builder, x, 1, 1), rolled(builder, x, 1, -1)), x))};
    });
  }

  TEST_CASE("elements repeat, one by one and as a whole") {
    check([](graph_builder& builder, const values& given) -> values {
      const graph_value zero = integer(builder, 0), three = integer(builder, 3);
      const graph_value each = builder.extended(given[0], 1, extension::repeat, zero, three);
      const graph_value rows = builder.extended(scaled(builder, given[0]), 0, extension::repeat, zero, three);
      const graph_value twice =
          builder.apply(operation::multiply, {builder.extent(given[0], 1), integer(builder, 2)});
      return {each, rows, builder.extended(given[0], 1, extension::wrap, zero, twice)};
    });
  }

  TEST_CASE("arrays one after the other, along each axis") {
    for (const unsigned axis : {0u, 1u})
      check([&](graph_builder& builder, const values& given) -> values {
        const graph_value x = given[0];
        const graph_value two = builder.concatenate(x, scaled(builder, x), axis);
        const graph_value middle = sliced(builder, x, axis, literal_bound(1), literal_bound(-1));
        return {two, scaled(builder, builder.concatenate(middle, builder.concatenate(two, x, axis), axis))};
      });
  }

  TEST_CASE("a constant around an array") {
    check([&](graph_builder& builder, const values& given) -> values {
      graph_value x = given[0];
      for (const unsigned axis : {1u, 0u}) {
        const view_item axes[] = {{view_item::kind::newaxis, {}, {}, {}},
                                  {view_item::kind::newaxis, {}, {}, {}}};
        graph_value block = builder.view(builder.literal(7.f, f32), axes);
        block = builder.extended(block, 1 - axis, extension::broadcast, integer(builder, 0),
                                 builder.extent(x, 1 - axis));
        block = builder.extended(block, axis, extension::broadcast, integer(builder, 0), integer(builder, 2));
        x = builder.concatenate(builder.concatenate(block, x, axis), block, axis);
      }
      return {x, builder.reduce(operation::sum, whole(builder, x), 2u)};
    });
  }

  TEST_CASE("windows, and what is reduced over them") {
    check(
        [](graph_builder& builder, const values& given) -> values {
          const graph_value three = integer(builder, 3);
          const graph_value windows = builder.window(given[0], 1, three);
          const graph_value around =
              builder.window(padded(builder, given[0], {extension::edge, 0, 1, 1}), 0, three);
          return {windows, builder.reduce(operation::max, windows, 4u),
                  builder.reduce(operation::sum, whole(builder, around), 4u)};
        },
        {{7, 33}, {40, 128}, {3, 2000}, {300, 4}, {2, 9000}});
  }

  TEST_CASE("short and long windows along one axis and two, also of what is weighed") {
    for (const std::int64_t length : {2, 5, 16, 17})
      check(
          [&](graph_builder& builder, const values& given) -> values {
            const graph_value windows = builder.window(given[0], 1, integer(builder, length));
            const graph_value weights = builder.cast(builder.coordinate(windows, 2), element_type::float32);
            return {
                builder.reduce(operation::sum, whole(builder, windows), 4u),
                builder.reduce(operation::min, scaled(builder, windows), 4u, true),
                builder.reduce(operation::max, builder.apply(operation::multiply, {windows, weights}), 4u)};
          },
          {{7, 33}, {40, 128}, {3, 2000}, {2, 9000}});
    check(
        [](graph_builder& builder, const values& given) -> values {
          const graph_value three = integer(builder, 3);
          const graph_value both = builder.window(builder.window(given[0], 0, three), 1, three);
          return {builder.reduce(operation::sum, whole(builder, both), 12u),
                  builder.reduce(operation::max, both, 4u), builder.reduce(operation::max, both, 10u)};
        },
        {{7, 33}, {40, 128}, {3, 2000}, {300, 4}});
  }

  TEST_CASE("diagonals") {
    for (const std::int64_t offset : {0, 2, -1, 400})
      check([&](graph_builder& builder, const values& given) -> values {
        const graph_value x = given[0];
        return {builder.diagonal(x, 0, 1, integer(builder, offset)),
                scaled(builder, builder.diagonal(transposed(builder, x), 0, 1, integer(builder, offset)))};
      });
  }

  TEST_CASE("axes become one, and one becomes several") {
    check([](graph_builder& builder, const values& given) -> values {
      const graph_value flat = flattened(builder, given[0]);
      const graph_value of_columns = flattened(builder, transposed(builder, given[0]));
      const graph_value back = builder.split(flat, 0, builder.extent(given[0], 1));
      const graph_value other = builder.split(of_columns, 0, builder.extent(given[0], 1));
      return {flat, scaled(builder, of_columns), builder.apply(operation::add, {back, given[0]}),
              builder.apply(operation::add, {other, scaled(builder, given[0])})};
    });
    check(
        [](graph_builder& builder, const values& given) -> values {
          const graph_value flat = flattened(builder, given[0]);
          const graph_value pairs =
              builder.split(builder.split(flat, 0, integer(builder, 6)), 1, integer(builder, 2));
          return {pairs, builder.reduce(operation::sum, whole(builder, pairs), 2u),
                  flattened(builder, scaled(builder, sliced(builder, pairs, 1, literal_bound(1), {})))};
        },
        {{6, 1}, {40, 3}, {300, 4}, {2, 9000}, {6, 6}, {0, 6}});
  }

  TEST_CASE("reductions and scans of what moved, and what moves of them") {
    check(
        [](graph_builder& builder, const values& given) -> values {
          const graph_value x = whole(builder, given[0]);
          const graph_value total = builder.reduce(operation::sum, rolled(builder, x, 1, 2), 2u, true);
          const graph_value along =
              builder.scan(operation::cumsum, padded(builder, x, {extension::wrap, 1, 1, 1}), 1);
          return {builder.apply(operation::subtract, {x, total}), along,
                  rolled(builder, builder.scan(operation::cumsum, x, 1), 1, 1),
                  padded(builder, builder.reduce(operation::sum, x, 2u), {extension::reflect, 0, 2, 2}),
                  builder.reduce(operation::argmax, rolled(builder, x, 0, 1), 1u)};
        },
        filled_shapes);
  }

  TEST_CASE("positions of what moved") {
    check(
        [](graph_builder& builder, const values& given) -> values {
          const graph_value along = builder.coordinate(given[0], 1);
          return {padded(builder, along, {extension::reflect, 1, 3, 2}), rolled(builder, along, 1, 5),
                  flattened(builder, along), builder.concatenate(along, rolled(builder, along, 1, 1), 1)};
        },
        filled_shapes);
  }
}

}  // namespace sinter::test
