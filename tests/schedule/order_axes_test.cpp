// Which axes lie innermost: a pass of its own in front of the schedule, which changes no nest.

#include <doctest/doctest.h>

#include "../support/loops_after.hpp"
#include "../support/recorded.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/lowering.hpp>
#include <sinter/codegen/nest/nest_text.hpp>
#include <sinter/codegen/schedule/choose/choose_schedule.hpp>
#include <sinter/codegen/schedule/choose/order_axes.hpp>

namespace sinter::test {
namespace {

nest ordered_nest(const graph& recorded, const layout& at, const target_facts& target) {
  return lower(recorded, {at}, target).stages[0].body;
}

graph negated(unsigned rank) {
  graph_builder builder;
  builder.output(builder.apply(operation::negative, {builder.input(element_type::float32, rank)}));
  return builder.recorded();
}
graph sum_of_rows() {
  graph_builder builder;
  builder.output(builder.reduce(operation::sum, builder.input(element_type::float32, 2), 2, false));
  return builder.recorded();
}

TEST_CASE("axes that are ordered stay as they are") {
  const layout apart = strided({1024, 40, 1024}, {1, 1025 * 1024, 1024});
  for (const target_facts& target : {cuda_facts(), cpu_facts()}) {
    for (nest body : {ordered_nest(negated(3), apart, target),
                      ordered_nest(sum_of_rows(), contiguous({30000, 5}), target)}) {
      const std::string before = to_string(body);
      order_axes(body, target);
      CHECK(to_string(body) == before);
    }
  }
}

TEST_CASE("the contiguous axis of a transposed operand is axis 1") {
  const layout apart = strided({1024, 40, 1024}, {1, 1025 * 1024, 1024});
  const nest body = ordered_nest(negated(3), apart, cuda_facts());
  CHECK(transposed_axis(body, 32) == 1u);
  CHECK(transposed_axis(body, 2000) == std::nullopt);
}

TEST_CASE("on the CPU many short rows lie side by side in lanes, on a GPU they do not change places") {
  const layout short_rows = contiguous({30000, 5});
  CHECK(ordered_nest(sum_of_rows(), short_rows, cpu_facts()).reduced == 2);
  CHECK(ordered_nest(sum_of_rows(), short_rows, cuda_facts()).reduced == 1);
}

}  // namespace
}  // namespace sinter::test
