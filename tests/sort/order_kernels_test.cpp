// Kernels before and after a sort, on each device and as CUDA's texts in the simulator, specialised and
// shape-generic, beside the interpreter.

#include "../bodies/check_kernels.hpp"

#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/dsl/order/compose_order.hpp>

namespace sinter::test {
namespace {

template <class Made>
void check(Made made) {
  check_kernels(graph_of({matrix, row}, made), {{7, 33}, {1, 1}, {40, 128}, {3, 2000}, {5, 1}});
}

}  // namespace

TEST_SUITE("kernels of sorts") {
  TEST_CASE("positions and elements in order along each axis") {
    for (const unsigned axis : {0u, 1u})
      check([&](graph_builder& builder, const values& given) -> values {
        return {argsort(builder, given[0], axis), sort(builder, given[0], axis)};
      });
  }

  TEST_CASE("keys of each width, and what is computed from sorted elements") {
    for (const element_type type : {element_type::boolean, element_type::int8, element_type::uint16,
                                    element_type::int64, element_type::float16, element_type::float64})
      check([&](graph_builder& builder, const values& given) -> values {
        const graph_value sorted = sort(builder, builder.cast(given[0], type), 1);
        return {builder.reduce(operation::max, builder.cast(sorted, element_type::float32), 2)};
      });
  }

  TEST_CASE("complex numbers, whose parts are one key or two") {
    for (const element_type part : {f32, element_type::float64})
      check([&](graph_builder& builder, const values& given) -> values {
        // few real parts, so that imaginary ones decide
        const graph_value few = builder.apply(
            operation::rint, {builder.apply(operation::multiply, {given[0], builder.literal(3)})});
        const graph_value z =
            builder.apply(operation::make_complex, {builder.cast(few, part), builder.cast(given[0], part)});
        const graph_value sorted = sort(builder, z, 1);
        return {argsort(builder, z, 0), argsort(builder, z, 1), builder.apply(operation::real, {sorted}),
                builder.apply(operation::imag, {sorted})};
      });
  }

  TEST_CASE("the largest elements, medians and quantiles") {
    check([](graph_builder& builder, const values& given) -> values {
      return {top_elements(builder, given[0], 1, 1), top_positions(builder, given[0], 0, 1),
              median(builder, given[0], 1), quantile(builder, given[0], builder.literal(0.25), 0)};
    });
  }

  TEST_CASE("a sort of what another sort gives") {
    check([](graph_builder& builder, const values& given) -> values {
      return {sort(builder, sort(builder, given[0], 0), 1)};
    });
  }
}

}  // namespace sinter::test
