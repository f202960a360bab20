#include "build_products.hpp"

#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/dsl/products/compose_products.hpp>

#include <stdexcept>
#include <string>

namespace differential {

sinter::graph_value add_product(sinter::graph_builder& builder, const value_line& value,
                                std::span<const sinter::graph_value> operands) {
  if (value.operation == "matmul") return sinter::matmul(builder, operands[0], operands[1]);
  if (value.operation == "dot") return sinter::dot(builder, operands[0], operands[1]);
  if (value.operation == "vecdot")
    return sinter::vecdot(builder, operands[0], operands[1], std::stoi(value.rule));
  if (value.operation == "outer") return sinter::outer(builder, operands[0], operands[1]);
  if (value.operation == "einsum") return sinter::einsum(builder, value.rule, operands);
  throw std::runtime_error("driver: no product " + value.operation);
}

}  // namespace differential
