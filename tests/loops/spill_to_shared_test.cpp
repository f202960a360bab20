// Rows that registers do not hold: their further steps lie in shared memory.

#include <doctest/doctest.h>

#include "../support/loops_after.hpp"

namespace sinter::test {
namespace {

using namespace codegen;

struct spilled_rows {
  schedule chosen;
  std::string built, spilled, whole;  ///< loops as the builder, the pass, and all passes leave them
};

/// x - max(x) along rows of a length.
spilled_rows centred(std::int64_t length) {
  graph_builder builder;
  const graph_value x = builder.input(element_type::float32, 2);
  builder.output(builder.apply(operation::subtract, {x, builder.reduce(operation::max, x, 2, true)}));
  const lowered_call lowered =
      lower(builder.recorded(), {contiguous({4096, length}, element_type::float32)}, cuda_facts());
  const kernel_description kernel = read_signature(lowered.stages[0].signature).value();
  spilled_rows made{kernel.chosen, {}, {}, {}};
  loop_tree tree;
  build_loops(kernel, tree, [&](std::string_view pass, const loop_tree& now) {
    if (pass == "build_loops") made.built = to_string(now);
    if (pass == "spill_to_shared") made.spilled = to_string(now);
    made.whole = to_string(now);
  });
  return made;
}

TEST_CASE("what registers do not hold stays in shared memory, and is copied there before the row begins") {
  const spilled_rows rows = centred(40960);
  INFO(rows.spilled);
  REQUIRE(rows.chosen.shared_steps > 0);
  CHECK_FALSE(has(rows.built, "shared of the launch"));
  CHECK(has(rows.spilled, "var in0[" + std::to_string(rows.chosen.steps) + "]: 4 x float32 = 0\n"));
  const std::string further = "for s from 0 while s < " + std::to_string(rows.chosen.shared_steps);
  CHECK(has(rows.spilled, further + ", unrolled\n"));  // the copies
  CHECK(has(rows.spilled, "copy shared_in0["));
  CHECK(rows.spilled.find("copy shared_in0") < rows.spilled.find("one chunk"));
  CHECK(rows.spilled.find(further + ", unrolled twice\n", rows.spilled.find("wait for copies\n")) !=
        std::string::npos);
  CHECK(has(rows.spilled, "let in0: 4 x float32 = shared_in0["));
}

TEST_CASE("steps in shared memory are loaded when they are evaluated, those in registers before that") {
  const spilled_rows rows = centred(40960 - 3);  // not whole vectors: nothing is copied ahead
  INFO(rows.whole);
  REQUIRE(rows.chosen.shared_steps > 0);
  CHECK_FALSE(has(rows.spilled, "copy "));
  const std::size_t further = rows.whole.find("unrolled twice");
  REQUIRE(further != std::string::npos);
  const std::size_t load = rows.whole.find("load in0", further), kept = rows.whole.find("shared_in0[", load);
  CHECK(load < kept);
  CHECK(kept < rows.whole.find("combine", further));
}

TEST_CASE("rows that registers hold are left alone") {
  const spilled_rows rows = centred(4096);
  INFO(rows.spilled);
  REQUIRE(rows.chosen.resident);
  REQUIRE(rows.chosen.shared_steps == 0);
  CHECK_FALSE(has(rows.spilled, "shared"));
}

}  // namespace
}  // namespace sinter::test
