#include "build_order.hpp"

#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/rng.hpp>

#include <stdexcept>

namespace differential {

sinter::graph_value add_order(sinter::graph_builder& builder, const value_line& value,
                              std::span<const sinter::graph_value> operands) {
  const sinter::graph_value x = operands[0];
  const unsigned axis = value.axes;
  if (value.operation == "argsort") return sinter::argsort(builder, x, axis);
  if (value.operation == "sort") return sinter::sort(builder, x, axis);
  if (value.operation == "sort_values")
    return builder.gather(operands[1], sinter::argsort(builder, x, axis), axis, sinter::index_rule::clip,
                          axis);
  if (value.operation == "top_positions") return sinter::top_positions(builder, x, axis, value.setting);
  if (value.operation == "top_elements") return sinter::top_elements(builder, x, axis, value.setting);
  if (value.operation == "median") return sinter::median(builder, x, axis);
  if (value.operation == "quantile") return sinter::quantile(builder, x, operands[1], axis);
  if (value.operation == "first_of_equal") return sinter::first_of_equal(builder, x);
  if (value.operation == "permutation")
    return sinter::rng::permutation(builder, x, {operands[1], operands[2]});
  if (value.operation == "shuffled")
    return sinter::rng::shuffled(builder, x, axis, {operands[1], operands[2]});
  if (value.operation == "unique")
    return sinter::compress(builder, sinter::sort(builder, x, 0), sinter::first_of_equal(builder, x));
  throw std::runtime_error("driver: no order " + value.operation);
}

}  // namespace differential
