// Builders: elements in order along an axis.
#include <sinter/order.h>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/dsl/c/builder_values.hpp>
#include <sinter/dsl/c/failures.hpp>
#include <sinter/dsl/order/compose_order.hpp>
#include <sinter/dsl/random/compose_permutation.hpp>

using namespace sinter;
using c::added;

sinter_status sinter_builder_argsort(sinter_builder* builder, sinter_value x, int32_t axis,
                                     sinter_value* result) {
  return added("sinter_builder_argsort", builder, result, [&](sinter_builder& at) {
    const graph_value elements = c::value_of(at, x);
    return argsort(at.graph, elements, c::axis_of(axis, elements.rank), c::no_place);
  });
}

sinter_status sinter_builder_sort(sinter_builder* builder, sinter_value x, int32_t axis,
                                  sinter_value* result) {
  return added("sinter_builder_sort", builder, result, [&](sinter_builder& at) {
    const graph_value elements = c::value_of(at, x);
    return sort(at.graph, elements, c::axis_of(axis, elements.rank), c::no_place);
  });
}

sinter_status sinter_builder_top_elements(sinter_builder* builder, sinter_value x, int32_t count,
                                          int32_t axis, sinter_value* result) {
  return added("sinter_builder_top_elements", builder, result, [&](sinter_builder& at) {
    const graph_value elements = c::value_of(at, x);
    return top_elements(at.graph, elements, c::axis_of(axis, elements.rank), count, c::no_place);
  });
}

sinter_status sinter_builder_top_positions(sinter_builder* builder, sinter_value x, int32_t count,
                                           int32_t axis, sinter_value* result) {
  return added("sinter_builder_top_positions", builder, result, [&](sinter_builder& at) {
    const graph_value elements = c::value_of(at, x);
    return top_positions(at.graph, elements, c::axis_of(axis, elements.rank), count, c::no_place);
  });
}

sinter_status sinter_builder_median(sinter_builder* builder, sinter_value x, int32_t axis,
                                    sinter_value* result) {
  return added("sinter_builder_median", builder, result, [&](sinter_builder& at) {
    const graph_value elements = c::value_of(at, x);
    return median(at.graph, elements, c::axis_of(axis, elements.rank), c::no_place);
  });
}

sinter_status sinter_builder_quantile(sinter_builder* builder, sinter_value x, sinter_value q, int32_t axis,
                                      sinter_value* result) {
  return added("sinter_builder_quantile", builder, result, [&](sinter_builder& at) {
    const graph_value elements = c::value_of(at, x);
    return quantile(at.graph, elements, c::value_of(at, q, 1), c::axis_of(axis, elements.rank), c::no_place);
  });
}

sinter_status sinter_builder_first_of_equal(sinter_builder* builder, sinter_value x, sinter_value* result) {
  return added("sinter_builder_first_of_equal", builder, result,
               [&](sinter_builder& at) { return first_of_equal(at.graph, c::value_of(at, x), c::no_place); });
}

sinter_status sinter_builder_permutation(sinter_builder* builder, sinter_value n, sinter_value seed,
                                         sinter_value sequence, sinter_value* result) {
  return added("sinter_builder_permutation", builder, result, [&](sinter_builder& at) {
    return rng::permutation(at.graph, c::value_of(at, n),
                            {c::value_of(at, seed, 1), c::value_of(at, sequence, 2)}, c::no_place);
  });
}

sinter_status sinter_builder_shuffled(sinter_builder* builder, sinter_value x, sinter_value seed,
                                      sinter_value sequence, int32_t axis, sinter_value* result) {
  return added("sinter_builder_shuffled", builder, result, [&](sinter_builder& at) {
    const graph_value elements = c::value_of(at, x);
    return rng::shuffled(at.graph, elements, c::axis_of(axis, elements.rank),
                         {c::value_of(at, seed, 1), c::value_of(at, sequence, 2)}, c::no_place);
  });
}
