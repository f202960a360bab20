// Short rows that a block brings to shared memory together.

#include <doctest/doctest.h>

#include "../support/loops_after.hpp"

namespace sinter::test {
namespace {

TEST_CASE(
    "staged rows are moved before the first and after the last is worked on, and begin in shared memory") {
  const layout rows = contiguous({100000, 7});
  const std::string built = cuda_loops_after("build_loops", softmax_over(1), rows),
                    text = cuda_loops_after("stage_rows", softmax_over(1), rows);
  INFO(text);
  CHECK_FALSE(has(built, "stage"));
  CHECK(times(built, "if x < n\n") > 0);
  CHECK_FALSE(has(text, "if x < n\n"));  // the length is the schedule's
  const std::size_t brought = text.find("(staged0, side0, ahead0, count, thread across)"),
                    waits = text.find("barrier"), begins = text.find("= staged0 + int32("),
                    ends = text.rfind("barrier"), taken = text.rfind(", side");
  CHECK(brought < waits);
  CHECK(waits < begins);
  CHECK(begins < ends);
  CHECK(ends < text.rfind("move_rows<"));
  CHECK(taken != std::string::npos);
}

TEST_CASE("rows that are not staged are left alone") {
  const layout rows = contiguous({4096, 4096});
  CHECK(cuda_loops_after("stage_rows", softmax_over(1), rows) ==
        cuda_loops_after("assume_whole_rows", softmax_over(1), rows));
}

}  // namespace
}  // namespace sinter::test
