// Strips of short rows on the CPU: packed on the stack, lane by lane.

#include <doctest/doctest.h>

#include "../support/loops_after.hpp"

namespace sinter::test {
namespace {

graph sums_of_rows(element_type type) {
  graph_builder builder;
  builder.output(builder.reduce(operation::sum, builder.input(type, 2), 2));
  return builder.recorded();
}

TEST_CASE("strips along short rows pack what they read and unpack what they store") {
  const std::string text = cpu_loops_after("stage_strips", softmax_over(1), contiguous({100000, 20}));
  INFO(text);
  CHECK(text.starts_with("stack var in0[512]: float32\nstack var out1[512]: float32\n"));
  CHECK(has(text, "  pack_strip<8, 0>(in0, q0 + (x * a.s0_0), a.s0_0, 1, left0, n)\n"));
  CHECK(has(text, R"(    for e from 0 while e < 8, vector
      let v0: float32 value = %0(in0[r * 8 + e])
)"));
  CHECK(has(text, "      out1[r * 8 + e] = as float32(v5)\n"));
  CHECK(has(text, "  unpack_strip<8, 0>(out1, q1 + (x * a.s0_0), a.s0_0, 1, left0, n)\n"));
}

TEST_CASE("the text for rows of up to sixteen elements knows their length") {
  const std::string text = cpu_loops_after("stage_strips", softmax_over(1), contiguous({100000, 5}));
  INFO(text);
  CHECK(text.starts_with("stack var in0[320]: float32\nstack var out1[320]: float32\n"));
  CHECK(has(text, "let n: index = 5\n"));
  CHECK(has(text, "  pack_strip<64, 5>(in0, q0 + (x * a.s0_0), a.s0_0, 1, left0, n)\n"));
  CHECK(has(text, "  unpack_strip<64, 5>(out1, q1 + (x * a.s0_0), a.s0_0, 1, left0, n)\n"));
  CHECK(lower(softmax_over(1), {contiguous({100000, 16})}, cpu_facts()).stages[0].chosen.steps == 16);
  CHECK(lower(softmax_over(1), {contiguous({100000, 17})}, cpu_facts()).stages[0].chosen.steps == 1);
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

TEST_CASE("strips have fewer lanes where rows have many bytes, so that they fit the first-level cache") {
  const auto lanes = [](unsigned operands, std::int64_t length) {
    graph_builder builder;
    graph_value all = builder.input(element_type::float32, 2);
    for (unsigned i = 1; i < operands; ++i)
      all = builder.apply(operation::add, {all, builder.input(element_type::float32, 2)});
    builder.output(builder.scan(operation::cumsum, all, 1));
    const std::vector<layout> inputs(operands, contiguous({1000, length}));
    const schedule chosen = lower(builder.recorded(), inputs, cpu_facts()).stages[0].chosen;
    return chosen.staged ? chosen.vector : 0;
  };
  CHECK(lanes(1, 3) == 64);
  CHECK(lanes(1, 16) == 32);
  CHECK(lanes(1, 63) == 8);
  CHECK(lanes(7, 16) == 8);
  CHECK(lanes(40, 63) == 0);  // beyond what the stack holds
}

TEST_CASE("rows of more than sixteen elements of eight bytes have lanes along them") {
  const auto chosen = [](std::int64_t length) {
    return lower(sums_of_rows(element_type::float64), {contiguous({1000, length}, element_type::float64)},
                 cpu_facts())
        .stages[0]
        .chosen;
  };
  CHECK(chosen(16).staged);
  CHECK_FALSE(chosen(17).staged);
  CHECK(chosen(17).order == loop_order::row_reduction);
  CHECK(chosen(17).vector == 8);
  CHECK(chosen(64).vector == 32);
}

TEST_CASE("short rows of complex numbers have one lane, which is combined with none") {
  const schedule chosen = lower(sums_of_rows(element_type::complex64),
                                {contiguous({1000, 5}, element_type::complex64)}, cpu_facts())
                              .stages[0]
                              .chosen;
  CHECK(chosen.order == loop_order::row_reduction);
  CHECK(chosen.vector == 1);
}

}  // namespace
}  // namespace sinter::test
