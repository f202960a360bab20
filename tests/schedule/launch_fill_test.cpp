// Whether launches on a GPU give every multiprocessor work, over random kernels. A launch is a pure function
// of a call and the target's facts, so no device is needed.

#include <doctest/doctest.h>

#include "../support/drawn/random_kernels.hpp"

#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/kernel/argument_block.hpp>
#include <sinter/codegen/kernel/launch_fill.hpp>
#include <sinter/codegen/schedule/tiling.hpp>

#include <cstdlib>

namespace sinter::test {
namespace {

std::int64_t work_of(const stage& at) { return count_rows(at.body, false) * count_rows(at.body, true); }

/// The first seed of the random kernels; SINTER_SEED selects others.
std::uint64_t first_seed() {
  const char* chosen = std::getenv("SINTER_SEED");
  return chosen == nullptr ? 1 : std::strtoull(chosen, nullptr, 10);
}

/// The stages of a kernel that leave a device idle; empty if none does.
std::string idle_stages(const random_kernel& kernel, const target_facts& target) {
  const lowered_call lowered = lower(kernel.recorded, kernel.inputs, target);
  std::string idle;
  for (std::size_t i = 0; i < lowered.stage_count; ++i)
    if (fill_of(lowered.stages[i], target) == launch_fill::idle)
      idle += describe_fill(lowered.stages[i], target) + ", " + to_string(lowered.stages[i].chosen) + "; ";
  return idle;
}

}  // namespace

TEST_CASE("no launch with work for a whole device leaves it idle without a reason") {
  for (std::uint64_t seed = first_seed(); seed < first_seed() + 4000; ++seed) {
    const random_kernel kernel = make_kernel(seed, 18 + static_cast<unsigned>(seed % 10));
    INFO("seed ", seed, ": ", kernel.description);
    CHECK(idle_stages(kernel, cuda_facts()) == "");
  }
}

TEST_CASE("few launches with work for a whole device have a reason to leave some of it idle") {
  int launches = 0, with_reason = 0;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + 1000; ++seed) {
    const random_kernel kernel = make_kernel(seed, 25);
    const lowered_call lowered = lower(kernel.recorded, kernel.inputs, cuda_facts());
    for (std::size_t i = 0; i < lowered.stage_count; ++i) {
      const stage& at = lowered.stages[i];
      if (work_of(at) < 1 << 20) continue;
      const launch_fill fill = fill_of(at, cuda_facts());
      INFO("seed ", seed, ": ", kernel.description, ", stage ", i);
      CHECK(fill != launch_fill::idle);
      CHECK(fill != launch_fill::little_work);
      CHECK(fill != launch_fill::one_cluster);
      ++launches;
      with_reason += fill == launch_fill::full ? 0 : 1;
    }
  }
  CHECK(launches > 1000);
  CHECK(with_reason * 50 < launches);
}

TEST_CASE("columns of few elements are spread over the device if an element takes many operations") {
  const auto over_column_sums = [](std::span<const operation> functions, std::int64_t rows,
                                   std::int64_t columns) {
    graph_builder b;
    graph_value at = b.input(element_type::float32, 2);
    for (const operation function : functions) at = b.apply(function, std::array{at});
    b.output(b.apply(operation::true_divide, std::array{at, b.reduce(operation::sum, at, 1u, true)}));
    return lower(b.recorded(), {contiguous({rows, columns}, element_type::float32)}, cuda_facts());
  };
  constexpr operation many[] = {operation::tanh, operation::sin, operation::exp, operation::log1p};
  const lowered_call heavy = over_column_sums(many, 600, 400), light = over_column_sums({}, 600, 400);
  CHECK(light.stage_count == 1);
  REQUIRE(heavy.stage_count > 1);
  CHECK(heavy.stages[0].tiles > light.stages[0].tiles);
  // one block would wait for memory 16 times in each of two loops
  CHECK(over_column_sums({}, 8192, 32).stage_count > 1);
  CHECK(over_column_sums({}, 1024, 32).stage_count == 1);
}

TEST_CASE("what follows a reduction once for each row counts as no work of its elements") {
  graph_builder b;
  graph_value at = b.reduce(operation::sum, b.input(element_type::float32, 1), 1u);
  for (int i = 0; i < 8; ++i) at = b.apply(operation::sin, {at});
  b.output(at);
  const lowered_call lowered =
      lower(b.recorded(), {contiguous({1 << 18}, element_type::float32)}, cuda_facts());
  CHECK(lowered.stage_count == 1);
  CHECK(lowered.stages[0].chosen.cluster > 1);
}

}  // namespace sinter::test
