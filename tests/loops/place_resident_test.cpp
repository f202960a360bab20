// Where targets keep what later phases need of a row.

#include <doctest/doctest.h>

#include "../support/loops_after.hpp"

namespace sinter::test {
namespace {

TEST_CASE("a GPU's threads keep what a later phase needs in registers") {
  const layout rows = contiguous({4096, 4096});
  const std::string built = cuda_loops_after("build_loops", softmax_over(1), rows),
                    placed = cuda_loops_after("place_resident", softmax_over(1), rows);
  INFO(placed);
  CHECK(has(built, "resident var in0["));
  CHECK_FALSE(has(placed, "resident var"));
  CHECK(has(placed, "var in0["));
  CHECK_FALSE(has(placed, "shared"));
}

TEST_CASE("the CPU keeps the values of a row on the stack, with room for the longest row that is kept") {
  const layout rows = contiguous({512, 1000}), columns = contiguous({100, 1000});
  CHECK(has(cpu_loops_after("build_loops", softmax_over(1), rows),
            "\nresident var resident3[a.elements]: float32 value\n"));
  CHECK(has(cpu_loops_after("build_loops", softmax_over(0), columns),
            "\nresident var resident3[a.elements * 64]: float32 value\n"));
  for (const bool by_rows : {true, false}) {
    const std::string text =
        cpu_loops_after("place_resident", softmax_over(by_rows ? 1 : 0), by_rows ? rows : columns);
    CHECK(has(text, "\nstack var resident3[16384]: float32 value\n"));
    CHECK_FALSE(has(text, "resident var"));
  }
}

}  // namespace
}  // namespace sinter::test
