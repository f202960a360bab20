// The choice among candidates: by estimates alone, with a margin for what they err.

#include <doctest/doctest.h>

#include "../../support/drawn/random_kernels.hpp"
#include "../../support/reduction_graphs.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/kernel/argument_block.hpp>
#include <sinter/codegen/schedule/choose/check_schedule.hpp>
#include <sinter/codegen/schedule/model/rank_candidates.hpp>

#include <string_view>

namespace sinter::test {
namespace {

schedule chosen_for(const graph& recorded, const std::vector<layout>& arrays) {
  return lower(recorded, arrays, cuda_facts()).stages[0].chosen;
}

}  // namespace

TEST_CASE("what is chosen can run, and is chosen again") {
  for (std::uint64_t seed = 1; seed < 400; ++seed) {
    const random_kernel kernel = make_kernel(seed, 16 + static_cast<unsigned>(seed % 10));
    const lowered_call lowered = lower(kernel.recorded, kernel.inputs, cuda_facts());
    const lowered_call again = lower(kernel.recorded, kernel.inputs, cuda_facts());
    const std::vector<array_layout> inputs = views(kernel.inputs);
    for (std::size_t i = 0; i < lowered.stage_count; ++i) {
      const stage& at = lowered.stages[i];
      const char* fault = fault_of_schedule(at.chosen, at.body, inputs, {}, cuda_facts());
      INFO("seed ", seed, ": ", kernel.description, ", ", to_string(at.chosen), ": ",
           fault == nullptr ? "" : fault);
      CHECK(fault == nullptr);
      CHECK(at.chosen == again.stages[i].chosen);
    }
  }
}

TEST_CASE("no candidate is estimated to take less than the launch and memory do") {
  std::vector<schedule> candidates;
  candidate_ranking ranking;
  int estimated = 0;
  for (std::uint64_t seed = 1; seed < 200; ++seed) {
    const random_kernel kernel = make_kernel(seed, 16 + static_cast<unsigned>(seed % 10));
    const lowered_call lowered = lower(kernel.recorded, kernel.inputs, cuda_facts());
    for (std::size_t i = 0; i < lowered.stage_count; ++i) {
      const stage& at = lowered.stages[i];
      list_candidates(at.body, at.chosen, cuda_facts(), candidates);
      if (candidates.empty()) continue;
      ranking.assign(at.body, at.chosen, cuda_facts());
      for (const schedule& each : candidates) {
        INFO("seed ", seed, ": ", kernel.description, ", ", to_string(each));
        CHECK(ranking.share_of(each) >= ranking.min_share());
        ++estimated;
      }
    }
  }
  CHECK(estimated > 1000);
}

TEST_CASE("alignment changes the loads of a reduction, not the order in which it combines") {
  int compared = 0;
  for (std::uint64_t seed = 1; seed < 400; ++seed) {
    random_kernel kernel = make_kernel(seed, 20);
    const lowered_call aligned = lower(kernel.recorded, kernel.inputs, cuda_facts());
    for (layout& each : kernel.inputs) each = unaligned(each);
    const lowered_call other = lower(kernel.recorded, kernel.inputs, cuda_facts());
    REQUIRE(aligned.stage_count == other.stage_count);
    for (std::size_t i = 0; i < aligned.stage_count; ++i) {
      const schedule &a = aligned.stages[i].chosen, &b = other.stages[i].chosen;
      if (aligned.stages[i].body.reduced == 0) continue;
      INFO("seed ", seed, ": ", kernel.description, ", ", to_string(a), " and ", to_string(b));
      CHECK(a.order == b.order);
      CHECK(a.vector * a.steps * a.threads_along * a.threads_across ==
            b.vector * b.steps * b.threads_along * b.threads_across);
      ++compared;
    }
  }
  CHECK(compared > 200);
}

TEST_CASE("neighbouring sizes of a class have the same schedule") {
  const graph sum = sum_of({{element_type::float32, 2}, {element_type::float32, 1}});
  const auto chosen = [&](std::int64_t rows, std::int64_t columns) {
    schedule made = chosen_for(sum, {contiguous({rows, columns}), contiguous({columns})});
    made.reads = {};  // a hint of its own
    return to_string(made);
  };
  const std::string first = chosen(1000, 1024);
  for (const std::int64_t rows : {2, 100, 4096, 100'000})
    for (const std::int64_t columns : {512, 1028, 4096, 65536}) CHECK(chosen(rows, columns) == first);
}

TEST_CASE("estimates begin with the chosen schedule, and the others follow by their times") {
  const graph sum = sum_of({{element_type::float32, 2}, {element_type::float32, 2}});
  const std::vector<layout> arrays{contiguous({4096, 4096}), transposed({4096, 4096})};
  const stage at = lower(sum, arrays, cuda_facts()).stages[0];
  const std::vector<estimated_schedule> all = list_estimates(at.body, at.chosen, cuda_facts(), 5);
  REQUIRE(all.size() == 6);
  CHECK(all[0].chosen == at.chosen);
  for (std::size_t i = 2; i < all.size(); ++i) CHECK(all[i - 1].cost.cycles <= all[i].cost.cycles);
}

TEST_CASE(
    "long odd rows that are reduced twice are loaded twice, and those that are stored stay in clusters") {
  graph_builder builder;
  const graph_value x = builder.input(element_type::float16, 2);
  const graph_value top = builder.reduce(operation::max, x, 2u, true);
  const graph_value power = builder.apply(operation::exp, {builder.apply(operation::subtract, {x, top})});
  const graph_value total = builder.apply(operation::log, {builder.reduce(operation::sum, power, 2u, true)});
  builder.output(builder.apply(operation::add, {total, top}));
  const std::vector<layout> rows{contiguous({1000, 50'257}, element_type::float16)};
  const schedule loaded = chosen_for(builder.recorded(), rows);
  INFO(to_string(loaded));
  CHECK(!loaded.resident);
  CHECK(loaded.cluster == 1);
  CHECK(chosen_for(softmax_over(2, element_type::float16), rows).cluster > 1);
}

TEST_CASE("what a cluster exchanges takes shared memory from its rows") {
  graph_builder builder;
  const graph_value x = builder.input(element_type::float64, 2);
  const graph_value least = builder.reduce(operation::min, x, 2u, true),
                    most = builder.reduce(operation::max, x, 2u, true);
  const graph_value sum = builder.reduce(operation::sum, x, 2u, true);
  builder.output(builder.apply(operation::add, {builder.apply(operation::subtract, {x, sum}),
                                                builder.apply(operation::add, {least, most})}));
  const std::vector<layout> rows{contiguous({1000, 400'000}, element_type::float64)};
  const stage at = lower(builder.recorded(), rows, cuda_facts()).stages[0];
  schedule each;
  each.order = loop_order::row_reduction;
  each.resident = true;
  each.cluster = 16;
  each.threads_along = 1024;
  each.steps = 2;
  const auto fault = [&](std::uint16_t shared_steps) {
    each.shared_steps = shared_steps;
    return fault_of_schedule(each, at.body, views(rows), {}, cuda_facts());
  };
  CHECK(fault(26) == nullptr);    // 208 KiB, and 12 KiB of parts
  REQUIRE(fault(27) != nullptr);  // 216 KiB: of 227 KiB there are 11 left
  CHECK(std::string_view(fault(27)).find("shared memory") != std::string_view::npos);
}

TEST_CASE("points of one side are loaded once for several of the other") {
  // 2^32 squared distances of three coordinates: what is loaded for a row of a thread serves all its lanes
  graph_builder builder;
  const graph_value x = builder.input(element_type::float32, 2), y = builder.input(element_type::float32, 2);
  const std::vector<view_item> down{all_of(), new_axis(), all_of()}, across{new_axis(), all_of(), all_of()};
  const graph_value apart =
      builder.apply(operation::subtract, {builder.view(x, down), builder.view(y, across)});
  const graph_value squares =
      builder.reduce(operation::sum, builder.apply(operation::multiply, {apart, apart}), 4u);
  builder.output(builder.reduce(operation::min, squares, 2u));
  const schedule chosen = chosen_for(builder.recorded(), {contiguous({65536, 3}), contiguous({65536, 3})});
  INFO(to_string(chosen));
  CHECK(chosen.vector >= 8);
}

}  // namespace sinter::test
