// Loops over chunks of reduced axes: those that lie in the row whole, and what is left.

#include <doctest/doctest.h>

#include "../support/loops_after.hpp"
#include "../support/printed_loops.hpp"

#include <sinter/codegen/loops/passes/split_ragged_chunks.hpp>

namespace sinter::test {
namespace {

using namespace codegen;

/// One chunk of two steps of four floats, of the only reduced axis.
struct chunk_case {
  kernel_description kernel;
  loop_tree tree;
  loop_writer out{tree};
  expression x = out.name("x"), n = out.name("n"), e = out.name("e"), s = out.name("s");

  chunk_case() {
    kernel.target = target_kind::cuda;
    kernel.body.rank = 1;
    kernel.body.reduced = 1;
    kernel.chosen.order = loop_order::row_reduction;
    kernel.chosen.steps = 2;
    kernel.chosen.threads_along = 32;
    kernel.chosen.vector = 4;
  }
  void open_chunks(int buffers = 1) {
    statement loop{.kind = statement_kind::loop, .loop = loop_kind::chunks, .step_by = loop_step::by_amount};
    loop.type = narrow_index_type;
    loop.target = out.name("start");
    loop.value = out.integer(0);
    loop.condition = loop.target < n;
    loop.step = out.integer(256);
    out.open(loop);
    for (int i = 0; i < buffers; ++i)
      out.variable(nest_of_tests::four_floats, out.name("in", i)[2]).zeroed = true;
    out.open_count(loop_kind::unrolled, "s", 2);
    out.let(narrow_index_type, x, out.name("start") + s * 128);
    out.open_guard(x < n);
  }
  std::string split() {
    split_ragged_chunks(kernel, tree);
    return printed(tree, kernel);
  }
};

TEST_CASE("chunks that lie in the row whole are loaded and evaluated without tests, the rest with them") {
  chunk_case made;
  loop_writer& out = made.out;
  made.open_chunks();
  out.load_vector(nest_of_tests::four_floats, out.name("in0")[made.s], out.name("q0") + made.x,
                  made.n - made.x);
  out.open_guard(made.x + made.e < made.n);
  out.increase(out.name("sum"), out.integer(1));
  CHECK(made.split() == R"({
  int start = 0;
  for (; start + 256 <= n; start += 256) {
    pack<float, 4> in0[2];
#pragma unroll
    for (int s = 0; s < 2; ++s) {
      const int x = start + s * 128;
      load_whole(in0[s], q0 + x);
      sum += 1;
    }
  }
  if (start < n) {
    pack<float, 4> in0[2] = {};
#pragma unroll
    for (int s = 0; s < 2; ++s) {
      const int x = start + s * 128;
      if (x < n) {
        load(in0[s], q0 + x, n - x);
        if (x + e < n) {
          sum += 1;
        }
      }
    }
  }
}
)");
}

TEST_CASE("of columns the test along axis 0 stays where loads move along it") {
  chunk_case made;
  made.kernel.chosen.order = loop_order::column_reduction;
  loop_writer& out = made.out;
  statement loop{.kind = statement_kind::loop, .loop = loop_kind::chunks, .step_by = loop_step::by_amount};
  loop.type = narrow_index_type;
  loop.target = out.name("start");
  loop.value = out.integer(0);
  loop.condition = loop.target < made.n;
  loop.step = out.integer(8);
  out.open(loop);
  out.open_guard(out.name("r") < made.n && made.x < out.name("left0"));
  SUBCASE("they do") {
    out.load_element(out.name("in0"), out.name("q0")[made.x]);
    const std::string text = made.split();
    CHECK(text.find("    if (x < left0) {\n      in0 = q0[x];\n") != std::string::npos);
    CHECK(text.find("    if (r < n && x < left0) {\n      in0 = q0[x];\n") != std::string::npos);
  }
  SUBCASE("they do not: lanes past the end load what the others do") {
    out.load_element(out.name("in0"), out.name("q0")[out.name("r")]);
    const std::string text = made.split();
    CHECK(text.find("  for (; start + 8 <= n; start += 8) {\n    in0 = q0[r];\n") != std::string::npos);
    CHECK(text.find("    if (r < n && x < left0) {\n      in0 = q0[r];\n") != std::string::npos);
  }
}

TEST_CASE("chunks whose loads fill the registers have one loop") {
  chunk_case made;
  loop_writer& out = made.out;
  made.open_chunks(7);  // of eight registers each
  for (int i = 0; i < 7; ++i)
    out.load_vector(nest_of_tests::four_floats, out.name("in", i)[made.s], out.name("q", i) + made.x);
  CHECK(made.split().starts_with("for (int start = 0; start < n; start += 256) {\n"));
}

TEST_CASE("chunks with scans have one loop, as their threads wait for each other") {
  chunk_case made;
  made.open_chunks();
  made.out.add({.kind = statement_kind::scan});
  split_ragged_chunks(made.kernel, made.tree);
  CHECK(made.tree[made.tree.first].kind == statement_kind::loop);
}

TEST_CASE("a row of one chunk has no loop over chunks") {
  chunk_case made;
  made.out.open({.kind = statement_kind::loop, .loop = loop_kind::chunks});
  made.out.let(narrow_index_type, made.x, made.out.integer(0));
  CHECK(made.split() == "{\n  const int x = 0;\n}\n");
}

// The CPU, whose chunks are groups of lanes.

TEST_CASE(
    "whole groups of lanes are vectors in a loop of their own, and the rest of a row goes lane by lane") {
  const layout rows = contiguous({512, 1000});
  CHECK(has(cpu_loops_after("build_loops", sum_over(2, 2), rows), R"(  for x from 0 while x < n, by 32, chunks
    let lanes: int32 = x + 32 <= n ? 32 : int32(n - x)
    for e from 0 while e < lanes, lanes
      let v0: float32 value = %0(q0[(x + e)])
      combine %1 sum1[e] with v0
    grow the sums of phase 0
  finish)"));
  const std::string text = cpu_loops_after("split_ragged_chunks", sum_over(2, 2), rows);
  INFO(text);
  CHECK(has(text, R"(  for x from 0 while x + 32 <= n, by 32, chunks
    for e from 0 while e < 32, vector
      let v0: float32 value = %0(q0[(x + e)])
      combine %1 sum1[e] with v0
    grow the sums of phase 0
  if x = n / 32 * 32; x < n
    let lanes: int32 = int32(n - x)
    for e from 0 while e < lanes, lanes
      let v0: float32 value = %0(q0[(x + e)])
      combine %1 sum1[e] with v0
  finish)"));
}

TEST_CASE("sums grow behind the rest of a row where another row of the same sum follows") {
  const layout planes = contiguous({9, 40, 1000});
  const std::string text = cpu_loops_after("split_ragged_chunks", sum_over(5, 3), planes);
  INFO(text);
  CHECK(times(text, "grow the sums of phase 0\n") == 2);
  CHECK(has(text, "if x = a.e0 / 32 * 32; x < a.e0\n      let r0: index = x\n"));
  CHECK(times(cpu_loops_after("lower_combines", sum_over(5, 3), planes), "if ++steps0 == 16\n") == 2);
}

TEST_CASE("scans combine all lanes of whole groups, and of the last group those in the row") {
  graph_builder builder;
  builder.output(builder.scan(operation::cumsum, builder.input(element_type::float32, 2), 1));
  const std::string text =
      cpu_loops_after("split_ragged_chunks", builder.recorded(), contiguous({512, 1000}));
  INFO(text);
  CHECK(times(text, " of 32 lanes\n") == 1);
  CHECK(times(text, " of lanes lanes\n") == 1);
}

TEST_CASE("a strip of columns is a vector where all its lanes are in the array") {
  const std::string text = cpu_loops_after("split_ragged_chunks", sum_over(1, 2), contiguous({512, 1000}));
  INFO(text);
  CHECK(has(text, R"(    if left0 == 64
      for e from 0 while e < 64, vector
        let v0: float32 value = %0(q0[(x + e) + r * a.s0_1])
        combine %1 sum1[e] with v0
    else
      for e from 0 while e < left0, lanes
)"));
}

TEST_CASE("a piece of a row's results is a vector where the row is long enough") {
  const std::string text = cpu_loops_after("split_ragged_chunks", softmax_over(1), contiguous({512, 1000}));
  INFO(text);
  CHECK(has(text, "    if n >= 32\n      for e from 0 while e < 32, vector\n"));
  CHECK(has(text, "    else\n      for e from 0 while e < count, lanes\n"));
}

}  // namespace
}  // namespace sinter::test
