#pragma once
// Graphs of bodies for tests: functions of a builder in place of the builder's steps.

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>

#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

namespace sinter::test {

using values = std::vector<graph_value>;

struct declared {
  element_type type;
  unsigned rank = 0;
  bool whole = false;  ///< an array of which the body takes elements
};
/// What the body of a loop takes first.
inline constexpr declared iteration{element_type::int64, 0};

/// A body that takes `inputs` and returns what `made` gives: made(builder, values) -> values.
template <class Made>
graph body_of(std::initializer_list<declared> inputs, Made made,
              arithmetic_mode mode = arithmetic_mode::strict) {
  graph_builder builder;
  builder.restart(mode);
  values given;
  for (const declared& each : inputs)
    given.push_back(each.whole ? builder.whole_input(each.type, each.rank)
                               : builder.input(each.type, each.rank));
  for (const graph_value& result : made(builder, given)) builder.output(result);
  return builder.recorded();
}

/// The same for a whole function.
template <class Made>
graph graph_of(std::initializer_list<declared> inputs, Made made,
               arithmetic_mode mode = arithmetic_mode::strict) {
  return body_of(inputs, made, mode);
}

inline values repeated(graph_builder& builder, graph_value count, const values& states,
                       const values& captured, const graph& body) {
  return builder.repeat(count, states, captured, body);
}

/// x * factor + c, state x of this rank.
inline graph scaled_and_moved(float factor, declared x, declared c) {
  return body_of({iteration, x, c}, [factor](graph_builder& builder, const values& given) -> values {
    const graph_value scaled = builder.apply(operation::multiply, {given[1], builder.literal(factor)});
    return {builder.apply(operation::add, {scaled, given[2]})};
  });
}

}  // namespace sinter::test
