// Differences, slopes, areas and convolutions of every element type: kernels of each device, and CUDA's texts
// in the simulator, beside the interpreter.

#include "../bodies/check_kernels.hpp"

#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/dsl/stencils/compose_convolution.hpp>
#include <sinter/dsl/stencils/compose_differences.hpp>

namespace sinter::test {
namespace {

constexpr element_type types[] = {element_type::boolean, element_type::int8,    element_type::uint16,
                                  element_type::int64,   element_type::float16, element_type::bfloat16,
                                  element_type::float32, element_type::float64, element_type::complex64};

graph_value binary(graph_builder& builder, operation op, graph_value a, graph_value b) {
  return builder.apply(op, {a, b});
}
/// Whole numbers from 0 to 7, whose sums are exact in any order and type.
graph_value whole_numbers(graph_builder& builder, graph_value x, element_type type) {
  const graph_value scaled = binary(builder, operation::multiply, x, builder.literal(1000.f));
  const graph_value whole = builder.cast(scaled, i32);
  return builder.cast(binary(builder, operation::remainder, whole, builder.literal(8)), type);
}
/// Results of complex numbers as two of real ones.
values results_of(graph_builder& builder, graph_value made) {
  if (!is_complex(made.type.type)) return {made};
  return {builder.apply(operation::real, {made}), builder.apply(operation::imag, {made})};
}

/// Every type along one of both axes, and float32 along both.
template <class Make>
void check_each_type(std::initializer_list<shape> shapes, Make make) {
  unsigned axis = 0;
  const auto check = [&](element_type type) {
    axis = 1 - axis;
    CAPTURE(std::string(facts_of(type).name));
    CAPTURE(axis);
    check_kernels(graph_of({matrix, row},
                           [&](graph_builder& builder, const values& given) -> values {
                             const graph_value x = whole_numbers(builder, given[0], type);
                             return results_of(builder, make(builder, x, given[1], axis));
                           }),
                  shapes);
  };
  for (const element_type type : types) check(type);
  check(element_type::float32);
}

}  // namespace

TEST_SUITE("kernels of stencils") {
  TEST_CASE("differences of every type and order") {
    for (const std::int64_t order : {1, 3})
      check_each_type({{7, 33}, {3, 1}}, [&](graph_builder& builder, graph_value x, graph_value,
                                             unsigned axis) { return diff(builder, x, order, axis); });
  }
  TEST_CASE("slopes of every type, with both kinds of ends") {
    for (const edge_order ends : {edge_order::first, edge_order::second})
      check_each_type({{7, 33}, {3, 3}},
                      [&](graph_builder& builder, graph_value x, graph_value, unsigned axis) {
                        return gradient(builder, x, builder.literal(0.5f), axis, ends);
                      });
  }
  TEST_CASE("slopes between coordinates") {
    for (const edge_order ends : {edge_order::first, edge_order::second})
      check_kernels(graph_of({matrix, row},
                             [&](graph_builder& builder, const values& given) -> values {
                               const graph_value at = builder.coordinate(given[1], 0);
                               return {gradient(builder, whole_numbers(builder, given[0], f32), at, 1, ends)};
                             }),
                    {{7, 33}, {40, 20}, {1, 3}});
  }
  TEST_CASE("areas of every type") {
    check_each_type({{7, 33}, {3, 1}, {1, 5}},
                    [](graph_builder& builder, graph_value x, graph_value, unsigned axis) {
                      return trapezoid(builder, x, builder.literal(2.f), axis);
                    });
  }
  TEST_CASE("convolutions of every type and mode, with kernels that are shorter and longer than the axis") {
    for (const convolution mode : {convolution::full, convolution::same, convolution::valid})
      check_each_type({{7, 33}, {20, 5}},
                      [&](graph_builder& builder, graph_value x, graph_value given, unsigned axis) {
                        const graph_value kernel = whole_numbers(builder, given, x.type.type);
                        return mode == convolution::full ? correlate(builder, x, kernel, mode, axis)
                                                         : convolve(builder, x, kernel, mode, axis);
                      });
  }
}

}  // namespace sinter::test
