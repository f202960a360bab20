// Positions of the largest elements: where a thread visits elements in order, it notes the step of its best
// one, and positions are computed once a row.

#include <doctest/doctest.h>

#include "../support/loops_after.hpp"

namespace sinter::test {
namespace {

graph argmax_over(std::uint32_t axes, unsigned rank) {
  graph_builder builder;
  builder.output(builder.reduce(operation::argmax, builder.input(element_type::float32, rank), axes, false));
  return builder.recorded();
}
constexpr std::string_view noted = ", in order\n";

TEST_CASE("a row's lanes note steps of 32 bits, and have numbers in the row behind the loop") {
  const std::string text = cuda_loops_after("build_loops", argmax_over(2, 2), contiguous({3000, 4096}));
  INFO(text);
  CHECK(has(text, "var best_step2[4]: int32 = 0\n"));
  CHECK(has(text, ", int32(start / 256) + s, in order\n"));
  const std::size_t numbered = text.find(
      "        let best_position: index = (index(best_step2[e]) * 64 + thread) * 4 + e\n"
      "        sum2_1[e] = best_position < n ? best_position : last\n");
  CHECK(numbered > text.find(noted));
  CHECK(numbered < text.find("finish the reductions of phase 0"));
}

TEST_CASE("columns note steps, too, on both targets") {
  const layout tall = contiguous({4096, 3000});
  const std::string on_gpu = cuda_loops_after("build_loops", argmax_over(1, 2), tall),
                    on_cpu = cpu_loops_after("build_loops", argmax_over(1, 2), tall);
  INFO(on_gpu, on_cpu);
  CHECK(has(on_gpu, noted));
  CHECK(has(on_gpu, "[e]) * 8 + thread across\n"));
  CHECK(has(on_cpu, ", int32(r), in order\n"));
  CHECK(has(on_cpu, "let best_position: index = index(best_step2[e])\n"));
}

TEST_CASE("along several axes positions are taken apart once, from the number of the best element") {
  const layout apart = contiguous({64, 300, 512});
  const std::string text = cuda_loops_after("lower_combines", argmax_over(5, 3), apart);
  INFO(text);
  REQUIRE(has(text, noted));
  const std::string behind = text.substr(text.rfind("var k2: int64 value\n"));
  CHECK(has(behind, "k2 = sum2_1[0] < last ? q0 + r0 + r2 * a.s0_2 : sum2_1[0]\n"));
  CHECK(has(behind, "let w0: int32 = int32(sum2_1[0]) / a.d0\n"));
  // the CPU would divide the steps of each lane
  CHECK_FALSE(has(cpu_loops_after("build_loops", argmax_over(5, 3), apart), noted));
}

TEST_CASE("elements that are visited out of order are compared with their positions") {
  // of two axes of which memory has the other one innermost, and of a row that lies in reverse
  for (const layout& at : {transposed({2000, 3000}), strided({2000, 3000}, {3000, -1})}) {
    const bool is_row = at.strides[1] == -1;
    const graph recorded = argmax_over(is_row ? 2 : 3, 2);
    const stage made = lower(recorded, {at}, cuda_facts()).stages[0];
    const kernel_description kernel = read_signature(made.signature).value();
    CHECK_FALSE(kernel.body.body.back().ascending);
    CHECK_FALSE(has(loops_after("build_loops", made), noted));
  }
}

TEST_CASE("columns of more steps than 32 bits count are compared with their positions") {
  const auto notes_steps = [&](std::int64_t height) {
    return has(cuda_loops_after("build_loops", argmax_over(1, 2), strided({height, 1 << 20}, {0, 1})), noted);
  };
  CHECK(notes_steps(1 << 20));
  CHECK_FALSE(notes_steps(std::int64_t{1} << 32));
}

}  // namespace
}  // namespace sinter::test
