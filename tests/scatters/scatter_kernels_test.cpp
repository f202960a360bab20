// Kernels that combine elements at positions that are values, on each device and as CUDA's texts in the
// simulator, specialised and shape-generic, beside the interpreter.

#include "../bodies/check_kernels.hpp"
#include "scatter_broadcast.hpp"

namespace sinter::test {
namespace {

const std::initializer_list<shape> shapes_of_bases = {{7, 33},   {1, 1}, {40, 128},
                                                      {3, 2000}, {5, 1}, {300, 4}};

template <class Made>
void check(Made made, std::initializer_list<shape> shapes = shapes_of_bases) {
  check_kernels(graph_of({matrix, row}, made), shapes);
}

graph_value binary(graph_builder& builder, operation op, graph_value a, graph_value b) {
  return builder.apply(op, {a, b});
}
/// Numbers far beyond every axis, one for each element of x.
graph_value numbers(graph_builder& builder, graph_value x, std::int64_t salt = 0) {
  const graph_value far = binary(builder, operation::multiply, x, builder.literal(100003.f));
  return binary(builder, operation::add, builder.cast(far, i64), builder.literal(salt, i64));
}
/// The same between -n and n - 1, for an axis of n elements.
graph_value indices(graph_builder& builder, graph_value x, graph_value n, std::int64_t salt = 0) {
  const graph_value twice = binary(builder, operation::multiply, n, builder.literal(2, i64));
  return binary(builder, operation::subtract,
                binary(builder, operation::remainder, numbers(builder, x, salt), twice), n);
}

}  // namespace

TEST_SUITE("kernels of scatters") {
  TEST_CASE("sums, minima and maxima of each integer type, along each axis") {
    for (const element_type type :
         {element_type::int32, element_type::uint32, element_type::int64, element_type::uint64})
      for (const operation combine : {operation::add, operation::minimum, operation::maximum})
        for (const unsigned axis : {0u, 1u})
          check(
              [&](graph_builder& builder, const values& given) -> values {
                const graph_value base = builder.cast(numbers(builder, given[0], 3), type);
                const graph_value index = indices(builder, given[0], builder.extent(given[0], axis), 5);
                const graph_value updates = builder.cast(numbers(builder, given[0], 11), type);
                return {scatter_broadcast(builder, base, index, updates,
                                          {axis, combine, scatter_rule::reported, axis})};
              },
              {{7, 33}, {40, 128}, {5, 1}});
  }

  TEST_CASE("what is written is read, reduced and written again") {
    check([](graph_builder& builder, const values& given) -> values {
      const graph_value base = builder.cast(numbers(builder, given[0], 3), i64);
      const graph_value n = builder.extent(given[0], 1);
      const graph_value ones = builder.literal(std::int64_t{1}, i64);
      const graph_value first = scatter_broadcast(builder, base, indices(builder, given[0], n, 5), ones,
                                                  {1, operation::add, scatter_rule::reported, 1});
      const graph_value second = scatter_broadcast(builder, first, indices(builder, given[0], n, 9), first,
                                                   {1, operation::maximum, scatter_rule::reported, 1});
      return {builder.reduce(operation::sum, first, 1u), second,
              binary(builder, operation::add, second, first)};
    });
  }

  TEST_CASE("a row of updates for each row, counts of a vector, and what is reduced") {
    check([](graph_builder& builder, const values& given) -> values {
      const graph_value base = builder.cast(numbers(builder, given[0], 3), i32);
      const graph_value by_row = indices(builder, given[1], builder.extent(given[0], 1), 7);
      const graph_value sums = builder.reduce(operation::sum, builder.cast(given[0], i64), 1u);
      return {scatter_broadcast(builder, base, by_row, numbers(builder, given[1], 2),
                                {1, operation::add, scatter_rule::reported, 1}),
              scatter_broadcast(builder, builder.cast(sums, i32), by_row, sums,
                                {0, operation::add, scatter_rule::reported, 0})};
    });
  }

  TEST_CASE("updates out of range are dropped where that is asked for") {
    check([](graph_builder& builder, const values& given) -> values {
      const graph_value base = builder.cast(numbers(builder, given[0], 3), i32);
      const graph_value index = indices(builder, given[0], builder.extent(given[0], 1), 5);
      return {scatter_broadcast(builder, base, index, builder.literal(std::int64_t{1}, i32),
                                {1, operation::add, scatter_rule::dropped, 1})};
    });
  }

  TEST_CASE("an index is reported wherever it stands in a vector that crosses the ends of rows") {
    const graph recorded = graph_of({matrix, row}, [](graph_builder& builder, const values& given) -> values {
      // rows from the second one on have an index that is out of range
      const graph_value at =
          binary(builder, operation::multiply, builder.coordinate(given[0], 0), builder.literal(7, i64));
      return {scatter_broadcast(builder, builder.cast(given[0], i32), at, builder.cast(given[0], i32),
                                {0, operation::add, scatter_rule::reported, 0})};
    });
    for (const shape& extents : {shape{2, 2}, shape{3, 2}, shape{5, 3}, shape{40, 3}}) {
      std::vector<placed_array> arrays;
      arrays.emplace_back(f32, some_numbers(count_of(extents)), extents, placement::contiguous,
                          device::cpu());
      arrays.emplace_back(f32, some_numbers(count_of({extents.back()})), shape{extents.back()},
                          placement::contiguous, device::cpu());
      CHECK_THROWS_AS(simulate(recorded, {arrays[0].operand(), arrays[1].operand()}, {}, {}),
                      simulated_fault);
    }
  }
}

}  // namespace sinter::test
