// Lines that multiply arrays, as nodes.
#pragma once

#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/sinter.hpp>

#include <span>

#include "program.hpp"

namespace differential {

/// Adds a line for which is_product() holds.
sinter::graph_value add_product(sinter::graph_builder& builder, const value_line& value,
                                std::span<const sinter::graph_value> operands);

}  // namespace differential
