// What an element costs in reductions on GPUs, besides its arithmetic: tests whether it lies in the row, its
// position, its load. Values are the business of the sweeps and of the simulator.

#include <doctest/doctest.h>

#include "../support/sweep/sweep.hpp"
#include "../support/sweep/sweep_layout.hpp"

#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/print/emit.hpp>

#include <string>

namespace sinter::test {
namespace {

/// The first stage's kernel of a reduction of one array.
struct first_kernel {
  schedule chosen;
  std::string text;
  bool has(const char* part) const { return text.find(part) != std::string::npos; }
};

first_kernel reduce(operation op, element_type type, const shape& extents, std::uint32_t axes) {
  graph_builder builder;
  const graph_value x = builder.input(type, static_cast<unsigned>(extents.size()));
  builder.output(builder.reduce(op, x, axes, false));
  const lowered_call lowered = lower(builder.recorded(), {contiguous(extents, type)}, cuda_facts());
  return {lowered.stages[0].chosen, emit(lowered.stages[0]).source};
}

}  // namespace

TEST_CASE("chunks that lie in a row whole are loaded without tests, and the rest with them") {
  for (const element_type type : {element_type::uint8, element_type::float16, element_type::float32}) {
    const first_kernel kernel = reduce(operation::sum, type, {40000, 9000 + 1}, 2);
    INFO(kernel.text);
    CHECK(kernel.chosen.steps > 1);
    CHECK(kernel.has("<= n; start += "));
    CHECK(kernel.has("if (start < n) {"));
  }
}

TEST_CASE("rows of whole vectors have one loop over chunks") {
  const first_kernel whole = reduce(operation::sum, element_type::float32, {40000, 8192}, 2);
  CHECK(whole.chosen.whole_rows);
  CHECK_FALSE(whole.has("<= n; start += "));
}

TEST_CASE("positions are taken apart in 32 bits where they fit") {
  const first_kernel narrow = reduce(operation::sum, element_type::uint8, {64, 4096, 33}, 5);
  INFO(narrow.text);
  CHECK(narrow.has("const int w0 = divide(x, a.d0)"));
  const first_kernel wide = reduce(operation::sum, element_type::uint8, {1 << 20, 4096, (1 << 11) + 1}, 5);
  INFO(wide.text);
  CHECK(wide.has("divide_wide(x, a.d0)"));
}

TEST_CASE("neighbouring threads load neighbouring elements of unaligned columns") {
  const first_kernel aligned = reduce(operation::max, element_type::float16, {4096, 4096}, 1);
  CHECK_FALSE(aligned.chosen.scalar_loads);
  const first_kernel unaligned = reduce(operation::max, element_type::float16, {4096, 4097}, 1);
  INFO(unaligned.text);
  CHECK(unaligned.chosen.scalar_loads);
  CHECK(unaligned.has(("x + e * " + std::to_string(unaligned.chosen.threads_along)).c_str()));
}

TEST_CASE("argmax compares values alone in pieces of a row, whose positions begin where the piece does") {
  const first_kernel pieces = reduce(operation::argmax, element_type::float32, {1 << 25}, 1);
  INFO(pieces.text);
  CHECK(pieces.has("argmax_later_f32(v"));
}

}  // namespace sinter::test
