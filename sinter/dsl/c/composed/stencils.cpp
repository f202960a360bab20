// Builders: differences, slopes, areas and convolutions along an axis.
#include <sinter/stencils.h>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/dsl/c/builder_values.hpp>
#include <sinter/dsl/c/failures.hpp>
#include <sinter/dsl/stencils/compose_convolution.hpp>
#include <sinter/dsl/stencils/compose_differences.hpp>

#include <string>

using namespace sinter;
using c::added;

namespace {

static_assert(sinter_edge_first == static_cast<int>(edge_order::first));
static_assert(sinter_edge_second == static_cast<int>(edge_order::second));

static_assert(sinter_convolution_full == static_cast<int>(convolution::full));
static_assert(sinter_convolution_same == static_cast<int>(convolution::same));
static_assert(sinter_convolution_valid == static_cast<int>(convolution::valid));

edge_order edge_order_of(sinter_edge_order order) {
  if (order == sinter_edge_first || order == sinter_edge_second) return static_cast<edge_order>(order);
  throw c::invalid_argument("there is no order " + std::to_string(order) + " of ends: they are 1 and 2");
}
convolution convolution_of(sinter_convolution mode) {
  if (mode >= sinter_convolution_full && mode <= sinter_convolution_valid)
    return static_cast<convolution>(mode);
  throw c::invalid_argument("there is no convolution " + std::to_string(mode) +
                            ": they are numbered from 0 to 2");
}

}  // namespace

sinter_status sinter_builder_diff(sinter_builder* builder, sinter_value x, int32_t order, int32_t axis,
                                  sinter_value* result) {
  return added("sinter_builder_diff", builder, result, [&](sinter_builder& at) {
    const graph_value elements = c::value_of(at, x);
    return diff(at.graph, elements, order, c::axis_of(axis, elements.rank), c::no_place);
  });
}

sinter_status sinter_builder_gradient(sinter_builder* builder, sinter_value x, sinter_value spacing,
                                      int32_t axis, sinter_edge_order ends, sinter_value* result) {
  return added("sinter_builder_gradient", builder, result, [&](sinter_builder& at) {
    const graph_value elements = c::value_of(at, x);
    return gradient(at.graph, elements, c::value_of(at, spacing, 1), c::axis_of(axis, elements.rank),
                    edge_order_of(ends), c::no_place);
  });
}

sinter_status sinter_builder_trapezoid(sinter_builder* builder, sinter_value y, sinter_value spacing,
                                       int32_t axis, sinter_value* result) {
  return added("sinter_builder_trapezoid", builder, result, [&](sinter_builder& at) {
    const graph_value elements = c::value_of(at, y);
    return trapezoid(at.graph, elements, c::value_of(at, spacing, 1), c::axis_of(axis, elements.rank),
                     c::no_place);
  });
}

sinter_status sinter_builder_convolve(sinter_builder* builder, sinter_value x, sinter_value kernel,
                                      sinter_convolution mode, int32_t axis, sinter_value* result) {
  return added("sinter_builder_convolve", builder, result, [&](sinter_builder& at) {
    const graph_value elements = c::value_of(at, x);
    return convolve(at.graph, elements, c::value_of(at, kernel, 1), convolution_of(mode),
                    c::axis_of(axis, elements.rank), c::no_place);
  });
}

sinter_status sinter_builder_correlate(sinter_builder* builder, sinter_value x, sinter_value kernel,
                                       sinter_convolution mode, int32_t axis, sinter_value* result) {
  return added("sinter_builder_correlate", builder, result, [&](sinter_builder& at) {
    const graph_value elements = c::value_of(at, x);
    return correlate(at.graph, elements, c::value_of(at, kernel, 1), convolution_of(mode),
                     c::axis_of(axis, elements.rank), c::no_place);
  });
}
