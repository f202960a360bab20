// Strips of short rows on the CPU: packed on the stack, lane by lane.

#include <doctest/doctest.h>

#include "../support/loops_after.hpp"

namespace sinter::test {
namespace {

TEST_CASE("strips along short rows pack what they read and unpack what they store") {
  const std::string text = cpu_loops_after("stage_strips", softmax_over(1), contiguous({100000, 20}));
  INFO(text);
  CHECK(text.starts_with("stack var in0[4096]: float32\nstack var out1[4096]: float32\n"));
  CHECK(has(text, "  pack_strip<64>(in0, q0 + (x * a.s0_0), a.s0_0, 1, left0, n)\n"));
  CHECK(has(text, R"(    for e from 0 while e < 64, vector
      let v0: float32 value = %0(in0[r * 64 + e])
)"));
  CHECK(has(text, "      out1[r * 64 + e] = as float32(v5)\n"));
  CHECK(has(text, "  unpack_strip<64>(out1, q1 + (x * a.s0_0), a.s0_0, 1, left0, n)\n"));
}

TEST_CASE("all loops over lanes of a staged strip are vectors, whatever is left of it") {
  const std::string text = cpu_loops_after("choose_vectors", softmax_over(1), contiguous({100000, 20}));
  INFO(text);
  CHECK_FALSE(has(text, "lanes\n"));
  CHECK_FALSE(has(text, "e < left0"));
}

TEST_CASE("short columns that are strided along the lanes are staged, contiguous ones are not") {
  const auto stages = [](const layout& x) {
    return lower(softmax_over(0), {x}, cpu_facts()).stages[0].chosen.staged;
  };
  CHECK(stages(strided({20, 100000}, {1, 20})));
  CHECK_FALSE(stages(contiguous({20, 100000})));
}

TEST_CASE("rows are staged if they are short and many") {
  const auto stages = [](std::int64_t rows, std::int64_t length) {
    return lower(softmax_over(1), {contiguous({rows, length})}, cpu_facts()).stages[0].chosen.staged;
  };
  CHECK(stages(64, 63));
  CHECK(stages(64, 2));
  CHECK_FALSE(stages(63, 63));
  CHECK_FALSE(stages(64, 64));
}

TEST_CASE("strips of wide elements have fewer lanes, so that they fit the stack") {
  graph_builder builder;
  graph_value all = builder.input(element_type::float64, 2);
  for (int i = 0; i < 6; ++i)
    all = builder.apply(operation::add, {all, builder.input(element_type::float64, 2)});
  builder.output(builder.scan(operation::cumsum, all, 1));
  const std::vector<layout> seven(7, contiguous({1000, 20}, element_type::float64));
  const schedule chosen = lower(builder.recorded(), seven, cpu_facts()).stages[0].chosen;
  CHECK(chosen.staged);
  CHECK(chosen.vector == 16);
}

}  // namespace
}  // namespace sinter::test
