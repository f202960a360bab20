// Where targets keep what later phases need of a row.

#include <doctest/doctest.h>

#include "../support/loops_after.hpp"

namespace sinter::test {
namespace {

using namespace codegen;

struct placed_rows {
  schedule chosen;
  std::string built, placed, whole;  ///< loops as the builder, the pass, and all passes leave them
};

/// x - max(x) along rows of a length.
placed_rows centred(std::int64_t length) {
  graph_builder builder;
  const graph_value x = builder.input(element_type::float32, 2);
  builder.output(builder.apply(operation::subtract, {x, builder.reduce(operation::max, x, 2, true)}));
  const lowered_call lowered =
      lower(builder.recorded(), {contiguous({4096, length}, element_type::float32)}, cuda_facts());
  const kernel_description kernel = read_signature(lowered.stages[0].signature).value();
  placed_rows made{kernel.chosen, {}, {}, {}};
  loop_tree tree;
  build_loops(kernel, tree, [&](std::string_view pass, const loop_tree& now) {
    if (pass == "build_loops") made.built = to_string(now);
    if (pass == "place_resident") made.placed = to_string(now);
    made.whole = to_string(now);
  });
  return made;
}

TEST_CASE("what a later phase needs stays in registers") {
  const placed_rows rows = centred(4096);
  INFO(rows.placed);
  REQUIRE(rows.chosen.resident);
  REQUIRE(rows.chosen.shared_steps == 0);
  const std::string buffer = "in0[" + std::to_string(rows.chosen.steps) + "]: 4 x float32 = 0\n";
  CHECK(has(rows.built, "resident var " + buffer));
  CHECK_FALSE(has(rows.placed, "resident"));
  CHECK(has(rows.placed, "var " + buffer));
  CHECK_FALSE(has(rows.placed, "shared"));
}

TEST_CASE("what registers do not hold stays in shared memory, and is copied there before the row begins") {
  const placed_rows rows = centred(40960);
  INFO(rows.placed);
  REQUIRE(rows.chosen.shared_steps > 0);
  CHECK_FALSE(has(rows.built, "shared of the launch"));
  CHECK(has(rows.placed, "var in0[" + std::to_string(rows.chosen.steps) + "]: 4 x float32 = 0\n"));
  const std::string further = "for s from 0 while s < " + std::to_string(rows.chosen.shared_steps);
  CHECK(has(rows.placed, further + ", unrolled\n"));  // the copies
  CHECK(has(rows.placed, "copy_ahead(&shared_in0["));
  CHECK(rows.placed.find("copy_ahead(") < rows.placed.find("one chunk"));
  CHECK(has(rows.placed, "wait_for_copies()\n" + further + ", unrolled twice\n"));
  CHECK(has(rows.placed, "let in0: 4 x float32 = shared_in0["));
}

TEST_CASE("steps in shared memory are loaded when they are evaluated, those in registers before that") {
  const placed_rows rows = centred(40960 - 3);  // not whole vectors: nothing is copied ahead
  INFO(rows.whole);
  REQUIRE(rows.chosen.shared_steps > 0);
  CHECK_FALSE(has(rows.placed, "copy_ahead"));
  const std::size_t further = rows.whole.find("unrolled twice");
  REQUIRE(further != std::string::npos);
  const std::size_t load = rows.whole.find("load in0", further), kept = rows.whole.find("shared_in0[", load);
  CHECK(load < kept);
  CHECK(kept < rows.whole.find("combine", further));
}

TEST_CASE("the CPU keeps the values of a row on the stack, with room for the longest row that is kept") {
  const layout rows = contiguous({512, 1000}), columns = contiguous({100, 1000});
  CHECK(cpu_loops_after("build_loops", softmax_over(1), rows)
            .starts_with("resident var resident3[a.elements]: float32 value\n"));
  CHECK(cpu_loops_after("build_loops", softmax_over(0), columns)
            .starts_with("resident var resident3[a.elements * 64]: float32 value\n"));
  for (const bool by_rows : {true, false}) {
    const std::string text =
        cpu_loops_after("place_resident", softmax_over(by_rows ? 1 : 0), by_rows ? rows : columns);
    CHECK(text.starts_with("stack var resident3[16384]: float32 value\n"));
    CHECK_FALSE(has(text, "resident var"));
  }
}

}  // namespace
}  // namespace sinter::test
