// What of a nest a kernel depends on: which way accesses step, not how far, and nothing of their call.

#include <doctest/doctest.h>

#include "../support/loops_after.hpp"
#include "../support/recorded.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/kernel/kernel_description.hpp>

namespace sinter::test {
namespace {

graph negated(unsigned rank) {
  graph_builder builder;
  builder.output(builder.apply(operation::negative, {builder.input(element_type::float32, rank)}));
  return builder.recorded();
}
kernel_pattern pattern_for(const layout& at, const target_facts& target) {
  return read_signature(
             lower(negated(static_cast<unsigned>(at.extents.size())), {at}, target).stages[0].signature)
      .value()
      .body;
}

TEST_CASE("steps are none, one or strided, whatever the strides are") {
  const kernel_pattern made = pattern_for(strided({300, 200}, {0, 3}), cuda_facts());
  const access_pattern& read = made.accesses[0];
  REQUIRE(read.what == access_pattern::kind::read);
  CHECK(read.pattern(0) == step_pattern::strided);
  CHECK_FALSE(read.moves_along(1));
  CHECK_FALSE(read.is_linear);
  CHECK(moves_along_every_axis(made, made.accesses[1]));
  CHECK_FALSE(moves_along_every_axis(made, read));
}

TEST_CASE("what is stored in the order of the elements is linear where elements are numbered") {
  // rows of 6 are too short for a loop of their own
  const kernel_pattern made = pattern_for(strided({3000, 6}, {7, 1}), cuda_facts());
  REQUIRE(made.accesses.size() == 2);
  CHECK_FALSE(made.accesses[0].is_linear);
  CHECK(made.accesses[1].is_linear);
  CHECK(made.accesses[1].pattern(0) == step_pattern::unit);
  CHECK(made.accesses[1].pattern(1) == step_pattern::strided);
}

TEST_CASE("a signature with a linear access whose steps are others is refused") {
  const stage made = lower(negated(2), {strided({3000, 6}, {7, 1})}, cuda_facts()).stages[0];
  kernel_description described = read_signature(made.signature).value();
  const auto is_read = [&] {
    std::string bytes;
    write_signature(described, bytes);
    return read_signature(bytes).has_value();
  };
  CHECK(is_read());
  described.body.accesses[1].steps[1] = step_pattern::unit;
  CHECK_FALSE(is_read());
  described.body.accesses[1].is_linear = false;
  CHECK(is_read());
  described.body.accesses[1].steps[1] = static_cast<step_pattern>(3);
  CHECK_FALSE(is_read());
}

}  // namespace
}  // namespace sinter::test
