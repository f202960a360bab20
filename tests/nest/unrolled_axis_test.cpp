// Short axes of what loops compute: reduced ones inside of another reduction's loop, and kept ones whose
// elements share most of it.

#include <doctest/doctest.h>

#include "../support/sweep/sweep_layout.hpp"

#include <algorithm>
#include <bit>

namespace sinter::test {
namespace {

graph_value squared_distance(graph_builder& builder, graph_value from, graph_value to, bool keepdims) {
  const graph_value apart = builder.apply(operation::subtract, {to, from});
  return builder.reduce(operation::sum, builder.apply(operation::multiply, {apart, apart}), 4, keepdims);
}

/// The nearest of some centres to each point: argmin over k of the sum over d of (x[n, d] - c[k, d]) ^ 2.
graph nearest_centre() {
  graph_builder builder;
  const graph_value points = builder.input(element_type::float32, 2);
  const graph_value centres = builder.input(element_type::float32, 2);
  const graph_value spread = builder.view(points, std::vector{all_of(), new_axis(), all_of()});
  builder.output(builder.reduce(operation::argmin, squared_distance(builder, spread, centres, false), 2));
  return builder.recorded();
}

/// The sum over j of (r[j, d] - r[i, d]) / |r[j] - r[i]|^3, for each point i and coordinate d.
graph forces() {
  graph_builder builder;
  const graph_value points = builder.input(element_type::float32, 2);
  const graph_value from = builder.view(points, std::vector{all_of(), new_axis(), all_of()});
  const graph_value to = builder.view(points, std::vector{new_axis(), all_of(), all_of()});
  const graph_value square =
      builder.apply(operation::add, {squared_distance(builder, from, to, true), builder.literal(0.001f)});
  const graph_value cube =
      builder.apply(operation::multiply, {square, builder.apply(operation::sqrt, {square})});
  const graph_value apart = builder.apply(operation::subtract, {to, from});
  builder.output(builder.reduce(operation::sum, builder.apply(operation::true_divide, {apart, cube}), 2));
  return builder.recorded();
}

lowered_call nearest(std::int64_t dimensions, const target_facts& target) {
  return lower(nearest_centre(), {contiguous({100000, dimensions}), contiguous({40, dimensions})}, target);
}

std::size_t count(const nest& loops, operation op) {
  return static_cast<std::size_t>(
      std::ranges::count_if(loops.body, [op](const instruction& at) { return at.op == op; }));
}

}  // namespace

TEST_CASE(
    "distances in few dimensions are summed without a loop where each is one of a reduction's elements") {
  for (const target_facts& target : {cpu_facts(), cuda_facts()})
    for (const std::int64_t dimensions : {2, 8, 16}) {
      const lowered_call call = nearest(dimensions, target);
      REQUIRE(call.stage_count == 1);
      CHECK(count(call.stages[0].body, operation::subtract) == static_cast<std::size_t>(dimensions));
      CHECK(std::popcount(call.stages[0].body.reduced) == 1);
    }
}

TEST_CASE("distances in many dimensions are stored first") {
  for (const target_facts& target : {cpu_facts(), cuda_facts()}) CHECK(nearest(17, target).stage_count == 2);
}

TEST_CASE("coordinates that share what a loop computes are summed side by side, by one store each") {
  for (const target_facts& target : {cpu_facts(), cuda_facts()}) {
    const lowered_call call = lower(forces(), {contiguous({100000, 3})}, target);
    REQUIRE(call.stage_count == 1);
    const nest& loops = call.stages[0].body;
    CHECK(loops.rank == 2);
    CHECK(count(loops, operation::sqrt) == 1);
    CHECK(count(loops, operation::sum) == 3);
    REQUIRE(loops.stores.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
      const access& to = loops.accesses[loops.stores[i].target];
      CHECK(to.array == 0);
      CHECK(to.offset == static_cast<std::int64_t>(i));
    }
  }
}

TEST_CASE("coordinates of more than four dimensions, or that share little, stay an axis") {
  for (const target_facts& target : {cpu_facts(), cuda_facts()}) {
    const lowered_call many = lower(forces(), {contiguous({3000, 5})}, target);
    CHECK(many.stages[many.stage_count - 1].body.stores.size() == 1);
    graph_builder builder;  // the sum over j of exp(r[j, d] - r[i, d])
    const graph_value points = builder.input(element_type::float32, 2);
    const graph_value apart = builder.apply(
        operation::subtract, {points, builder.view(points, std::vector{all_of(), new_axis(), all_of()})});
    builder.output(builder.reduce(operation::sum, builder.apply(operation::exp, {apart}), 2));
    CHECK(lower(builder.recorded(), {contiguous({3000, 3})}, target).stages[0].body.stores.size() == 1);
  }
}

TEST_CASE("on the CPU lanes lie along the kept axis where all pairs of two arrays are reduced") {
  const schedule chosen = lower(forces(), {contiguous({3000, 3})}, cpu_facts()).stages[0].chosen;
  CHECK(chosen.order == loop_order::column_reduction);
  graph_builder builder;  // a matrix times a vector: its elements move along both axes
  const graph_value product = builder.apply(operation::multiply, {builder.input(element_type::float32, 2),
                                                                  builder.input(element_type::float32, 1)});
  builder.output(builder.reduce(operation::sum, product, 2));
  CHECK(lower(builder.recorded(), {contiguous({3000, 3000}), contiguous({3000})}, cpu_facts())
            .stages[0]
            .chosen.order == loop_order::row_reduction);
}

}  // namespace sinter::test
