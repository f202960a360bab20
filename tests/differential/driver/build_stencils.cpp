#include "build_stencils.hpp"

#include <stdexcept>

namespace differential {

sinter::graph_value add_stencil(sinter::graph_builder& builder, const value_line& value,
                                std::span<const sinter::graph_value> operands) {
  const auto mode = static_cast<sinter::convolution>(value.setting);
  if (value.operation == "diff") return sinter::diff(builder, operands[0], value.setting, value.axes);
  if (value.operation == "gradient")
    return sinter::gradient(builder, operands[0], operands[1], value.axes,
                            static_cast<sinter::edge_order>(value.setting));
  if (value.operation == "trapezoid") return sinter::trapezoid(builder, operands[0], operands[1], value.axes);
  if (value.operation == "convolve")
    return sinter::convolve(builder, operands[0], operands[1], mode, value.axes);
  if (value.operation == "correlate")
    return sinter::correlate(builder, operands[0], operands[1], mode, value.axes);
  throw std::runtime_error("driver: no stencil " + value.operation);
}

}  // namespace differential
