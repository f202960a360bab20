// Operands of reductions on the CPU that are strided along the lanes.

#include <doctest/doctest.h>

#include "../support/loops_after.hpp"

namespace sinter::test {
namespace {

TEST_CASE("strided rows are packed many groups at once, and whole groups read what is packed") {
  const layout strided_rows = strided({512, 1000}, {4000, 2});
  const std::string before = cpu_loops_after("vectorise_lanes", sum_over(2, 2), strided_rows),
                    text = cpu_loops_after("pack_strided", sum_over(2, 2), strided_rows);
  INFO(text);
  CHECK_FALSE(has(before, "pack_row("));
  CHECK(text.starts_with("stack var in0[1024]: float32\n"));
  CHECK(has(text, R"(  for x from 0 while x + 32 <= n, by 32, chunks
    if (x & 1023) == 0
      pack_row(in0, q0 + (x * a.s0_0), a.s0_0, n - x < 1024 ? n - x : 1024)
    for e from 0 while e < 32, vector
      let v0: float32 value = %0(in0[(x & 1023) + e])
)"));
  CHECK(times(text, "%0(q0[(x + e) * a.s0_0])") == 1);  // lanes that are left
}

TEST_CASE("strips of strided columns are packed a group at a time") {
  const std::string text = cpu_loops_after("pack_strided", sum_over(1, 2), strided({512, 1000}, {4000, 2}));
  INFO(text);
  CHECK(text.starts_with("stack var in0[64]: float32\n"));
  CHECK(has(text, R"(    if left0 == 64
      pack_row(in0, q0 + (x * a.s0_0 + r * a.s0_1), a.s0_0, 64)
      for e from 0 while e < 64, vector
)"));
}

TEST_CASE("pieces of results pack the lanes that they are computed from") {
  const std::string text =
      cpu_loops_after("pack_strided", softmax_over(1), strided({512, 100000}, {400000, 2}));
  INFO(text);
  CHECK(has(text, "    if n >= 32\n      pack_row(in0, q0 + (x * a.s0_0), a.s0_0, 32)\n"));
}

TEST_CASE("what is contiguous along the lanes is not packed") {
  CHECK(cpu_loops_after("pack_strided", sum_over(2, 2), contiguous({512, 1000})) ==
        cpu_loops_after("vectorise_lanes", sum_over(2, 2), contiguous({512, 1000})));
}

}  // namespace
}  // namespace sinter::test
