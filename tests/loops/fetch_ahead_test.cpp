// Loads of the next chunk while a chunk is evaluated.

#include <doctest/doctest.h>

#include "../support/loops_after.hpp"
#include "../support/printed_loops.hpp"

#include <sinter/codegen/loops/passes/fetch_ahead.hpp>

namespace sinter::test {
namespace {

using namespace codegen;

/// Whole chunks of two steps, each loading one float from what `index` makes of the chunk's position.
struct fetching_case {
  kernel_description kernel;
  loop_tree tree;
  loop_writer out{tree};

  explicit fetching_case(loop_order order) {
    kernel.target = target_kind::cuda;
    kernel.body.reduced = 1;
    kernel.chosen.order = order;
  }
  std::string fetched(std::string_view index) {
    const expression start = out.name("start"), s = out.name("s"), r = out.name("r");
    statement loop{.kind = statement_kind::loop, .loop = loop_kind::chunks, .step_by = loop_step::by_amount};
    loop.type = narrow_index_type;
    loop.target = start;
    loop.condition = start + 2 <= out.name("n");
    loop.step = out.integer(2);
    out.open(loop);
    out.variable(value_of(element_type::float32), out.name("chunk")[1]).zeroed = true;
    out.variable(vector_of(storage_of(element_type::float32), 1), out.name("in3")[2]).zeroed = true;
    out.open_count(loop_kind::unrolled, "s", 2);
    out.let(narrow_index_type, r, start + s);
    out.load_element(lane_of(out.name("in3")[s], 0), out.name("q3")[out.name(index)]);
    out.close();
    out.open_count(loop_kind::unrolled, "s", 2);
    out.increase(out.name("chunk")[0], lane_of(out.name("in3")[s], 0));
    out.close();
    out.close();
    fetch_ahead(kernel, tree);
    return printed(tree, kernel);
  }
};

TEST_CASE(
    "a chunk of columns whose lanes share their loads is on its way while the one before is evaluated") {
  CHECK(fetching_case(loop_order::column_reduction).fetched("r") == R"(pack<float, 1> in3[2] = {};
if (start + 2 <= n) {
#pragma unroll
  for (int s = 0; s < 2; ++s) {
    const int r = start + s;
    in3[s].e[0] = q3[r];
  }
}
for (; start + 2 <= n; start += 2) {
  float chunk[1] = {};
  pack<float, 1> now3[2];
#pragma unroll
  for (int s = 0; s < 2; ++s) {
    now3[s] = in3[s];
  }
  const int next = start + 2;
  if (next + 2 <= n) {
#pragma unroll
    for (int s = 0; s < 2; ++s) {
      const int r = next + s;
      in3[s].e[0] = q3[r];
    }
  }
#pragma unroll
  for (int s = 0; s < 2; ++s) {
    chunk[0] += now3[s].e[0];
  }
}
)");
}

TEST_CASE("what moves along axis 0, or along a row, is not loaded ahead: registers do not hold two chunks") {
  CHECK(fetching_case(loop_order::column_reduction).fetched("x").find("now") == std::string::npos);
  CHECK(fetching_case(loop_order::row_reduction).fetched("r").find("now") == std::string::npos);
}

TEST_CASE("the CPU asks for the next row's lines in the second loop over a row") {
  const std::string text = cpu_loops_after("fetch_ahead", softmax_over(1), contiguous({512, 1000}));
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
  CHECK_FALSE(has(cpu_loops_after("fetch_ahead", sum_over(2, 2), contiguous({512, 1000})), "prefetch("));
  CHECK_FALSE(has(cpu_loops_after("fetch_ahead", softmax_over(0), contiguous({100, 1000})), "prefetch("));
}

}  // namespace
}  // namespace sinter::test
