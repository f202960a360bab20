// How often a kernel computes each operation.

#include <doctest/doctest.h>

#include "../bodies/body_graphs.hpp"
#include "../support/loops_after.hpp"
#include "../support/recorded.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/nest/computed_operations.hpp>

namespace sinter::test {
namespace {

std::string loop_of(const nest& body, const computed_operation& each) {
  if (each.loop == instruction::no_owner) return {};
  return "in " + std::string(facts_of(body.body[each.loop].op).name) + ": ";
}

/// "exp 2, sqrt 0/1": for each element, and where it is not 0 for each row; "in repeat: exp 20" in a loop.
std::string counts_of(const graph& recorded, const layout& input, const target_facts& target) {
  const lowered_call lowered = lower(recorded, {input}, target);
  REQUIRE(lowered.stage_count == 1);
  const stage& only = lowered.stages[0];
  std::string text;
  for (const computed_operation& each :
       computed_operations(only.body, only.chosen.resident, is_gpu(target.kind)))
    text += (text.empty() ? "" : ", ") + loop_of(only.body, each) + std::string(facts_of(each.op).name) +
            " " + std::to_string(each.for_element) +
            (each.for_row == 0 ? "" : "/" + std::to_string(each.for_row));
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

constexpr declared row{element_type::float32, 1};

/// A body that takes the iteration and a state s, or the state alone, and returns sqrt(s).
graph body_of_root(bool has_iteration = true) {
  const auto made = [](graph_builder& builder, const values& given) -> values {
    return {builder.apply(operation::sqrt, {given.back()})};
  };
  return has_iteration ? body_of({iteration, row}, made) : body_of({row}, made);
}

TEST_CASE("what is in a loop is computed in each iteration, and what is the same in all of them before it") {
  const auto looped = [](auto count) {
    return graph_of({row}, [&](graph_builder& builder, const values& given) -> values {
      const graph body = body_of({iteration, row, row}, [](graph_builder& inner, const values& of) -> values {
        return {inner.apply(operation::add, {of[1], inner.apply(operation::exp, {of[2]})})};
      });
      return builder.repeat(count(builder, given), values{given[0]}, values{given[0]}, body);
    });
  };
  const layout input = contiguous({1000});
  for (const target_facts& target : {cuda_facts(), cpu_facts()}) {
    CHECK(counts_of(looped([](graph_builder& builder, const values&) { return builder.literal(100); }), input,
                    target) == "exp 1, in repeat: add 100");
    CHECK(counts_of(
              looped([](graph_builder& builder, const values& given) { return builder.extent(given[0], 0); }),
              input, target) == "exp 1, in repeat: add 16");
  }
}

TEST_CASE("a loop in a loop, and a choice in one: iterations multiply, and both sides count") {
  const graph inner = body_of_root();
  const graph outer = body_of({iteration, row}, [&](graph_builder& builder, const values& given) -> values {
    const graph_value negative =
        builder.apply(operation::less, {given[1], builder.literal(0.f, element_type::float32)});
    const values chosen = builder.when(negative, values{given[1]},
                                       body_of({row},
                                               [](graph_builder& side, const values& of) -> values {
                                                 return {side.apply(operation::exp, {of[0]})};
                                               }),
                                       body_of_root(false));
    return builder.repeat(builder.literal(3), chosen, {}, inner);
  });
  const graph recorded = graph_of({row}, [&](graph_builder& builder, const values& given) -> values {
    return builder.repeat(builder.literal(10), values{given[0]}, {}, outer);
  });
  CHECK(counts_of(recorded, contiguous({1000}), cpu_facts()) ==
        "in repeat: less 10, in repeat: exp 10, in repeat: sqrt 10, in repeat: sqrt 30");
}

TEST_CASE("a loop that ends for each element counts as 16 iterations, its condition too") {
  const graph body = body_of({iteration, row}, [](graph_builder& builder, const values& given) -> values {
    return {builder.apply(operation::greater, {given[1], builder.literal(1.f, element_type::float32)}),
            builder.apply(operation::sqrt, {given[1]})};
  });
  const graph recorded = graph_of({row}, [&](graph_builder& builder, const values& given) -> values {
    return builder.repeat_while(values{given[0]}, {}, body);
  });
  CHECK(counts_of(recorded, contiguous({1000}), cpu_facts()) ==
        "in repeat_while: greater 16, in repeat_while: sqrt 16");
}

}  // namespace
}  // namespace sinter::test
