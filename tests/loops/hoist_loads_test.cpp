// Hoisting: a thread's loads come before the evaluation.

#include <doctest/doctest.h>

#include "../support/printed_loops.hpp"

#include <sinter/codegen/loops/passes/memory/hoist_loads.hpp>

namespace sinter::test {
namespace {

using namespace codegen;

struct hoisting_case {
  kernel_description kernel;
  loop_tree tree;
  nest_of_tests out{tree};

  std::string hoisted() {
    hoist_loads(kernel, tree);
    return printed(tree, kernel);
  }
};

TEST_CASE("a load is made in the loops that change its registers, and once in the others") {
  hoisting_case made;
  nest_of_tests& out = made.out;
  const expression u = out.name("u"), s = out.name("s");
  out.open_positions();
  out.load_vector(out.four_floats, out.name("in1")[u][s], out.name("q1") + out.name("x"), out.left());
  out.load_vector(out.four_floats, out.name("in2")[0][s], out.name("q2") + out.name("x"), out.left());
  out.evaluate();
  out.store_vector(out.four_floats, out.name("q0") + out.name("x"), out.name("out0"), out.left());
  out.close_positions();
  CHECK(made.hoisted() == R"(#pragma unroll
for (int u = 0; u < 1; ++u) {
  const int y = y0 + u;
#pragma unroll
  for (int s = 0; s < 2; ++s) {
    const int x = x0 + s * 128;
    if (x < left0 && y < left1) load(in2[0][s], q2 + x, left0 - x);
  }
}
#pragma unroll
for (int u = 0; u < 2; ++u) {
  const int y = y0 + u;
#pragma unroll
  for (int s = 0; s < 2; ++s) {
    const int x = x0 + s * 128;
    if (x < left0 && y < left1) load(in1[u][s], q1 + x, left0 - x);
  }
}
#pragma unroll
for (int u = 0; u < 2; ++u) {
  const int y = y0 + u;
#pragma unroll
  for (int s = 0; s < 2; ++s) {
    const int x = x0 + s * 128;
    if (x < left0 && y < left1) {
      pack<float, 4> out0;
#pragma unroll
      for (int e = 0; e < 4; ++e) out0.e[e] = 1;
      store(q0 + x, out0, left0 - x);
    }
  }
}
)");
}

TEST_CASE("what prepares a load stays in front of it, in all loops") {
  hoisting_case made;
  nest_of_tests& out = made.out;
  out.open_count(loop_kind::unrolled, "s", 2);
  out.open_guard(out.name("s") < out.name("left")).of_elements = true;
  out.assign(out.name("i0")[out.name("s")], out.name("s") * out.name("a.s0_0"));
  out.load_element(out.name("in0")[out.name("s")], out.name("a.p0")[out.name("i0")[out.name("s")]]);
  out.evaluate();
  out.close();
  out.close();
  CHECK(made.hoisted().starts_with(R"(#pragma unroll
for (int s = 0; s < 2; ++s) {
  if (s < left) {
    i0[s] = s * a.s0_0;
    in0[s] = a.p0[i0[s]];
  }
}
#pragma unroll
for (int s = 0; s < 2; ++s) {
  if (s < left) {
    pack<float, 4> out0;
)"));
}

TEST_CASE("loads go up past barriers, and stay behind declarations and other loads") {
  hoisting_case made;
  nest_of_tests& out = made.out;
  out.let(narrow_index_type, out.name("x0"), out.name("threadIdx.x"));
  out.load_element(out.name("first"), out.name("q3")[0]);
  out.barrier(thread_scope::block);
  out.open_positions();
  out.load_element(out.name("in1")[0][0], out.name("q1")[0]);
  out.evaluate();
  out.close_positions();
  const std::string text = made.hoisted();
  CHECK(text.starts_with("const int x0 = threadIdx.x;\nfirst = q3[0];\n#pragma unroll\n"));
  CHECK(text.find("in1[0][0] = q1[0];") < text.find("__syncthreads();"));
  CHECK(text.find("__syncthreads();") < text.find("out0.e[e] = 1;"));
}

TEST_CASE("nests that load nothing, or evaluate nothing, stay as they are") {
  for (const bool evaluates : {false, true}) {
    hoisting_case made;
    nest_of_tests& out = made.out;
    out.open_positions();
    if (evaluates)
      out.evaluate();
    else
      out.load_element(out.name("in1")[0][0], out.name("q1")[0]);
    out.close_positions();
    const std::string before = printed(made.tree, made.kernel);
    CHECK(made.hoisted() == before);
  }
}

TEST_CASE("the loads of a chunk's steps stand in front of all that is evaluated, but for those of one step") {
  hoisting_case made;
  made.kernel.target = target_kind::cuda;
  made.kernel.body.reduced = 1;
  nest_of_tests& out = made.out;
  const expression s = out.name("s"), x = out.name("x");
  out.open({.kind = statement_kind::loop, .loop = loop_kind::chunks});
  out.variable(out.four_floats, out.name("in0")[2]).access = 0;
  out.assign(out.name("level"), out.integer(0));
  out.open_count(loop_kind::unrolled, "s", 2);
  out.let(narrow_index_type, x, s * 128);
  out.open_guard(x < out.name("n")).of_elements = true;
  out.let(narrow_index_type, out.name("r"), x + 1);
  out.load_vector(out.four_floats, out.name("in0")[s], out.name("q0") + out.name("r"));
  out.variable(out.four_floats, out.name("in1"));
  out.load_vector(out.four_floats, out.name("in1"), out.name("q1") + out.name("r"));
  out.increase(out.name("sum"), out.integer(1));
  hoist_loads(made.kernel, made.tree);
  made.tree[made.tree.first].kind = statement_kind::scope;
  CHECK(printed(made.tree, made.kernel) == R"({
  pack<float, 4> in0[2];
#pragma unroll
  for (int s = 0; s < 2; ++s) {
    const int x = s * 128;
    if (x < n) {
      const int r = x + 1;
      load_whole(in0[s], q0 + r);
    }
  }
  level = 0;
#pragma unroll
  for (int s = 0; s < 2; ++s) {
    const int x = s * 128;
    if (x < n) {
      const int r = x + 1;
      pack<float, 4> in1;
      load_whole(in1, q1 + r);
      sum += 1;
    }
  }
}
)");
}

}  // namespace
}  // namespace sinter::test
