// Scatters of every element type, composed of those of integers: kernels of each device, and CUDA's texts in
// the simulator, beside the interpreter.

#include "../bodies/check_kernels.hpp"

#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/dsl/scatters/compose_scatter.hpp>

namespace sinter::test {
namespace {

constexpr element_type float_types[] = {element_type::float16, element_type::bfloat16, element_type::float32,
                                        element_type::float64};
constexpr element_type narrow_types[] = {element_type::boolean, element_type::int8, element_type::uint8,
                                         element_type::int16, element_type::uint16};

graph_value binary(graph_builder& builder, operation op, graph_value a, graph_value b) {
  return builder.apply(op, {a, b});
}
/// Positions along an axis of n elements, some of them counted from its end.
graph_value positions(graph_builder& builder, graph_value x, graph_value n) {
  const graph_value far = binary(builder, operation::multiply, x, builder.literal(100003.f));
  const graph_value twice = binary(builder, operation::multiply, n, builder.literal(2, i64));
  return binary(builder, operation::subtract,
                binary(builder, operation::remainder, builder.cast(far, i64), twice), n);
}
/// Numbers of both signs and of very different sizes, by products that every device rounds alike.
graph_value numbers(graph_builder& builder, graph_value x, float shift) {
  const graph_value centred = binary(builder, operation::subtract, x, builder.literal(0.5f + shift));
  const graph_value square = binary(builder, operation::multiply, centred, centred);
  const graph_value fifth =
      binary(builder, operation::multiply, binary(builder, operation::multiply, square, square), centred);
  return binary(builder, operation::multiply, fifth, builder.literal(1000.f));
}

void check_type(element_type type, scatter_combine combine, unsigned axis, bool of_rows) {
  CAPTURE(std::string(facts_of(type).name));
  CAPTURE(static_cast<int>(combine));
  CAPTURE(axis);
  check_kernels(
      graph_of({matrix, row},
               [&](graph_builder& builder, const values& given) -> values {
                 const graph_value base = builder.cast(numbers(builder, given[0], 0.1f), type);
                 const graph_value from =
                     of_rows ? builder.reduce(operation::max, given[0], 2u >> axis) : given[0];
                 const graph_value index = positions(builder, from, builder.extent(given[0], axis));
                 const graph_value updates = builder.cast(numbers(builder, given[0], 0.f), type);
                 const graph_value made =
                     scatter(builder, base, index, updates, {axis, combine, scatter_rule::reported});
                 if (!is_complex(type)) return {made};
                 return {builder.apply(operation::real, {made}), builder.apply(operation::imag, {made})};
               }),
      {{7, 33}, {40, 20}, {5, 1}});
}

}  // namespace

TEST_SUITE("scatters of every type") {
  TEST_CASE("sums of floating-point numbers") {
    for (const element_type type : float_types)
      for (const unsigned axis : {0u, 1u}) check_type(type, scatter_combine::add, axis, false);
  }
  TEST_CASE("minima and maxima of floating-point numbers") {
    for (const element_type type : float_types) {
      check_type(type, scatter_combine::minimum, 0, false);
      check_type(type, scatter_combine::maximum, 1, true);
    }
  }
  TEST_CASE("integers and booleans that are not updated in memory") {
    for (const element_type type : narrow_types)
      for (const scatter_combine combine :
           {scatter_combine::add, scatter_combine::minimum, scatter_combine::maximum})
        check_type(type, combine, 0, false);
  }
  TEST_CASE("sums of complex numbers") {
    check_type(element_type::complex64, scatter_combine::add, 1, false);
  }
  TEST_CASE("the last update stays, of any type, by rows and by elements") {
    for (const element_type type : {element_type::float32, element_type::int8, element_type::complex64})
      for (const unsigned axis : {0u, 1u})
        for (const bool of_rows : {false, true}) check_type(type, scatter_combine::last, axis, of_rows);
  }
}

}  // namespace sinter::test
