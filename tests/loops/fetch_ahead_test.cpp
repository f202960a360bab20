// Loads of the next chunk while a chunk is evaluated.

#include <doctest/doctest.h>

#include "../support/printed_loops.hpp"

#include <sinter/codegen/loops/passes/memory/fetch_ahead.hpp>
#include <sinter/codegen/loops/statements/row_statements.hpp>

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
    loop.end = out.name("n");
    loop.step = out.integer(2);
    loop.is_whole = true;
    tree.row = name_row_variables(tree, 1);
    out.open(loop);
    out.variable(value_of(element_type::float32), out.name("chunk")[1]).zeroed = true;
    statement& buffer = out.variable(vector_of(storage_of(element_type::float32), 1), out.name("in3")[2]);
    buffer.zeroed = true;
    buffer.access = 3;
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
  for (int s = 0; s < 2; ++s) now3[s] = in3[s];
  const int next = start + 2;
  if (next + 2 <= n) {
#pragma unroll
    for (int s = 0; s < 2; ++s) {
      const int r = next + s;
      in3[s].e[0] = q3[r];
    }
  }
#pragma unroll
  for (int s = 0; s < 2; ++s) chunk[0] += now3[s].e[0];
}
)");
}

TEST_CASE("what moves along axis 0, or along a row, is not loaded ahead: registers do not hold two chunks") {
  CHECK(fetching_case(loop_order::column_reduction).fetched("x").find("now") == std::string::npos);
  CHECK(fetching_case(loop_order::row_reduction).fetched("r").find("now") == std::string::npos);
}

}  // namespace
}  // namespace sinter::test
