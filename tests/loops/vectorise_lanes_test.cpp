// Groups of lanes on the CPU: whole ones are vectors.

#include <doctest/doctest.h>

#include "../support/loops_after.hpp"

namespace sinter::test {
namespace {

TEST_CASE(
    "whole groups of lanes are vectors in a loop of their own, and the rest of a row goes lane by lane") {
  const layout rows = contiguous({512, 1000});
  CHECK(has(cpu_loops_after("build_loops", sum_over(2, 2), rows), R"(  for x from 0 while x < n, by 32, chunks
    let lanes: int32 = x + 32 <= n ? 32 : int32(n - x)
    for e from 0 while e < lanes, lanes
      let v0: float32 value = %0(q0[(x + e)])
      combine %1 sum1[e] with v0
    grow the sums of phase 0
  finish)"));
  const std::string text = cpu_loops_after("vectorise_lanes", sum_over(2, 2), rows);
  INFO(text);
  CHECK(has(text, R"(  for x from 0 while x + 32 <= n, by 32, chunks
    for e from 0 while e < 32, vector
      let v0: float32 value = %0(q0[(x + e)])
      combine %1 sum1[e] with v0
    grow the sums of phase 0
  if x = n / 32 * 32; x < n
    let lanes: int32 = int32(n - x)
    for e from 0 while e < lanes, lanes
      let v0: float32 value = %0(q0[(x + e)])
      combine %1 sum1[e] with v0
  finish)"));
}

TEST_CASE("sums grow behind the rest of a row where another row of the same sum follows") {
  const layout planes = contiguous({9, 40, 1000});
  const std::string text = cpu_loops_after("vectorise_lanes", sum_over(5, 3), planes);
  INFO(text);
  CHECK(times(text, "grow the sums of phase 0\n") == 2);
  CHECK(has(text, "if x = a.e0 / 32 * 32; x < a.e0\n      let r0: index = x\n"));
  CHECK(times(cpu_loops_after("lower_combines", sum_over(5, 3), planes), "if ++steps0 == 16\n") == 2);
}

TEST_CASE("scans combine all lanes of whole groups, and of the last group those in the row") {
  graph_builder builder;
  builder.output(builder.scan(operation::cumsum, builder.input(element_type::float32, 2), 1));
  const std::string text = cpu_loops_after("vectorise_lanes", builder.recorded(), contiguous({512, 1000}));
  INFO(text);
  CHECK(times(text, " of 32 lanes in a thread\n") == 1);
  CHECK(times(text, " of lanes lanes in a thread\n") == 1);
}

TEST_CASE(
    "a strip of columns is a vector where all its lanes are in the array, else what the compiler makes of "
    "it") {
  const std::string text = cpu_loops_after("vectorise_lanes", sum_over(1, 2), contiguous({512, 1000}));
  INFO(text);
  CHECK(has(text, R"(    if left0 == 64
      for e from 0 while e < 64, vector
        let v0: float32 value = %0(q0[(x + e) + r * a.s0_1])
        combine %1 sum1[e] with v0
    else
      for e from 0 while e < left0, vector by the compiler
)"));
}

TEST_CASE("a piece of a row's results is a vector where the row is long enough") {
  const std::string text = cpu_loops_after("vectorise_lanes", softmax_over(1), contiguous({512, 1000}));
  INFO(text);
  CHECK(has(text, "    if n >= 32\n      for e from 0 while e < 32, vector\n"));
  CHECK(has(text, "    else\n      for e from 0 while e < count, lanes\n"));
}

}  // namespace
}  // namespace sinter::test
