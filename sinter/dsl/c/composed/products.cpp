// Builders: products of arrays.
#include <sinter/products.h>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/dsl/c/builder_values.hpp>
#include <sinter/dsl/c/failures.hpp>
#include <sinter/dsl/products/compose_products.hpp>

#include <vector>

using namespace sinter;
using c::added;

sinter_status sinter_builder_matmul(sinter_builder* builder, sinter_value a, sinter_value b,
                                    sinter_value* result) {
  return added("sinter_builder_matmul", builder, result, [&](sinter_builder& at) {
    return matmul(at.graph, c::value_of(at, a), c::value_of(at, b, 1), c::no_place);
  });
}

sinter_status sinter_builder_dot(sinter_builder* builder, sinter_value a, sinter_value b,
                                 sinter_value* result) {
  return added("sinter_builder_dot", builder, result, [&](sinter_builder& at) {
    return dot(at.graph, c::value_of(at, a), c::value_of(at, b, 1), c::no_place);
  });
}

sinter_status sinter_builder_vecdot(sinter_builder* builder, sinter_value a, sinter_value b, int32_t axis,
                                    sinter_value* result) {
  return added("sinter_builder_vecdot", builder, result, [&](sinter_builder& at) {
    return vecdot(at.graph, c::value_of(at, a), c::value_of(at, b, 1), axis, c::no_place);
  });
}

sinter_status sinter_builder_outer(sinter_builder* builder, sinter_value a, sinter_value b,
                                   sinter_value* result) {
  return added("sinter_builder_outer", builder, result, [&](sinter_builder& at) {
    return outer(at.graph, c::value_of(at, a), c::value_of(at, b, 1), c::no_place);
  });
}

sinter_status sinter_builder_einsum(sinter_builder* builder, const char* subscripts,
                                    const sinter_value* operands, size_t operand_count,
                                    sinter_value* result) {
  return added("sinter_builder_einsum", builder, result, [&](sinter_builder& at) {
    const char* const text = &c::checked(subscripts, "the subscripts");
    std::vector<graph_value> values;
    for (size_t i = 0; i < operand_count; ++i)
      values.push_back(c::value_of(at, c::checked(operands + i, "the operands"), i));
    return einsum(at.graph, text, values, c::no_place);
  });
}
