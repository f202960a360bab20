// Loops of the CPU that the compiler is told not to unroll.

#include <doctest/doctest.h>

#include "../support/loops_after.hpp"
#include "../support/recorded.hpp"

namespace sinter::test {
namespace {

TEST_CASE("loops over rows and chunks stay rolled, and those inside them are left to the compiler") {
  const layout rows = contiguous({512, 1000});
  const std::string before = cpu_loops_after("choose_vectors", softmax_over(1), rows),
                    after = cpu_loops_after("roll_outer_loops", softmax_over(1), rows);
  INFO(after);
  CHECK_FALSE(has(before, ", rolled"));
  CHECK(has(after, "for number from begin while number < end, rolled\n"));
  CHECK(has(after, "while x + 32 <= n, by 32, rolled\n"));
  CHECK(has(after, "for e from 0 while e < 32, by doubled_where_wide(16), vector\n"));
  CHECK(has(after, "while e < lanes, lanes\n"));
}

TEST_CASE("a loop of a constant number of iterations is the compiler's, whatever is in it") {
  const std::string text = cpu_loops_after("roll_outer_loops", softmax_over(1), contiguous({512, 1000}));
  CHECK(has(text, "for e from 0 while e < 1\n"));
  CHECK_FALSE(has(text, "while line < 128, by 64, rolled"));
}

TEST_CASE("GPUs have no such pass") {
  CHECK_FALSE(
      has(cuda_loops_after("speculate_fast_paths", softmax_over(1), contiguous({512, 1000})), ", rolled"));
}

}  // namespace
}  // namespace sinter::test
