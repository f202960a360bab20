// Lanes that draw random words: vectors that begin at a multiple of their lanes have a loop of their own.

#include <doctest/doctest.h>

#include "../support/loops_after.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/loops/verify/verify_loops.hpp>
#include <sinter/dsl/random/compose_random.hpp>

namespace sinter::test {
namespace {

graph drawn(rng::distribution what, element_type type, bool reduced = false) {
  graph_builder b;
  const graph_value x = b.input(element_type::float32, 2);
  const graph_value seed = b.literal(7, element_type::int64), sequence = b.literal(0, element_type::int64);
  const graph_value made = rng::draw(b, what, type, {x, seed, sequence});
  b.output(reduced ? b.reduce(operation::max, made, 0b10, false) : made);
  return b.recorded();
}
std::string loops_of(const graph& recorded) {
  return cuda_loops_after("share_random_blocks", recorded, contiguous({512, 1024}));
}

TEST_CASE("lanes of an aligned vector count words by an \"or\" of the first and the lane") {
  const std::string text = loops_of(drawn(rng::distribution::bits, element_type::uint32));
  INFO(text);
  CHECK(times(text, "position_in_block(") == 1);
  CHECK(has(text, "& 3) == 0\n"));
  CHECK(has(text, "else\n"));
}

TEST_CASE("a normal counts two words by one position") {
  CHECK(times(loops_of(drawn(rng::distribution::normal, element_type::float32)), "position_in_block(") == 1);
}

TEST_CASE("rows that are reduced, and kernels that draw nothing, stay as they are") {
  CHECK_FALSE(
      has(loops_of(drawn(rng::distribution::bits, element_type::uint32, true)), "position_in_block("));
  const graph other = softmax_over(1);
  const layout rows = contiguous({512, 1024});
  CHECK(cuda_loops_after("share_random_blocks", other, rows) ==
        cuda_loops_after("lower_combines", other, rows));
}

TEST_CASE("both loops are whole") {
  const stage made =
      lower(drawn(rng::distribution::normal, element_type::float64), {contiguous({512, 1024})}, cuda_facts())
          .stages[0];
  const kernel_description kernel = read_signature(made.signature).value();
  codegen::loop_tree tree;
  codegen::build_loops(kernel, tree, [&](std::string_view pass, const codegen::loop_tree& now) {
    CHECK_MESSAGE(codegen::fault_of(kernel, now) == "", pass);
  });
}

}  // namespace
}  // namespace sinter::test
