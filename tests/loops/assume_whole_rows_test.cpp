// Rows whose lengths the lanes of a step divide: nothing asks for a lane.

#include <doctest/doctest.h>

#include "../support/loops_after.hpp"

namespace sinter::test {
namespace {

TEST_CASE("rows of whole vectors are loaded, summed and stored without a test of each lane") {
  const layout rows = contiguous({4096, 4096});
  const std::string built = cuda_loops_after("build_loops", softmax_over(1), rows),
                    text = cuda_loops_after("assume_whole_rows", softmax_over(1), rows);
  INFO(text);
  CHECK(has(built, ", left n - x < 4 ? int32(n - x) : 4\n"));
  CHECK(has(built, "if x + e < n\n"));
  CHECK_FALSE(has(text, ", left "));
  CHECK_FALSE(has(text, "x + e < n"));
  CHECK(has(text, "if x < n\n"));  // a row may end before the steps of a chunk do
}

TEST_CASE("rows that vectors do not divide keep the tests of their lanes") {
  const layout rows = contiguous({4096, 4099});
  CHECK(has(cuda_loops_after("assume_whole_rows", softmax_over(1), rows), ", if x + e < n\n"));
  CHECK(cuda_loops_after("assume_whole_rows", softmax_over(1), rows) ==
        cuda_loops_after("build_loops", softmax_over(1), rows));
}

TEST_CASE("columns keep them: a strip may reach past the end of axis 0") {
  const layout columns = contiguous({4096, 4096});
  CHECK(cuda_loops_after("assume_whole_rows", sum_over(1, 2), columns) ==
        cuda_loops_after("build_loops", sum_over(1, 2), columns));
}

}  // namespace
}  // namespace sinter::test
