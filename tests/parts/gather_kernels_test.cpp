// Kernels that read at indices, on each device and as CUDA's texts in the simulator, specialised and
// shape-generic, beside the interpreter.

#include "../bodies/check_kernels.hpp"

namespace sinter::test {
namespace {

const std::initializer_list<shape> shapes_of_sources = {{7, 33}, {1, 1},   {40, 128}, {3, 2000},
                                                        {5, 1},  {300, 4}, {2, 9000}, {6, 6}};

template <class Made>
void check(Made made, std::initializer_list<shape> shapes = shapes_of_sources) {
  check_kernels(graph_of({matrix, row}, made), shapes);
}

graph_value binary(graph_builder& builder, operation op, graph_value a, graph_value b) {
  return builder.apply(op, {a, b});
}
/// Numbers far beyond every axis, one for each element of x.
graph_value numbers(graph_builder& builder, graph_value x, std::int64_t salt = 0) {
  const graph_value far = binary(builder, operation::multiply, x, builder.literal(100003.f));
  return binary(builder, operation::add, builder.cast(far, i32), builder.literal(salt, i64));
}
/// The same between -n and n - 1, for an axis of n elements.
graph_value indices(graph_builder& builder, graph_value x, graph_value n, std::int64_t salt = 0) {
  const graph_value twice = binary(builder, operation::multiply, n, builder.literal(2, i64));
  const graph_value positive =
      binary(builder, operation::remainder, builder.cast(numbers(builder, x, salt), i64), twice);
  return binary(builder, operation::subtract, positive, n);
}
graph_value column(graph_builder& builder, graph_value x, unsigned axis) {
  std::vector<view_item> items(2);
  items[axis] = {view_item::kind::slice, {}, literal_bound(1), {}};
  return builder.view(x, items);
}
graph_value transposed(graph_builder& builder, graph_value x) {
  const view_item items[] = {{view_item::kind::permute, literal_bound(1), {}, {}},
                             {view_item::kind::permute, literal_bound(0), {}, {}}};
  return builder.view(x, items);
}
graph_value gathered(graph_builder& builder, graph_value x, graph_value by, unsigned axis,
                     std::int64_t salt = 0) {
  return builder.gather(x, indices(builder, by, builder.extent(x, axis), salt), axis, index_rule::checked,
                        axis);
}
graph_value scaled(graph_builder& builder, graph_value x) {
  return binary(builder, operation::add, binary(builder, operation::multiply, x, x), builder.literal(0.25f));
}
/// A sum whose order changes no bit: of integers.
graph_value whole(graph_builder& builder, graph_value x) {
  return builder.cast(binary(builder, operation::multiply, x, builder.literal(10007.f)), i32);
}

}  // namespace

TEST_SUITE("kernels of gathers") {
  TEST_CASE("along each axis, an index for each element") {
    for (const unsigned axis : {0u, 1u})
      check([&](graph_builder& builder, const values& given) -> values {
        return {gathered(builder, given[0], given[0], axis)};
      });
  }

  TEST_CASE("whole rows and columns, as an embedding has them") {
    for (const unsigned axis : {0u, 1u})
      check([&](graph_builder& builder, const values& given) -> values {
        return {gathered(builder, given[0], column(builder, given[0], 1 - axis), axis)};
      });
  }

  TEST_CASE("along both axes, one index after the other") {
    check([](graph_builder& builder, const values& given) -> values {
      return {gathered(builder, gathered(builder, given[0], given[0], 0), given[0], 1, 17)};
    });
  }

  TEST_CASE("an index that is gathered itself") {
    check([](graph_builder& builder, const values& given) -> values {
      const graph_value shuffled = gathered(builder, given[0], given[0], 1);
      return {gathered(builder, given[0], shuffled, 1, 5)};
    });
  }

  TEST_CASE("what wraps around and what is clipped") {
    for (const index_rule rule : {index_rule::wrap, index_rule::clip})
      for (const std::int64_t salt : {0, -90000})
        check([&](graph_builder& builder, const values& given) -> values {
          return {builder.gather(given[0], numbers(builder, given[0], salt), 1, rule, 1)};
        });
  }

  TEST_CASE("values that are computed, before and after") {
    check([](graph_builder& builder, const values& given) -> values {
      const graph_value made = gathered(builder, scaled(builder, given[0]), given[0], 0);
      return {scaled(builder, made), binary(builder, operation::add, made, given[0])};
    });
  }

  TEST_CASE("of views, and views of what is gathered") {
    check([](graph_builder& builder, const values& given) -> values {
      const view_item every_other[] = {{}, {view_item::kind::slice, {}, {}, literal_bound(-2)}};
      const graph_value turned = transposed(builder, given[0]);
      return {gathered(builder, builder.view(given[0], every_other), given[0], 1),
              transposed(builder, gathered(builder, turned, turned, 1))};
    });
  }

  TEST_CASE("of what goes on past its ends, and of arrays one after the other") {
    check([](graph_builder& builder, const values& given) -> values {
      const graph_value rolled = builder.extended(given[0], 1, extension::wrap, builder.literal(-1, i64),
                                                  builder.extent(given[0], 1));
      const graph_value both = builder.concatenate(given[0], scaled(builder, given[0]), 0);
      return {gathered(builder, rolled, given[0], 1), gathered(builder, both, given[0], 0)};
    });
  }

  TEST_CASE("reductions of what is gathered") {
    for (const std::uint32_t axes : {1u, 2u, 3u})
      check([&](graph_builder& builder, const values& given) -> values {
        const graph_value made = gathered(builder, given[0], given[0], 0);
        const graph_value rows = gathered(builder, given[0], column(builder, given[0], 1), 0);
        return {builder.reduce(operation::sum, whole(builder, made), axes),
                builder.reduce(operation::max, rows, axes), builder.reduce(operation::argmin, made, axes)};
      });
  }

  // Row 1 of seven elements of eight bytes does not begin where a vector of two may.
  TEST_CASE("a row that is read at an index is reduced as vectors only where each row is aligned") {
    for (const std::int64_t length : {7, 8, 33, 64}) {
      const element_type u64 = element_type::uint64;
      const graph smallest =
          graph_of({{u64, 2}, {i64, 2}}, [](graph_builder& builder, const values& given) -> values {
            return {builder.reduce(operation::min,
                                   builder.gather(given[0], given[1], 0, index_rule::checked, 0), 3)};
          });
      bits elements;
      for (std::int64_t i = 0; i < 2 * length; ++i) elements.push_back(static_cast<std::uint64_t>(1000 - i));
      std::vector<placed_array> arrays;
      arrays.emplace_back(u64, elements, shape{2, length}, placement::contiguous, device::cpu());
      arrays.emplace_back(i64, bits{1}, shape{1, 1}, placement::contiguous, device::cpu());
      CAPTURE(length);
      CHECK(simulate(smallest, {arrays[0].operand(), arrays[1].operand()}, {}) ==
            std::vector<bits>{{static_cast<std::uint64_t>(1001 - 2 * length)}});
    }
  }

  TEST_CASE("what is reduced or scanned is stored before it is gathered") {
    check([](graph_builder& builder, const values& given) -> values {
      const graph_value sums = builder.reduce(operation::max, given[0], 1, true);
      const graph_value scanned = builder.scan(operation::cumsum, whole(builder, given[0]), 1);
      return {gathered(builder, sums, column(builder, given[0], 1), 0),
              gathered(builder, scanned, given[0], 1)};
    });
  }

  TEST_CASE("scans of what is gathered") {
    for (const unsigned axis : {0u, 1u})
      check([&](graph_builder& builder, const values& given) -> values {
        return {
            builder.scan(operation::cumsum, whole(builder, gathered(builder, given[0], given[0], 1)), axis)};
      });
  }

  TEST_CASE("a row that is normalised by what it is gathered from") {
    check([](graph_builder& builder, const values& given) -> values {
      const graph_value made = gathered(builder, given[0], given[0], 1);
      return {binary(builder, operation::subtract, made, builder.reduce(operation::max, made, 2, true))};
    });
  }

  TEST_CASE("a vector by a matrix of indices") {
    check([](graph_builder& builder, const values& given) -> values {
      const view_item as_row[] = {{view_item::kind::newaxis, {}, {}, {}}};
      return {gathered(builder, builder.view(given[1], as_row), given[0], 1)};
    });
  }

  // Vectors are longer than such rows, and positions go on where loads repeat the last element.
  TEST_CASE(
      "an index that is a position is in range in rows of any length, whatever vectors compute beyond") {
    check(
        [](graph_builder& builder, const values& given) -> values {
          const graph_value along = builder.coordinate(given[0], 1), down = builder.coordinate(given[0], 0);
          const graph_value in_order = builder.gather(given[0], along, 1, index_rule::checked, 1),
                            upward = builder.gather(given[0], down, 0, index_rule::checked, 0);
          const graph_value last =
              binary(builder, operation::subtract, builder.extent(given[0], 1), builder.literal(1, i64));
          const graph_value turned = builder.gather(
              given[0], binary(builder, operation::subtract, last, along), 1, index_rule::checked, 1);
          return {in_order,
                  binary(builder, operation::add, upward, turned),
                  builder.reduce(operation::max, turned, 1),
                  builder.reduce(operation::max, turned, 2),
                  builder.reduce(operation::min, upward, 3),
                  builder.scan(operation::cumsum, whole(builder, turned), 1)};
        },
        {{1, 1}, {1, 5}, {1, 63}, {1, 65}, {5, 3}, {3, 33}, {200, 2}, {2, 700}, {70, 70}});
  }

  TEST_CASE("an index out of range is no fault where its element is not chosen") {
    check([](graph_builder& builder, const values& given) -> values {
      const graph_value index = numbers(builder, given[0], -50000), n = builder.extent(given[0], 1);
      const graph_value inside =
          binary(builder, operation::logical_and,
                 binary(builder, operation::greater_equal, index, builder.literal(0, i64)),
                 binary(builder, operation::less, index, n));
      const graph_value made = builder.gather(given[0], index, 1, index_rule::checked, 1);
      return {builder.apply(operation::where, {inside, scaled(builder, made), given[0]})};
    });
  }

  TEST_CASE("an index is reported wherever it stands in a vector that crosses the ends of rows") {
    const graph recorded = graph_of({matrix, row}, [](graph_builder& builder, const values& given) -> values {
      // rows from the second one on have an index that is out of range
      const graph_value at =
          binary(builder, operation::multiply, builder.coordinate(given[0], 0), builder.literal(7, i64));
      return {builder.gather(given[0], at, 0, index_rule::checked, 0)};
    });
    for (const shape& extents : {shape{2, 2}, shape{3, 2}, shape{5, 3}}) {
      std::vector<placed_array> arrays;
      for (const shape& each : {extents, shape{extents.back()}})
        arrays.emplace_back(f32, some_numbers(count_of(each)), each, placement::contiguous, device::cpu());
      CHECK_THROWS_AS(simulate(recorded, {arrays[0].operand(), arrays[1].operand()}, {}, {}),
                      simulated_fault);
    }
  }
}

}  // namespace sinter::test
