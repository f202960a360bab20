// How often a kernel computes each operation.

#include <doctest/doctest.h>

#include "../support/loops_after.hpp"
#include "../support/recorded.hpp"

#include <sinter/codegen/nest/computed_operations.hpp>

namespace sinter::test {
namespace {

/// "exp 2, sqrt 0/1": for each element, and where it is not 0 for each row.
std::string counts_of(const graph& recorded, const layout& input, const target_facts& target) {
  const lowered_call lowered = lower(recorded, {input}, target);
  REQUIRE(lowered.stage_count == 1);
  const stage& only = lowered.stages[0];
  std::string text;
  for (const computed_operation& each :
       computed_operations(only.body, only.chosen.resident, is_gpu(target.kind)))
    text += (text.empty() ? "" : ", ") + std::string(facts(each.op).name) + " " +
            std::to_string(each.for_element) + (each.for_row == 0 ? "" : "/" + std::to_string(each.for_row));
  return text;
}

/// f(x) at three neighbouring positions, added.
graph three_positions(operation op) {
  graph_builder builder;
  const graph_value of = builder.apply(op, {builder.input(element_type::float32, 1)});
  const auto from = [&](std::int64_t begin) {
    view_item item;
    item.what = view_item::kind::slice;
    item.start = literal_bound(begin);
    item.stop = literal_bound(begin + 998);
    item.step = literal_bound(1);
    return builder.view(of, {&item, 1});
  };
  graph_value sum = from(0);
  for (std::int64_t begin = 1; begin < 3; ++begin) sum = builder.apply(operation::add, {sum, from(begin)});
  builder.output(sum);
  return builder.recorded();
}

TEST_CASE("a stencil computes at each position that an element needs") {
  CHECK(counts_of(three_positions(operation::sqrt), contiguous({1000}), cuda_facts()) == "sqrt 3, add 2");
}

TEST_CASE("a loop over a row that does not stay resident computes again what it needs") {
  const graph softmax = softmax_over(1);
  CHECK(counts_of(softmax, contiguous({4096, 1000}), cuda_facts()) == "subtract 1, exp 1, true_divide 1");
  const lowered_call lowered = lower(softmax, {contiguous({4096, 1000})}, cuda_facts());
  const std::vector<computed_operation> again = computed_operations(lowered.stages[0].body, false, true);
  REQUIRE(again.size() == 3);
  CHECK(again[0].for_element == 2);
  CHECK(again[1].for_element == 2);
  CHECK(again[2].for_element == 1);
}

TEST_CASE(
    "on the CPU cheap values are computed again in each loop, but for those that are packed element by "
    "element") {
  graph_builder builder;
  const graph_value x = builder.input(element_type::float32, 2);
  const graph_value size = builder.apply(operation::absolute, {x});
  builder.output(builder.apply(operation::subtract, {size, builder.reduce(operation::max, size, 2, true)}));
  const graph spread = builder.recorded();
  CHECK(counts_of(spread, contiguous({4096, 1000}), cpu_facts()) == "absolute 2, subtract 1");
  layout every_second = contiguous({4096, 1000});
  every_second.strides = {2000, 2};
  CHECK(counts_of(spread, every_second, cpu_facts()) == "absolute 1, subtract 1");
}

TEST_CASE("what there is once for a row is counted for rows, and a fused product as two operations") {
  graph_builder builder;
  const graph_value x = builder.input(element_type::float32, 2);
  const graph_value total = builder.reduce(operation::sum, x, 2, true);
  const graph_value root = builder.apply(operation::sqrt, {total});
  builder.output(builder.apply(operation::add, {builder.apply(operation::multiply, {x, x}), root}));
  CHECK(counts_of(builder.recorded(), contiguous({4096, 1000}), cuda_facts()) ==
        "multiply 1, add 1, sqrt 0/1");
}

}  // namespace
}  // namespace sinter::test
