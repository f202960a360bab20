// Kernels of bodies that take elements of arrays at indices, on each device and as CUDA's texts in the
// simulator, specialised and shape-generic, beside the interpreter.

#include "check_kernels.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/graph/graph_bytes.hpp>

namespace sinter::test {
namespace {

constexpr declared whole_matrix{f32, 2, true}, whole_row{f32, 1, true};

graph_value binary(graph_builder& builder, operation op, graph_value a, graph_value b) {
  return builder.apply(op, {a, b});
}
/// A number far beyond every axis for an element between 0 and 1.
graph_value number(graph_builder& builder, graph_value x) {
  return builder.cast(builder.cast(binary(builder, operation::multiply, x, builder.literal(100003.f)), i32),
                      i64);
}
/// The same between -n and n - 1.
graph_value index_within(graph_builder& builder, graph_value x, graph_value n) {
  const graph_value twice = binary(builder, operation::multiply, n, builder.literal(2, i64));
  return binary(builder, operation::subtract,
                binary(builder, operation::remainder, number(builder, x), twice), n);
}
/// x becomes the mean of itself and an element of the row that x chooses.
graph chooses_from_row() {
  return body_of(
      {iteration, matrix, whole_row, {i64}}, [](graph_builder& builder, const values& given) -> values {
        const graph_value index = index_within(builder, given[1], given[3]);
        const graph_value chosen = builder.element(given[2], std::array{index}, index_rule::checked);
        return {binary(builder, operation::multiply, binary(builder, operation::add, given[1], chosen),
                       builder.literal(0.5f))};
      });
}
const std::initializer_list<shape> shapes_with_elements = {{7, 33},   {1, 1}, {40, 128},
                                                           {3, 2000}, {5, 1}, {300, 4}};

template <class Made>
void check(Made made) {
  check_kernels(graph_of({matrix, row}, made), shapes_with_elements);
}

}  // namespace

TEST_SUITE("kernels of bodies that take elements") {
  TEST_CASE("a loop takes an element of a vector in each iteration") {
    for (const int count : {0, 1, 3})
      check([&](graph_builder& builder, const values& given) {
        return builder.repeat(builder.literal(count), values{given[0]},
                              values{given[1], builder.extent(given[1], 0)}, chooses_from_row());
      });
  }

  TEST_CASE("of a matrix, with an index for each axis") {
    const graph body =
        body_of({iteration, matrix, whole_matrix, {i64}, {i64}},
                [](graph_builder& builder, const values& given) -> values {
                  const graph_value down = index_within(builder, given[1], given[3]),
                                    along = index_within(builder, given[1], given[4]);
                  return {builder.element(given[2], std::array{down, along}, index_rule::checked)};
                });
    check([&](graph_builder& builder, const values& given) {
      return builder.repeat(builder.literal(2), values{given[0]},
                            values{given[0], builder.extent(given[0], 0), builder.extent(given[0], 1)}, body);
    });
  }

  TEST_CASE("what wraps around and what is clipped, of any integer") {
    for (const index_rule rule : {index_rule::wrap, index_rule::clip})
      for (const element_type type : {i64, element_type::uint64, element_type::int8}) {
        const graph body = body_of({iteration, matrix, whole_row},
                                   [&](graph_builder& builder, const values& given) -> values {
                                     const graph_value index = builder.cast(number(builder, given[1]), type);
                                     return {builder.element(given[2], std::array{index}, rule)};
                                   });
        check([&](graph_builder& builder, const values& given) {
          return builder.repeat(builder.literal(2), values{given[0]}, values{given[1]}, body);
        });
      }
  }

  TEST_CASE("of views, of what is computed, reduced and scanned: each is read as it is stored") {
    const auto chosen_of = [](auto made) {
      check([&](graph_builder& builder, const values& given) {
        const graph_value source = made(builder, given);
        return builder.repeat(builder.literal(2), values{given[0]}, values{source, builder.extent(source, 0)},
                              chooses_from_row());
      });
    };
    chosen_of([](graph_builder& builder, const values& given) {
      const view_item backwards[] = {{view_item::kind::slice, {}, {}, literal_bound(-1)}};
      return builder.view(given[1], backwards);
    });
    chosen_of([](graph_builder& builder, const values& given) {
      const view_item column[] = {{}, {view_item::kind::index, literal_bound(0), {}, {}}};
      return builder.view(given[0], column);
    });
    chosen_of([](graph_builder& builder, const values& given) {
      return binary(builder, operation::multiply, given[1], given[1]);
    });
    chosen_of([](graph_builder& builder, const values& given) {
      return builder.reduce(operation::max, given[0], 1);
    });
    chosen_of([](graph_builder& builder, const values& given) {
      const graph_value sums = builder.scan(operation::cumsum, number(builder, given[1]), 0);
      const graph_value small =
          binary(builder, operation::remainder, sums, builder.literal(1000, element_type::int64));
      return binary(builder, operation::multiply, builder.cast(small, f32), builder.literal(0x1p-10f));
    });
    chosen_of([](graph_builder& builder, const values& given) {
      return builder.extended(given[1], 0, extension::wrap, builder.literal(-1, i64),
                              builder.extent(given[1], 0));
    });
  }

  TEST_CASE("a loop ends where an element says so") {
    const graph body = body_of(
        {iteration, matrix, whole_row, {i64}}, [](graph_builder& builder, const values& given) -> values {
          const graph_value index = index_within(builder, given[1], given[3]);
          const graph_value chosen = builder.element(given[2], std::array{index}, index_rule::checked);
          const graph_value goes_on =
              binary(builder, operation::logical_and, binary(builder, operation::less, given[1], chosen),
                     binary(builder, operation::less, given[0], builder.literal(5, i64)));
          return {goes_on, binary(builder, operation::multiply,
                                  binary(builder, operation::add, given[1], chosen), builder.literal(0.5f))};
        });
    check([&](graph_builder& builder, const values& given) {
      return builder.repeat_while(values{given[0]}, values{given[1], builder.extent(given[1], 0)}, body);
    });
  }

  TEST_CASE("a loop leaves by three conditions, which the index of an element hangs on, too") {
    const graph body = body_of(
        {iteration, {f32, 2}, {f32, 1, true}}, [](graph_builder& builder, const values& in) -> values {
          const graph_value first = builder.apply(operation::less, {in[0], builder.literal(3, i64)});
          const graph_value both =
              builder.apply(operation::logical_and,
                            {builder.apply(operation::less, {in[1], builder.literal(50.f)}), first});
          const graph_value all =
              builder.apply(operation::logical_and,
                            {builder.apply(operation::greater, {in[1], builder.literal(-1.f)}), both});
          const graph_value of = builder.element(in[2], std::vector<graph_value>{in[0]}, index_rule::checked);
          return {all, builder.apply(operation::add, {in[1], of})};
        });
    check_kernels(graph_of({matrix, row},
                           [&](graph_builder& builder, const values& given) -> values {
                             const values states{given[0]}, captured{given[1]};
                             return builder.repeat_while(states, captured, body);
                           }),
                  {{7, 33}, {1, 5}, {40, 128}, {3, 2000}});
  }

  TEST_CASE("a side of a choice takes an element that would be out of range on the other") {
    const graph then =
        body_of({matrix, whole_row}, [](graph_builder& builder, const values& given) -> values {
          const graph_value index = number(builder, given[0]);
          return {builder.element(given[1], std::array{index}, index_rule::checked)};
        });
    const graph otherwise =
        body_of({matrix, whole_row}, [](graph_builder& builder, const values& given) -> values {
          return {binary(builder, operation::multiply, given[0], builder.literal(2.f))};
        });
    check([&](graph_builder& builder, const values& given) {
      const graph_value inside =
          binary(builder, operation::less, number(builder, given[0]), builder.extent(given[1], 0));
      return builder.when(inside, values{given[0], given[1]}, then, otherwise);
    });
  }

  TEST_CASE("a body in a body takes elements, and both may take the same") {
    const graph inner = chooses_from_row();
    const graph outer =
        body_of({iteration, matrix, whole_row, {i64}}, [&](graph_builder& builder, const values& given) {
          const values after =
              builder.repeat(builder.literal(2), values{given[1]}, values{given[2], given[3]}, inner);
          const graph_value index = index_within(builder, after[0], given[3]);
          return values{binary(builder, operation::maximum, after[0],
                               builder.element(given[2], std::array{index}, index_rule::checked))};
        });
    check([&](graph_builder& builder, const values& given) {
      return builder.repeat(builder.literal(2), values{given[0]},
                            values{given[1], builder.extent(given[1], 0)}, outer);
    });
  }

  TEST_CASE("a loop that meets a reduction's result checks its indices in the phase that evaluates it") {
    // the index changes in no iteration, and is computed in front of both loops
    const graph inner = body_of({iteration, matrix, matrix, whole_row, {i64}},
                                [](graph_builder& builder, const values& given) -> values {
                                  const graph_value index = index_within(builder, given[2], given[4]);
                                  return {builder.element(given[3], std::array{index}, index_rule::checked)};
                                });
    const graph outer = body_of({iteration, matrix, matrix, whole_row, {i64}},
                                [&](graph_builder& builder, const values& given) {
                                  return builder.repeat(builder.literal(2), values{given[1]},
                                                        values{given[2], given[3], given[4]}, inner);
                                });
    for (const graph& looped : {inner, outer})
      for (const unsigned axis : {0u, 1u})
        check([&](graph_builder& builder, const values& given) -> values {
          const values made = builder.repeat(builder.literal(1), values{given[0]},
                                             values{given[0], given[1], builder.extent(given[1], 0)}, looped);
          const graph_value most = builder.reduce(operation::max, given[0], 1u << axis, true);
          return {binary(builder, operation::add, made[0], most)};
        });
  }

  TEST_CASE("elements are reduced and scanned along each axis") {
    for (const unsigned axis : {0u, 1u})
      check([&](graph_builder& builder, const values& given) -> values {
        const values made = builder.repeat(builder.literal(2), values{given[0]},
                                           values{given[1], builder.extent(given[1], 0)}, chooses_from_row());
        return {builder.reduce(operation::max, made[0], 1u << axis),
                builder.scan(operation::cumsum, number(builder, made[0]), axis)};
      });
  }
}

TEST_SUITE("graphs of bodies that take elements") {
  TEST_CASE("are the same after their bytes, and say what they read") {
    const graph made = graph_of({matrix, row}, [](graph_builder& builder, const values& given) {
      return builder.repeat(builder.literal(2), values{given[0]},
                            values{given[1], builder.extent(given[1], 0)}, chooses_from_row());
    });
    graph read;
    std::string fault;
    CHECK(read_graph(to_bytes(made), read, fault, {}));
    CHECK(fault.empty());
    CHECK(read.same_content(made));
    CHECK(to_string(made).find("element(n2, n") != std::string::npos);
  }

  TEST_CASE("what is whole is no value, and what is a value is not whole") {
    graph_builder builder;
    builder.restart();
    const graph_value source = builder.whole_input(f32, 1), index = builder.input(i64, 0);
    CHECK_THROWS_AS(builder.element(index, std::array{index}, index_rule::checked), type_error);
    CHECK_THROWS_AS(builder.element(source, std::array{index, index}, index_rule::checked), type_error);
    CHECK_THROWS_AS(builder.element(source, std::array{source}, index_rule::checked), type_error);
    CHECK_THROWS_AS(builder.whole_input(f32, 0), shape_error);
    graph_builder doubled;
    doubled.restart();
    doubled.input(i64, 0);
    const graph_value state = doubled.input(f32, 1), array = doubled.whole_input(f32, 1);
    doubled.output(doubled.apply(operation::add, {state, array}));
    graph_builder function;
    function.restart();
    const graph_value x = function.input(f32, 1);
    CHECK_THROWS_AS(function.repeat(function.literal(2), std::array{x}, std::array{x}, doubled.recorded()),
                    type_error);
  }
}

}  // namespace sinter::test
