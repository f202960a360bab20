// Reductions of at most four elements become chains of their combining operation, without loops.

#include <doctest/doctest.h>

#include "../support/sweep/sweep.hpp"
#include "../support/sweep/sweep_layout.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/kernel/argument_block.hpp>
#include <sinter/codegen/schedule/tiling.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace sinter::test {
namespace {

constexpr element_type f32 = element_type::float32;
constexpr target_kind both_targets[] = {target_kind::cuda, target_kind::cpu};

target_facts sample_target(target_kind kind) {
  return kind == target_kind::cuda ? cuda_facts() : cpu_facts();
}

/// Squared distances of n points from m others, in three coordinates: [n, m].
graph_value squared_distances(graph_builder& builder) {
  const graph_value x = builder.input(f32, 2), y = builder.input(f32, 2);
  const std::vector<view_item> down{all_of(), new_axis(), all_of()}, across{new_axis(), all_of(), all_of()};
  const graph_value apart =
      builder.apply(operation::subtract, {builder.view(x, down), builder.view(y, across)});
  return builder.reduce(operation::sum, builder.apply(operation::multiply, {apart, apart}), 4u);
}

std::size_t count_of(const nest& body, operation op) {
  return static_cast<std::size_t>(
      std::count_if(body.body.begin(), body.body.end(), [op](const instruction& at) { return at.op == op; }));
}

graph reduced(operation op, element_type type, unsigned rank, std::uint32_t axes, bool keepdims = false) {
  graph_builder builder;
  builder.output(builder.reduce(op, builder.input(type, rank), axes, keepdims));
  return builder.recorded();
}

}  // namespace

TEST_CASE("distances between points of three coordinates are pointwise") {
  graph_builder builder;
  builder.output(builder.apply(operation::sqrt, {squared_distances(builder)}));
  for (const target_kind kind : both_targets) {
    const lowered_call lowered =
        lower(builder.recorded(), {contiguous({4096, 3}), contiguous({8192, 3})}, sample_target(kind));
    CHECK(lowered.stage_count == 1);
    const nest& body = lowered.stages[0].body;
    CHECK(body.reduced == 0);
    CHECK(body.rank == 2);
    CHECK(count_of(body, operation::input) == 6);
    CHECK(count_of(body, operation::subtract) == 3);
    CHECK(count_of(body, operation::add) == 2);
    CHECK(lowered.workspace_bytes == 0);
    CHECK(lowered.stages[0].bytes_moved == 4 * (3 * 4096 + 3 * 8192 + 4096 * 8192));
  }
}

TEST_CASE("a thread of a GPU loads the points of one side once for several of the other") {
  graph_builder builder;
  builder.output(builder.apply(operation::sqrt, {squared_distances(builder)}));
  const auto chosen = [&](std::int64_t points) {
    return lower(builder.recorded(), {contiguous({points, 3}), contiguous({points, 3})}, cuda_facts())
        .stages[0]
        .chosen;
  };
  CHECK(chosen(16384).order == loop_order::rows);
  CHECK(chosen(16384).vector == 4);
  CHECK(chosen(16384).rows_per_thread == 8);
  CHECK(chosen(16385).vector == 1);
}

TEST_CASE("the least distance of each point is one reduction of rows, without a temporary of all pairs") {
  graph_builder builder;
  builder.output(builder.reduce(operation::min, squared_distances(builder), 2u));
  for (const target_kind kind : both_targets) {
    const lowered_call lowered =
        lower(builder.recorded(), {contiguous({4096, 3}), contiguous({8192, 3})}, sample_target(kind));
    CHECK(lowered.stage_count == 1);
    const nest& body = lowered.stages[0].body;
    CHECK(count_rows(body, true) == 8192);
    CHECK(count_rows(body, false) == 4096);
    CHECK(count_of(body, operation::min) == 1);
    CHECK(count_of(body, operation::sum) == 0);
    CHECK(lowered.workspace_bytes == 0);
    CHECK(lowered.stages[0].bytes_moved == 4 * (3 * 4096 + 3 * 8192 + 4096));
  }
}

TEST_CASE("a variance of three columns is pointwise, too: its mean is computed once a row") {
  graph_builder builder;
  const graph_value x = builder.input(f32, 2), three = builder.literal(f32, 0x40400000);
  const graph_value mean =
      builder.apply(operation::true_divide, {builder.reduce(operation::sum, x, 2u, true), three});
  const graph_value apart = builder.apply(operation::subtract, {x, mean});
  builder.output(builder.reduce(operation::sum, builder.apply(operation::multiply, {apart, apart}), 2u));
  const lowered_call lowered = lower(builder.recorded(), {contiguous({1000, 3})}, cuda_facts());
  CHECK(lowered.stages[0].body.reduced == 0);
  CHECK(count_of(lowered.stages[0].body, operation::true_divide) == 1);
  CHECK(count_of(lowered.stages[0].body, operation::input) == 3);
}

