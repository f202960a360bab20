// Where GPUs keep what later phases need of a row.

#include <doctest/doctest.h>

#include "../support/sweep.hpp"
#include "../support/sweep_layout.hpp"

#include <sinter/codegen/loops/build_loops.hpp>
#include <sinter/codegen/loops/loop_text.hpp>

#include <string>

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

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

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

}  // namespace
}  // namespace sinter::test
