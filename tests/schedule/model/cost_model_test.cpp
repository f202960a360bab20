// Estimated times: what they come to, and what makes them longer.

#include <doctest/doctest.h>

#include "../../support/drawn/random_kernels.hpp"

#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/schedule/model/cost_model.hpp>
#include <sinter/codegen/schedule/model/size_class.hpp>
#include <sinter/codegen/target/cuda_limits.hpp>

namespace sinter::test {
namespace {

kernel_work work_under(const nest& body, const schedule& chosen) {
  nest_work work;
  work.assign(body, chosen.resident);
  return work_of(body, work, chosen, cuda_facts());
}

stage copy_of(std::int64_t elements, element_type type = element_type::float32) {
  graph_builder builder;
  const graph_value x = builder.input(type, 1);
  builder.output(builder.apply(operation::add, {x, x}));
  return lower(builder.recorded(), {contiguous({elements}, type)}, cuda_facts()).stages[0];
}

const gpu_rates rates = gpu_rates_of(cuda_facts()).rates;

}  // namespace

TEST_CASE("a contiguous operation moves each sector once, through all caches") {
  const std::int64_t elements = 1 << 24, sectors = 2 * 4 * elements / sector_bytes;
  const stage copy = copy_of(elements);
  const kernel_work work = work_under(copy.body, copy.chosen);
  CHECK(work.memory_sectors == sectors);
  CHECK(work.sectors == sectors);
  CHECK(work.lookups == sectors / 4);
  CHECK(work.spilled == 0);
  CHECK(cost_of(work, rates).tightest() == cost_limit::memory);
}

TEST_CASE("the estimate of a long copy is the time of its bytes") {
  const std::int64_t elements = std::int64_t{1} << 30;
  const stage copy = copy_of(elements);
  const kernel_cost cost = cost_of(work_under(copy.body, copy.chosen), rates);
  const double seconds = static_cast<double>(cost.cycles) / 1e6 / static_cast<double>(rates.megahertz);
  const double gigabytes_a_second = 8.0 * static_cast<double>(elements) / seconds / 1e9;
  CHECK(gigabytes_a_second > 3000);
  CHECK(gigabytes_a_second < 4800);
}

TEST_CASE("an empty launch takes what launches take") {
  const kernel_cost cost = cost_of({.blocks = 1, .warps = 1}, rates);
  CHECK(cost.cycles == rates.launch);
}

TEST_CASE("more of anything never takes less time") {
  using quantity = std::int64_t kernel_work::*;
  for (std::uint64_t seed = 1; seed < 200; ++seed) {
    const random_kernel kernel = make_kernel(seed, 22);
    const lowered_call lowered = lower(kernel.recorded, kernel.inputs, cuda_facts());
    for (std::size_t i = 0; i < lowered.stage_count; ++i) {
      const kernel_work work = work_under(lowered.stages[i].body, lowered.stages[i].chosen);
      const std::int64_t cycles = cost_of(work, rates).cycles;
      for (const quantity each :
           {&kernel_work::lookups, &kernel_work::sectors, &kernel_work::memory_sectors,
            &kernel_work::memory_pages, &kernel_work::chunks, &kernel_work::waits, &kernel_work::spilled}) {
        kernel_work more = work;
        more.*each = 2 * more.*each + 1;
        INFO("seed ", seed, ": ", kernel.description);
        CHECK(cost_of(more, rates).cycles >= cycles);
      }
      kernel_work more = work;
      more.instructions.add(work.instructions, 1);
      CHECK(cost_of(more, rates).cycles >= cycles);
    }
  }
}

TEST_CASE("what is limited by latency says so") {
  const kernel_work work{.blocks = 1, .warps = 1, .chunks = 1'000'000};
  CHECK(cost_of(work, rates).tightest() == cost_limit::latency);
  CHECK(cost_limit_names[static_cast<std::size_t>(cost_limit::latency)] == "latency");
}

TEST_CASE("loads of what all lanes of a thread share take registers once") {
  // distances of points in three coordinates: a thread has rows and lanes, and loads of both once
  graph_builder builder;
  const graph_value x = builder.input(element_type::float32, 2), y = builder.input(element_type::float32, 2);
  const std::vector<view_item> down{all_of(), at_index(0), new_axis()}, across{at_index(0), all_of()};
  builder.output(builder.apply(operation::multiply, {builder.view(x, down), builder.view(y, across)}));
  const stage outer =
      lower(builder.recorded(), {contiguous({4096, 3}), contiguous({3, 4096})}, cuda_facts()).stages[0];
  schedule wide = outer.chosen;
  wide.order = loop_order::rows;
  wide.vector = 4;
  wide.steps = 1;
  wide.rows_per_thread = 16;
  wide.threads_along = 32;
  wide.threads_across = 4;
  const std::int64_t registers = work_under(outer.body, wide).registers;
  CHECK(registers < 64);  // 20 values are loaded for 64 elements
}

TEST_CASE("the rows of a thread load the window that they share once") {
  // a sum over five rows of each column
  graph_builder builder;
  const graph_value x = builder.input(element_type::float32, 2);
  const auto rows_from = [&](std::int64_t first) {
    return builder.view(x, std::vector<view_item>{slice(first, first + 4096), slice(0, 4096)});
  };
  graph_value sum = rows_from(0);
  for (std::int64_t first = 1; first <= 4; ++first)
    sum = builder.apply(operation::add, {sum, rows_from(first)});
  builder.output(sum);
  const stage stencil = lower(builder.recorded(), {contiguous({4100, 4100})}, cuda_facts()).stages[0];
  schedule at = stencil.chosen;
  at.order = loop_order::rows;
  at.vector = at.steps = 1;
  at.threads_along = 64;
  at.threads_across = 2;
  const auto lookups_of = [&](std::uint16_t rows) {
    at.rows_per_thread = rows;
    return work_under(stencil.body, at).lookups;
  };
  // 5 loads and a store for one row; 12 loads and 8 stores for eight
  CHECK(lookups_of(1) * (12 + 8) == lookups_of(8) * (5 + 1) * 8);
}

TEST_CASE("a limit that is far below the tightest costs next to nothing, one that is near does") {
  const auto cycles_of = [](std::int64_t lookups) {
    return cost_of({.blocks = 132, .warps = 4, .lookups = lookups, .memory_sectors = 132'000'000}, rates)
               .cycles -
           rates.launch;
  };
  const std::int64_t memory = cycles_of(0), as_long = memory * 132 * 16 / rates.lookup;
  CHECK(cycles_of(as_long / 4) < memory * 1002 / 1000);
  CHECK(cycles_of(as_long) > memory * 11 / 10);
  CHECK(cycles_of(as_long) < memory * 13 / 10);
}

TEST_CASE("blocks that do next to nothing are limited by their launches") {
  const kernel_cost cost = cost_of({.blocks = 1'000'000, .warps = 1, .resident_blocks = 32}, rates);
  CHECK(cost.tightest() == cost_limit::blocks);
}

TEST_CASE("short runs of many rows touch more pages of memory than long ones of few") {
  graph_builder builder;
  const graph_value x = builder.input(element_type::float32, 2);
  builder.output(builder.apply(operation::exp, {x}));
  const stage square = lower(builder.recorded(), {contiguous({4096, 4096})}, cuda_facts()).stages[0];
  nest body = square.body;
  body.rank = 2;
  body.extents = {4096, 4096};
  for (access& at : body.accesses) at.strides = {1, 8192};
  schedule flat = square.chosen;
  flat.order = loop_order::rows;
  flat.vector = 4;
  flat.steps = 4;
  flat.threads_along = 256;
  flat.threads_across = flat.rows_per_thread = 1;
  schedule tall = flat;
  tall.steps = 1;
  tall.threads_along = 32;
  tall.threads_across = 8;
  tall.rows_per_thread = 4;
  CHECK(work_under(body, tall).memory_pages >= 4 * work_under(body, flat).memory_pages);
}

TEST_CASE("a spill makes a kernel's instructions longer, not its memory") {
  kernel_work work{.blocks = 1000, .warps = 4, .resident_blocks = 4, .memory_sectors = 1000};
  work.instructions.issued = 100'000'000;
  const kernel_cost before = cost_of(work, rates);
  work.spilled = 8;
  const kernel_cost after = cost_of(work, rates);
  CHECK(after.limits[0] > before.limits[0]);
  CHECK(after.limits[3] == before.limits[3]);
}

}  // namespace sinter::test
