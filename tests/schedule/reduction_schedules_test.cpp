// How reduced rows are distributed over threads, registers, shared memory and blocks.

#include <doctest/doctest.h>

#include "../support/reduction_graphs.hpp"
#include "../support/sweep/sweep_layout.hpp"

#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/nest/phase_plan.hpp>

#include <string>

namespace sinter::test {
namespace {

constexpr element_type f32 = element_type::float32;

/// The only stage of a call on the GPU.
stage only_stage(const graph& recorded, const shape& extents, element_type type = f32,
                 const target_facts& target = cuda_facts()) {
  const lowered_call lowered = lower(recorded, {contiguous(extents, type)}, target);
  REQUIRE(lowered.stage_count == 1);
  return lowered.stages[0];
}

std::int64_t elements_held(const schedule& chosen) {
  return std::int64_t{chosen.cluster} * chosen.threads_along * chosen.vector *
         (chosen.steps + chosen.shared_steps);
}

std::string refusal(const std::string& text) {
  const schedule forced = parse_schedule(text);
  try {
    lower(softmax_over(2), {contiguous({1000, 4096})}, cuda_facts(), {}, {}, &forced);
  } catch (const error& refused) {
    return refused.what();
  }
  return {};
}

bool mentions(const std::string& text, std::string_view words) {
  return text.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("a row is read once up to a million elements: in registers, then shared memory, then a cluster") {
  for (const std::int64_t length : {2, 3, 64, 100, 257, 4096, 5000, 32768}) {
    INFO(length);
    const stage made = only_stage(softmax_over(2), {100000, length});
    CHECK(made.chosen.resident);
    CHECK(made.chosen.cluster == 1);
    CHECK(made.shared_bytes == 0);
    CHECK(elements_held(made.chosen) >= length);
    CHECK(made.bytes_moved == 2 * 4 * 100000 * length);
  }
  for (const std::int64_t length : {40000, 65536, 200001, 1 << 18, 1 << 20}) {
    INFO(length);
    const stage made = only_stage(softmax_over(2), {1000, length});
    CHECK(made.chosen.resident);
    CHECK(made.chosen.cluster > 1);
    CHECK(made.chosen.shared_steps > 0);
    CHECK(made.shared_bytes <= 227 * 1024);
    CHECK(elements_held(made.chosen) >= length);
    CHECK(made.tiles == 1000 * made.chosen.cluster);
  }
  CHECK(!only_stage(softmax_over(2), {1000, 1 << 22}).chosen.resident);
}

TEST_CASE("long softmax rows that are no whole vectors lie in the registers of a cluster's blocks") {
  for (const element_type type : {f32, element_type::float16, element_type::bfloat16})
    for (const std::int64_t length : {18001, 32001, 50257, 80001, 100001}) {
      INFO(facts_of(type).name, " ", length);
      const schedule chosen = only_stage(softmax_over(2, type), {1000, length}, type).chosen;
      CHECK(chosen.vector == 1);
      CHECK(chosen.resident);
      CHECK(chosen.cluster > 1);
      CHECK(chosen.cluster <= 8);
      CHECK(chosen.threads_along == 512);
      CHECK(chosen.shared_steps == 0);
      CHECK(elements_held(chosen) >= length);
    }
  // shorter ones fit one block, and rows without functions of their elements were slower
  CHECK(only_stage(softmax_over(2), {1000, 12287}).chosen.cluster == 1);
  graph_builder b;
  const graph_value x = b.input(f32, 2);
  b.output(b.apply(operation::subtract, std::array{x, b.reduce(operation::max, x, 2u, true)}));
  CHECK(only_stage(b.recorded(), {1000, 32001}).chosen.cluster == 1);
}

TEST_CASE("after a spill rows that were resident stay so, with fewer elements in a thread's registers") {
  for (const std::int64_t rows : {1, 64, 100000})
    for (const std::int64_t length : {3, 64, 257, 5000, 23635, 32768, 65536, 1 << 18, 1 << 19}) {
      INFO(rows, " rows of ", length);
      const stage first = lower(softmax_over(2), {contiguous({rows, length})}, cuda_facts()).stages[0];
      const lowered_call again =
          lower(softmax_over(2), {contiguous({rows, length})}, cuda_facts(), {}, {}, nullptr, 1);
      const schedule &before = first.chosen, &after = again.stages[0].chosen;
      if (!before.resident || before.staged || before.steps < 2) continue;
      CHECK(after.resident);
      CHECK(after.steps * after.rows_per_thread < before.steps * before.rows_per_thread);
      CHECK(elements_held(after) >= length);
      CHECK(again.stages[0].tiles * 2 >= first.tiles);
    }
}

TEST_CASE("a device without clusters keeps what one block holds and reads longer rows again") {
  target_facts old = cuda_facts();
  old.architecture = 80;
  old.cluster_blocks = 1;
  old.shared_bytes_per_block = 163 * 1024;
  const stage held = only_stage(softmax_over(2), {1000, 60000}, f32, old);
  CHECK(held.chosen.resident);
  CHECK(held.chosen.cluster == 1);
  const stage again = only_stage(softmax_over(2), {1000, 1 << 18}, f32, old);
  CHECK(!again.chosen.resident);
  CHECK(again.chosen.cluster == 1);
}

TEST_CASE(
    "long rows fit several blocks of a multiprocessor, then fewer, and their schedules can be given back") {
  struct device_case {
    int architecture;
    std::uint32_t cluster_blocks, shared_bytes;
  };
  for (const device_case& device : {device_case{86, 1, 99 * 1024}, device_case{90, 16, 227 * 1024},
                                    device_case{120, 8, 99 * 1024}, device_case{75, 1, 64 * 1024}})
    for (const element_type type : {f32, element_type::float64, element_type::bfloat16})
      for (std::int64_t length = 1 << 15; length <= 1 << 20; length += length / 7 / 16 * 16) {
        target_facts target = cuda_facts();
        target.architecture = device.architecture;
        target.cluster_blocks = device.cluster_blocks;
        target.shared_bytes_per_block = device.shared_bytes;
        INFO("sm_", device.architecture, ", rows of ", length);
        const graph recorded = softmax_over(2, type);
        const stage made = only_stage(recorded, {100000, length}, type, target);
        const schedule& chosen = made.chosen;
        CHECK(made.shared_bytes <= device.shared_bytes);
        if (device.architecture < 80) CHECK(chosen.shared_steps == 0);
        if (!chosen.resident) continue;
        CHECK(elements_held(chosen) >= length);
        const int blocks = chosen.threads_along == 256 ? 4 : chosen.threads_along == 512 ? 2 : 1;
        if (chosen.shared_steps > 0)
          CHECK(made.shared_bytes * static_cast<unsigned>(blocks) <= device.shared_bytes);
        const schedule given = parse_schedule(to_string(chosen));
        CHECK_NOTHROW(lower(recorded, {contiguous({100000, length}, type)}, target, {}, {}, &given));
      }
}

TEST_CASE("what is kept of half types is halves, and cheap operations are evaluated anew") {
  graph_builder builder;  // of the three phases only the first loads, and the element itself is resident
  const graph_value x = builder.cast(builder.input(element_type::float16, 2), f32);
  const graph_value apart =
      builder.apply(operation::subtract, {x, builder.reduce(operation::sum, x, 2u, true)});
  const graph_value squares =
      builder.reduce(operation::sum, builder.apply(operation::multiply, {apart, apart}), 2u, true);
  builder.output(builder.apply(operation::multiply, {apart, squares}));
  const stage made = only_stage(builder.recorded(), {100000, 4096}, element_type::float16);
  const codegen::phase_plan plan(made.body, true);
  REQUIRE(plan.resident().size() == 1);
  CHECK(plan.resident()[0].is_read);
  CHECK(plan.resident_bytes() == 2);
  CHECK(plan.loaded(1).empty());
  CHECK(plan.loaded(2).empty());
}

TEST_CASE("what is expensive is evaluated once, and takes the room of what it was made of") {
  const stage made = only_stage(softmax_over(2), {100000, 4096});
  const codegen::phase_plan plan(made.body, true);
  std::size_t exponentials = 0;
  for (unsigned phase = 0; phase < made.body.phases; ++phase)
    for (const std::uint32_t i : plan.evaluated(phase))
      exponentials += made.body.body[i].op == operation::exp;
  CHECK(exponentials == 1);
  CHECK(plan.resident().size() == 2);
  CHECK(plan.resident_bytes() == 4);
}

TEST_CASE("weights that rows share are loaded by each phase and not resident") {
  graph_builder builder;
  const graph_value x = builder.input(f32, 2), w = builder.input(f32, 1);
  const graph_value product = builder.apply(operation::multiply, {x, w});
  builder.output(
      builder.apply(operation::true_divide, {product, builder.reduce(operation::sum, product, 2u, true)}));
  const lowered_call lowered =
      lower(builder.recorded(), {contiguous({100000, 4096}), contiguous({4096})}, cuda_facts());
  const codegen::phase_plan plan(lowered.stages[0].body, true);
  CHECK(plan.loaded(0).size() == 2);
  CHECK(plan.loaded(1).size() == 1);
  CHECK(plan.resident_bytes() == 4);
}

TEST_CASE("short rows are several to a thread, and rows that begin anywhere are loaded by elements") {
  CHECK(only_stage(softmax_over(2), {100000, 2}).chosen.rows_per_thread > 1);
  CHECK(only_stage(softmax_over(2), {100000, 64}).chosen.rows_per_thread > 1);
  CHECK(only_stage(softmax_over(2), {100000, 4096}).chosen.rows_per_thread == 1);
  CHECK(only_stage(softmax_over(2), {100000, 4096}).chosen.vector == 4);
  CHECK(only_stage(softmax_over(2), {100000, 4098}).chosen.vector == 2);
  CHECK(only_stage(softmax_over(2), {100000, 4097}).chosen.vector == 1);
}

TEST_CASE("a few rows of up to half a million elements are one launch without a workspace, longer ones two") {
  for (const std::int64_t length : {4096, 1 << 16, 1 << 18}) {
    INFO(length);
    const lowered_call lowered =
        lower(reduction_of(operation::sum, 2), {contiguous({3, length})}, cuda_facts());
    CHECK(lowered.stage_count == 1);
    CHECK(lowered.workspace_bytes == 0);
  }
  const lowered_call lowered =
      lower(reduction_of(operation::sum, 2), {contiguous({3, 1 << 22})}, cuda_facts());
  CHECK(lowered.stage_count == 2);
  CHECK(lowered.workspace_bytes > 0);
}

TEST_CASE(
    "on the CPU a strip is no wider than there are columns, but for a few that would be one of their own") {
  graph_builder builder;
  builder.output(builder.reduce(operation::sum, builder.input(f32, 2), 1u));
  const auto strip_of = [&](std::int64_t columns) {
    return lower(builder.recorded(), {contiguous({3000, columns})}, cpu_facts()).stages[0].chosen.vector;
  };
  CHECK(strip_of(8) == 8);
  CHECK(strip_of(9) == 16);
  CHECK(strip_of(24) == 16);
  CHECK(strip_of(33) == 64);
  CHECK(strip_of(63) == 32);
  CHECK(strip_of(64) == 64);
  CHECK(strip_of(1000) == 64);
}

TEST_CASE("few columns, however they are scheduled, are split into pieces but once") {
  graph_builder builder;
  builder.output(builder.reduce(operation::sum, builder.input(f32, 2), 1u));
  for (const unsigned attempt : {0u, 1u})
    for (std::int64_t length = 1; length <= 1 << 14; length = length * 5 / 4 + 1)
      for (const std::int64_t columns : {8, 100, 1000}) {
        INFO("attempt ", attempt, ", ", length, " rows of ", columns);
        const lowered_call lowered = lower(builder.recorded(), {contiguous({length, columns})}, cuda_facts(),
                                           {}, {}, nullptr, attempt);
        CHECK(lowered.stage_count <= 2);
      }
}

TEST_CASE("a schedule that rows cannot have is refused with the reason") {
  const std::string resident = "row_reduction vector=4 resident=1 whole_rows=1 ";
  CHECK(refusal(resident + "threads_along=512 steps=2").empty());
  CHECK(refusal(resident + "threads_along=384 steps=3").empty());
  CHECK(refusal(resident + "threads_along=256 steps=2 cluster=2").empty());
  CHECK(mentions(refusal(resident + "threads_along=256 steps=2"), "cluster * threads_along"));
  CHECK(mentions(refusal(resident + "threads_along=256 steps=2 cluster=3"), "power of two"));
  CHECK(mentions(refusal(resident + "threads_along=256 steps=2 cluster=32"), "power of two"));
  CHECK(mentions(refusal(resident + "threads_along=256 steps=2 cluster=2 threads_across=2"),
                 "threads_across=1"));
  CHECK(
      mentions(refusal(resident + "threads_along=256 steps=4 cluster=2 rows_per_thread=2"), "several rows"));
  CHECK(mentions(refusal(resident + "threads_along=1024 steps=1 shared_steps=16"), "fewer shared_steps"));
  CHECK(mentions(refusal("row_reduction threads_along=256 shared_steps=1"), "resident=1"));
  CHECK(mentions(refusal("row_reduction vector=4 threads_along=48 threads_across=2"), "whole warps"));
  CHECK(mentions(refusal("row_reduction vector=4 threads_along=256 rows_per_thread=0"), "at least 1"));
}

TEST_CASE("no result is written over a row that a later phase reads") {
  graph_builder builder;
  const graph_value x = builder.input(f32, 2);
  builder.output(builder.apply(operation::exp, {x}));
  builder.output(builder.apply(operation::true_divide, {x, builder.reduce(operation::sum, x, 2u, true)}));
  const std::vector<layout> arrays{contiguous({100000, 4096})};
  CHECK(lower(builder.recorded(), arrays, cuda_facts()).overwritable == std::vector<std::uint8_t>{0});
  CHECK(lower(softmax_over(2), arrays, cuda_facts()).overwritable == std::vector<std::uint8_t>{1});
}

}  // namespace sinter::test
