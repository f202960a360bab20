// The text of a thread's elements has a bound: a long body gets fewer elements.

#include <doctest/doctest.h>

#include "../support/sweep/sweep_layout.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/nest/reduction_phases.hpp>
#include <sinter/codegen/schedule/thresholds.hpp>

namespace sinter::test {
namespace {

std::int64_t weight_of_body(const nest& body) {
  std::int64_t weight = 0;
  for (const instruction& at : body.body) weight += weight_of(at.op);
  return weight;
}

/// A chain of sines of one array, or its sum.
graph chain(std::size_t length, bool summed) {
  graph_builder b;
  graph_value at = b.input(element_type::float32, 2);
  for (std::size_t i = 0; i < length; ++i) at = b.apply(operation::sin, {at});
  b.output(summed ? b.reduce(operation::sum, at, 2) : at);
  return b.recorded();
}

}  // namespace

TEST_CASE("no thread's text is longer than the bound unless it has one vector of elements, or one element") {
  const target_facts target = cuda_facts();
  const std::int64_t most = gpu_thresholds_of(target).max_unrolled_weight;
  std::size_t long_bodies = 0;
  const auto check = [&](const graph& made, const std::vector<array_layout>& inputs) {
    lowered_call lowered;
    sinter::lower({.recorded = made, .inputs = inputs, .target = target}, lowered);
    for (std::size_t i = 0; i < lowered.stage_count; ++i) {
      const stage& at = lowered.stages[i];
      const schedule& chosen = at.chosen;
      if (at.tiles == 0 || chosen.resident || chosen.tile != 0 || has_scans(at.body)) continue;
      const std::int64_t weight = weight_of_body(at.body);
      if (chosen.vector * chosen.steps * chosen.rows_per_thread * weight <= most) continue;
      ++long_bodies;
      INFO(to_string(chosen), ", weight ", weight);
      CHECK(chosen.steps == 1);
      CHECK(chosen.rows_per_thread == 1);
      if (at.body.reduced == 0) CHECK(chosen.vector == 1);
    }
  };
  for (const bool summed : {false, true})
    for (const std::size_t length : {1u, 4u, 8u, 20u, 31u}) {
      const std::vector<layout> arrays{contiguous({4096, 4096})};
      check(chain(length, summed), views(arrays));
    }
  CHECK(long_bodies > 0);
}

TEST_CASE("short bodies keep the elements that their memory accesses want") {
  const schedule chosen = lower(chain(1, false), {contiguous({4096, 4096})}, cuda_facts()).stages[0].chosen;
  CHECK(chosen.vector == 4);
}

TEST_CASE("a thread has fewer elements of a resident column whose text would be long") {
  const std::int64_t max_steps = gpu_thresholds_of(cuda_facts()).columns.resident_steps;
  std::size_t whole = 0, fewer = 0;
  for (const std::size_t length : {0u, 1u, 4u, 16u, 64u, 200u})
    for (const std::int64_t rows : {40, 100, 200}) {
      graph_builder b;
      graph_value at = b.input(element_type::uint8, 2);
      for (std::size_t i = 0; i < length; ++i) at = b.apply(operation::square, {at});
      b.output(b.apply(operation::multiply, std::array{at, b.reduce(operation::max, at, 1u, true)}));
      const lowered_call lowered =
          lower(b.recorded(), {contiguous({rows, 4096}, element_type::uint8)}, cuda_facts());
      const stage& last = lowered.stages[lowered.stage_count - 1];
      if (!last.chosen.resident || !reduces_columns(last.chosen.order)) continue;
      (last.chosen.steps == max_steps ? whole : fewer) += 1;
      CHECK(last.chosen.vector * last.chosen.steps * (weight_of_body(last.body) + 1) <=
            gpu_thresholds_of(cuda_facts()).columns.max_resident_weight);
    }
  CHECK(whole > 0);
  CHECK(fewer > 0);
}

TEST_CASE("squared deviations of columns of long bodies are lowered, whatever the number of rows") {
  for (const std::size_t length : {1u, 8u, 12u, 20u, 31u})
    for (const std::int64_t rows : {0, 1, 31, 33, 64, 200, 5000, 100000}) {
      INFO(length, " sines, ", rows, " rows");
      graph_builder b;
      graph_value at = b.input(element_type::float32, 2);
      for (std::size_t i = 0; i < length; ++i) at = b.apply(operation::sin, {at});
      const graph_value mean =
          b.apply(operation::multiply, std::array{b.reduce(operation::sum, at, 1u, true), b.literal(0.125f)});
      const graph_value deviation =
          b.apply(operation::square, {b.apply(operation::subtract, std::array{at, mean})});
      b.output(b.reduce(operation::sum, deviation, 1u));
      const lowered_call lowered =
          lower(b.recorded(), {contiguous({rows, 1000}, element_type::float32)}, cuda_facts());
      CHECK(lowered.stage_count >= 1);
      CHECK(lowered.stage_count <= 6);
      CHECK(lowered.workspace_bytes <= sizeof(float) * 2 * 1000 * static_cast<std::size_t>(rows + 1000));
    }
}

}  // namespace sinter::test