TEST_CASE("several axes of together four elements are one chain, five elements are a loop") {
  CHECK(lower(reduced(operation::max, f32, 3, 5u), {contiguous({2, 70, 2})}, cuda_facts())
            .stages[0]
            .body.reduced == 0);
  CHECK(lower(reduced(operation::max, f32, 2, 2u), {contiguous({70, 5})}, cuda_facts())
            .stages[0]
            .body.reduced != 0);
}

TEST_CASE("a reduction that is broadcast back along its own axis keeps its loop, and so does a position") {
  graph_builder builder;
  const graph_value x = builder.input(f32, 2);
  builder.output(builder.apply(operation::subtract, {x, builder.reduce(operation::max, x, 2u, true)}));
  CHECK(lower(builder.recorded(), {contiguous({50, 3})}, cuda_facts()).stages[0].body.reduced != 0);
  CHECK(lower(reduced(operation::argmax, f32, 2, 2u), {contiguous({50, 3})}, cuda_facts())
            .stages[0]
            .body.reduced != 0);
}

TEST_CASE("nothing is copied more than sixteen times, however deep small reductions are nested") {
  graph_builder builder;
  graph_value x = builder.apply(operation::exp, {builder.input(f32, 5)});
  for (unsigned axis = 5; axis-- > 1;) x = builder.reduce(operation::sum, x, 1u << axis);
  builder.output(x);
  const lowered_call lowered = lower(builder.recorded(), {contiguous({100, 4, 4, 4, 4})}, cpu_facts());
  std::size_t copies = 0;
  for (std::size_t stage = 0; stage < lowered.stage_count; ++stage)
    copies = std::max(copies, count_of(lowered.stages[stage].body, operation::exp));
  CHECK(copies <= 16);
}

TEST_CASE("a graph of many operations is not copied for four elements") {
  graph_builder builder;
  graph_value x = builder.input(f32, 2);
  for (int i = 0; i < 400; ++i) x = builder.apply(operation::multiply, {x, x});
  builder.output(builder.reduce(operation::sum, x, 2u));
  const lowered_call lowered = lower(builder.recorded(), {contiguous({100, 4})}, cpu_facts());
  CHECK(count_of(lowered.stages[0].body, operation::multiply) == 400);
}

TEST_CASE("half types are not rounded between the additions, in any mode") {
  // in float16 2048 + 1 is 2048, and 2048 + 1 + 1 as well
  const bits values{0x6800, 0x3c00, 0x3c00};
  for (const arithmetic_mode mode :
       {arithmetic_mode::standard, arithmetic_mode::strict, arithmetic_mode::fast}) {
    graph recorded = reduced(operation::sum, element_type::float16, 2, 2u);
    recorded.mode = mode;
    for (const device on : sweep_devices()) {
      std::vector<placed_array> arrays;
      arrays.emplace_back(element_type::float16, values, shape{1, 3}, placement::contiguous, on);
      CHECK(run(runtime::intern(recorded), arrays, {}, on)[0] == bits{0x6801});
    }
  }
}

TEST_CASE("NaN wins or is ignored among few elements as among many") {
  constexpr std::uint64_t nan = 0x7fc00000, one = 0x3f800000, two = 0x40000000;
  const bits rows{one, nan, two, nan, nan, nan};
  const auto of = [&](operation op, device on) {
    std::vector<placed_array> arrays;
    arrays.emplace_back(f32, rows, shape{2, 3}, placement::contiguous, on);
    return run(runtime::intern(reduced(op, f32, 2, 2u)), arrays, {}, on)[0];
  };
  const auto is_nan = [](std::uint64_t value) { return (value & 0x7fffffff) > 0x7f800000; };
  for (const device on : sweep_devices()) {
    CHECK(is_nan(of(operation::max, on)[0]));
    CHECK(is_nan(of(operation::min, on)[0]));
    CHECK(of(operation::nanmax, on)[0] == two);
    CHECK(of(operation::nanmin, on)[0] == one);
    CHECK(is_nan(of(operation::nanmax, on)[1]));
    CHECK(of(operation::any, on) == bits{1, 1});
    CHECK(of(operation::all, on) == bits{1, 1});
  }
}

}  // namespace sinter::test
