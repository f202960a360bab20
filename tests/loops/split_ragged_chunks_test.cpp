// Loops over chunks of reduced axes: those that lie in the row whole, and what is left.

#include <doctest/doctest.h>

#include "../support/printed_loops.hpp"

#include <sinter/codegen/loops/passes/guards/split_ragged_chunks.hpp>
#include <sinter/codegen/loops/statements/row_statements.hpp>

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
    tree.row = name_row_variables(tree, 1);
  }
  void open_chunks(std::uint32_t buffers = 1) {
    statement loop{.kind = statement_kind::loop, .loop = loop_kind::chunks, .step_by = loop_step::by_amount};
    loop.type = narrow_index_type;
    loop.target = out.name("start");
    loop.begin = out.integer(0);
    loop.end = n;
    loop.step = out.integer(256);
    out.open(loop);
    for (std::uint32_t i = 0; i < buffers; ++i) {
      statement& buffer = out.variable(nest_of_tests::four_floats, out.name("in", i)[2]);
      buffer.zeroed = true;
      buffer.access = i;
    }
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
                  made.n - made.x)
      .access = 0;
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
        if (x + e < n) sum += 1;
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
  loop.begin = out.integer(0);
  loop.end = made.n;
  loop.step = out.integer(8);
  out.open(loop);
  out.open_guard(out.name("r") < made.n && made.x < out.name("left0"));
  SUBCASE("they do") {
    out.load_element(out.name("in0"), out.name("q0")[made.x]);
    const std::string text = made.split();
    CHECK(text.find("    if (x < left0) in0 = q0[x];\n") != std::string::npos);
    CHECK(text.find("    if (r < n && x < left0) in0 = q0[x];\n") != std::string::npos);
  }
  SUBCASE("they do not: lanes past the end load what the others do") {
    out.load_element(out.name("in0"), out.name("q0")[out.name("r")]);
    const std::string text = made.split();
    CHECK(text.find("  for (; start + 8 <= n; start += 8) in0 = q0[r];\n") != std::string::npos);
    CHECK(text.find("    if (r < n && x < left0) in0 = q0[r];\n") != std::string::npos);
  }
}

TEST_CASE("chunks whose loads fill the registers have one loop") {
  chunk_case made;
  loop_writer& out = made.out;
  made.open_chunks(7);  // of eight registers each
  for (std::uint32_t i = 0; i < 7; ++i)
    out.load_vector(nest_of_tests::four_floats, out.name("in", i)[made.s], out.name("q", i) + made.x).access =
        i;
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

}  // namespace
}  // namespace sinter::test
