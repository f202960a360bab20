// Kernels before and after a sort, on each device and as CUDA's texts in the simulator, specialised and
// shape-generic, beside the interpreter.

#include "../bodies/check_kernels.hpp"

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
