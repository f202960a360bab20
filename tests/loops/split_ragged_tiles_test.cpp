// Separation of whole tiles from ragged ones.

#include <doctest/doctest.h>

#include "../support/printed_loops.hpp"

#include <sinter/codegen/loops/passes/guards/split_ragged_tiles.hpp>

namespace sinter::test {
namespace {

using namespace codegen;

struct splitting_case {
  kernel_description kernel;
  loop_tree tree;
  nest_of_tests out{tree};

  splitting_case() { kernel.chosen.steps = kernel.chosen.rows_per_thread = 2; }
  std::string split() {
    split_ragged_tiles(kernel, tree);
    return printed(tree, kernel);
  }
};

TEST_CASE("threads that lie inside the array load without guards, the others with them") {
  splitting_case made;
  nest_of_tests& out = made.out;
  const expression e = out.name("e"), x = out.name("x");
  out.open_positions();
  out.load_vector(out.four_floats, out.name("in1")[out.name("u")], out.name("q1") + x, out.left());
  out.open_count(loop_kind::unrolled, "e", 4);
  out.load_element(out.name("in2.e")[e], out.name("q2")[x + e], x + e < out.name("left0"));
  out.close();
  out.close_positions();
  out.barrier(thread_scope::block);
  CHECK(made.split() == R"(if (x0 + 132 <= left0 && y0 + 2 <= left1) {
#pragma unroll
  for (int u = 0; u < 2; ++u) {
    const int y = y0 + u;
#pragma unroll
    for (int s = 0; s < 2; ++s) {
      const int x = x0 + s * 128;
      {
        load_whole(in1[u], q1 + x);
#pragma unroll
        for (int e = 0; e < 4; ++e) in2.e[e] = q2[x + e];
      }
    }
  }
} else {
#pragma unroll
  for (int u = 0; u < 2; ++u) {
    const int y = y0 + u;
#pragma unroll
    for (int s = 0; s < 2; ++s) {
      const int x = x0 + s * 128;
      if (x < left0 && y < left1) {
        load(in1[u], q1 + x, left0 - x);
#pragma unroll
        for (int e = 0; e < 4; ++e) if (x + e < left0) in2.e[e] = q2[x + e];
      }
    }
  }
}
__syncthreads();
)");
}

TEST_CASE("a thread lies inside the array with all that it touches: what it stores counts, too") {
  splitting_case made;
  nest_of_tests& out = made.out;
  out.open_positions();
  out.load_element(out.name("in1"), out.name("q1")[out.name("x")]);
  out.close_positions();
  out.open_positions();
  out.store_vector(out.four_floats, out.name("q0") + out.name("x"), out.name("out0"), out.left());
  out.close_positions();
  const std::string text = made.split();
  CHECK(text.starts_with("if (x0 + 132 <= left0 && y0 + 2 <= left1) {\n"));
  CHECK(text.find("store_whole") == std::string::npos);
}

TEST_CASE("a window reaches beyond the tile: so do the ends that its loads are held against") {
  splitting_case made;
  nest_of_tests& out = made.out;
  const expression column = out.name("c") * 4;
  out.open_positions();
  out.open_count(loop_kind::unrolled, "c", 2);
  out.load_vector(out.four_floats, out.name("in1")[out.name("c")], out.name("q1") + column,
                  out.name("left0") + 2 - out.name("x") - column);
  out.close();
  out.close_positions();
  CHECK(made.split().starts_with("if (x0 + 134 <= left0 && y0 + 2 <= left1) {\n"));
}

TEST_CASE("a guard that asks for anything but an end leaves the loads as they are") {
  for (const bool compares : {false, true}) {
    splitting_case made;
    nest_of_tests& out = made.out;
    out.open_positions();
    out.load_element(out.name("in1"), out.name("q1")[0],
                     compares ? out.name("x") * out.name("y") < out.name("left0") : out.name("is_wanted"));
    out.close_positions();
    const std::string before = printed(made.tree, made.kernel);
    CHECK(made.split() == before);
  }
}

TEST_CASE("threads of one position, and tiles that pass through shared memory, have their loads once") {
  const auto unchanged = [](const schedule& chosen) {
    splitting_case made;
    made.kernel.chosen = chosen;
    made.out.open_positions();
    made.out.load_element(made.out.name("in1"), made.out.name("q1")[0]);
    made.out.close_positions();
    const std::string before = printed(made.tree, made.kernel);
    return made.split() == before;
  };
  CHECK(unchanged({.steps = 1, .rows_per_thread = 1}));
  CHECK(unchanged({.order = loop_order::tiled, .steps = 1, .rows_per_thread = 4}));
  CHECK(!unchanged({.steps = 2, .rows_per_thread = 1}));
}

}  // namespace
}  // namespace sinter::test
