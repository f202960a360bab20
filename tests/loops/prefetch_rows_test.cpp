// Rows that the CPU asks for before their turn.

#include <doctest/doctest.h>

#include "../support/loops_after.hpp"

namespace sinter::test {
namespace {

TEST_CASE("the CPU asks for the next row's lines in the second loop over a row") {
  const std::string text = cpu_loops_after("prefetch_rows", softmax_over(1), contiguous({512, 1000}));
  INFO(text);
  CHECK(times(text, "prefetch(") == 1);
  CHECK(has(text, R"(  for x from 0 while x + 32 <= n, by 32, chunks
    for line from 0 while line < 128, by 64
      prefetch(byte const*(q0 + x + a.s0_1) + line)
    for e from 0 while e < 32, vector
)"));
  CHECK(text.find("finish the reductions of phase 0") < text.find("prefetch("));
  CHECK(text.find("prefetch(") < text.find("finish the reductions of phase 1"));
}

TEST_CASE("the CPU asks for no rows that are read once, and for no columns") {
  CHECK_FALSE(has(cpu_loops_after("prefetch_rows", sum_over(2, 2), contiguous({512, 1000})), "prefetch("));
  CHECK_FALSE(has(cpu_loops_after("prefetch_rows", softmax_over(0), contiguous({100, 1000})), "prefetch("));
}

}  // namespace
}  // namespace sinter::test
