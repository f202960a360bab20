// Kernels that update a copy of a small array, on each device and as CUDA's texts in the simulator, beside
// the interpreter.

#include "../bodies/check_kernels.hpp"
#include "scatter_broadcast.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/lowering.hpp>
#include <sinter/codegen/print/emit.hpp>
#include <sinter/dsl/composed/graph_operations.hpp>
#include <sinter/dsl/scatters/compose_histogram.hpp>
#include <sinter/dsl/scatters/compose_scatter.hpp>

#include <string>

namespace sinter::test {
namespace {

graph_value binary(graph_builder& builder, operation op, graph_value a, graph_value b) {
  return builder.apply(op, {a, b});
}
/// Integers of either sign and of more than 32 bits.
graph_value numbers(graph_builder& builder, graph_value x, element_type type) {
  const graph_value centred = binary(builder, operation::subtract, x, builder.literal(0.5f));
  const graph_value far = binary(builder, operation::multiply, centred, builder.literal(3e9f));
  const graph_value wide = builder.cast(far, i64);
  return builder.cast(binary(builder, operation::multiply, wide, builder.literal(7, i64)), type);
}
/// Indices of `count` elements, from the end too.
graph_value indices(graph_builder& builder, graph_value x, std::int64_t count) {
  const graph_value far = binary(builder, operation::multiply, x, builder.literal(100003.f));
  const graph_value in_range =
      binary(builder, operation::remainder, builder.cast(far, i64), builder.literal(2 * count, i64));
  return binary(builder, operation::subtract, in_range, builder.literal(count, i64));
}
/// Elements of one axis, all of them the same number.
graph_value of_elements(graph_builder& builder, std::int64_t count, std::int64_t number, element_type type) {
  const std::source_location at = std::source_location::current();
  const detail::graph_operations of{builder, at};
  return of.broadcast(of.with_axes(of.number(number, type), 0, 1), 0, of.number(count));
}

/// A function of a matrix of 40 x 128 elements that has copies on a GPU.
void check(const graph& recorded, std::initializer_list<shape> shapes) {
  for (const shape& extents : shapes) {
    const lowered_call lowered =
        lower(recorded, {contiguous(extents), contiguous({extents.back()})}, cuda_facts());
    bool has_copy = false;
    for (std::size_t i = 0; i < lowered.stage_count; ++i)
      has_copy |= lowered.stages[i].chosen.private_updates != 0 &&
                  emit(lowered.stages[i]).source.find("begin_own_") != std::string::npos;
    CHECK(has_copy);
  }
  check_kernels(recorded, shapes);
}

const std::initializer_list<shape> shapes_of_updates = {{40, 128}, {7, 300}, {3, 2001}, {5000, 1}};

}  // namespace

TEST_SUITE("kernels that update copies") {
  TEST_CASE("sums, minima and maxima of each integer type") {
    for (const element_type type :
         {element_type::int32, element_type::uint32, element_type::int64, element_type::uint64})
      for (const scatter_combine combine :
           {scatter_combine::add, scatter_combine::minimum, scatter_combine::maximum})
        for (const std::int64_t count : {1, 5, 16}) {
          CAPTURE(std::string(facts_of(type).name));
          CAPTURE(static_cast<int>(combine));
          CAPTURE(count);
          check(graph_of({matrix, row},
                         [&](graph_builder& builder, const values& given) -> values {
                           const graph_value base = of_elements(builder, count, 3, type);
                           return {scatter(builder, base, indices(builder, given[0], count),
                                           numbers(builder, given[0], type),
                                           {0, combine, scatter_rule::reported})};
                         }),
                shapes_of_updates);
        }
  }

  TEST_CASE("counts, of one and of other numbers") {
    for (const std::int64_t added : {1, 7})
      check(graph_of({matrix, row},
                     [&](graph_builder& builder, const values& given) -> values {
                       const graph_value base = of_elements(builder, 9, -2, i64);
                       return {scatter(builder, base, indices(builder, given[0], 9),
                                       builder.literal(added, i64),
                                       {0, scatter_combine::add, scatter_rule::reported})};
                     }),
            shapes_of_updates);
  }

  TEST_CASE("histograms, whose bins are told by the product away from their edges") {
    check(graph_of({matrix, row},
                   [&](graph_builder& builder, const values& given) -> values {
                     const bin_range range{builder.literal(7, i64), builder.literal(0.2f),
                                           builder.literal(0.9f)};
                     return {histogram(builder, given[0], range, f32, {}, std::source_location::current())};
                   }),
          shapes_of_updates);
  }

  TEST_CASE("sums of floating-point numbers") {
    for (const element_type type : {element_type::float16, element_type::float32, element_type::float64})
      check(graph_of({matrix, row},
                     [&](graph_builder& builder, const values& given) -> values {
                       const graph_value base = of_elements(builder, 6, 1, type);
                       return {scatter(builder, base, indices(builder, given[0], 6),
                                       builder.cast(given[0], type),
                                       {0, scatter_combine::add, scatter_rule::reported})};
                     }),
            shapes_of_updates);
  }
}

}  // namespace sinter::test
