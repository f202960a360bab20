// Kernels in which it is known late, after a loop or in a later stage, whether an element is used whose index
// is out of range, beside the interpreter.

#include "../bodies/check_kernels.hpp"

namespace sinter::test {
namespace {

const std::initializer_list<shape> shapes_of_sources = {{7, 33}, {1, 1},    {40, 128}, {3, 2000},
                                                        {5, 1},  {300, 4},  {2, 9000}, {1, 40000},
                                                        {6, 6},  {9000, 3}, {0, 7}};

template <class Made>
void check(Made made, std::initializer_list<shape> shapes = shapes_of_sources) {
  check_kernels(graph_of({matrix, row}, made), shapes);
}

graph_value binary(graph_builder& builder, operation op, graph_value a, graph_value b) {
  return builder.apply(op, {a, b});
}
/// Whole numbers of a matrix, whose sums have the same bits in any order.
graph_value whole(graph_builder& builder, graph_value x) {
  return builder.cast(binary(builder, operation::multiply, x, builder.literal(10007.f)), i32);
}
/// Of each element, along its row, one at an index that is in range where `inside` is true.
graph_value gathered(graph_builder& builder, graph_value x, graph_value inside) {
  const graph_value n = builder.extent(x, 1);
  const graph_value index = binary(builder, operation::remainder, builder.cast(whole(builder, x), i64), n);
  const graph_value beyond = binary(builder, operation::add, index, n);
  return builder.gather(whole(builder, x), builder.apply(operation::where, {inside, index, beyond}), 1,
                        index_rule::checked, 1);
}
/// Whether the rows' number is even, one for each row.
graph_value even_row(graph_builder& builder, graph_value x) {
  const graph_value rest =
      binary(builder, operation::remainder, builder.coordinate(x, 0), builder.literal(2, i64));
  return binary(builder, operation::equal, rest, builder.literal(0, i64));
}
/// The same, where only a sum of the row says so; it keeps its axis.
graph_value even_sum(graph_builder& builder, graph_value x) {
  const graph_value is_odd = builder.apply(operation::logical_not, {even_row(builder, x)});
  const graph_value sum = builder.reduce(operation::sum, builder.cast(is_odd, i32), 2);
  const view_item items[] = {{}, {view_item::kind::newaxis, {}, {}, {}}};
  return builder.view(binary(builder, operation::equal, sum, builder.literal(0, i64)), items);
}
graph_value without_axis(graph_builder& builder, graph_value x) {
  return builder.reduce(operation::all, x, 2);
}
graph_value chosen(graph_builder& builder, graph_value condition, graph_value x) {
  return builder.apply(operation::where, {condition, x, builder.literal(-1, i64)});
}

}  // namespace

TEST_SUITE("kernels of used elements") {
  TEST_CASE("sums of rows that another sum chooses") {
    check([](graph_builder& builder, const values& given) -> values {
      const graph_value made = gathered(builder, given[0], even_row(builder, given[0]));
      const graph_value even = without_axis(builder, even_sum(builder, given[0]));
      return {chosen(builder, even, builder.reduce(operation::sum, made, 2)),
              chosen(builder, even, builder.cast(builder.reduce(operation::argmax, made, 2), i64))};
    });
  }

  TEST_CASE("elements that a sum of their row chooses") {
    check([](graph_builder& builder, const values& given) -> values {
      const graph_value made = gathered(builder, given[0], even_row(builder, given[0]));
      return {chosen(builder, even_sum(builder, given[0]), builder.cast(made, i64))};
    });
  }

  TEST_CASE("scans that are used up to an element") {
    check([](graph_builder& builder, const values& given) -> values {
      const graph_value half =
          binary(builder, operation::floor_divide, builder.extent(given[0], 1), builder.literal(2, i64));
      const graph_value inside =
          binary(builder, operation::less_equal, builder.coordinate(given[0], 1), half);
      const graph_value made = gathered(builder, given[0], inside);
      return {chosen(builder, inside, builder.scan(operation::cumsum, made, 1)),
              chosen(builder, inside, builder.cast(builder.scan(operation::cummax, made, 1), i64))};
    });
  }

  TEST_CASE("elements that a scan chooses") {
    check([](graph_builder& builder, const values& given) -> values {
      const graph_value inside =
          binary(builder, operation::less, builder.coordinate(given[0], 1), builder.literal(3, i64));
      const graph_value made = gathered(builder, given[0], inside);
      const graph_value counted = builder.scan(
          operation::cumsum,
          builder.cast(binary(builder, operation::greater, given[0], builder.literal(0.f)), i32), 1);
      const graph_value begins = binary(builder, operation::less_equal, counted, builder.literal(3, i64));
      return {chosen(builder, begins, builder.cast(made, i64))};
    });
  }

  TEST_CASE("sums along both axes, stored before they are read at indices") {
    check([](graph_builder& builder, const values& given) -> values {
      const graph_value made = gathered(builder, given[0], even_row(builder, given[0]));
      const graph_value sums = builder.reduce(operation::sum, made, 2);
      const graph_value row = builder.coordinate(sums, 0);
      const graph_value even = binary(builder, operation::subtract, row,
                                      binary(builder, operation::remainder, row, builder.literal(2, i64)));
      const graph_value moved = builder.gather(sums, even, 0, index_rule::checked, 0);
      return {moved, binary(builder, operation::add, moved, builder.reduce(operation::sum, moved, 1))};
    });
  }
}

}  // namespace sinter::test
