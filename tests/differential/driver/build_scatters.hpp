// Lines that write at positions that are values, as nodes.
#pragma once

#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/sinter.hpp>

#include <cstddef>
#include <span>

#include "program.hpp"

namespace differential {

/// Adds a line for which is_scattering() holds.
sinter::graph_value add_scattering(sinter::graph_builder& builder, const value_line& value,
                                   std::span<const sinter::graph_value> operands);

/// How many of the last operands of such a line are integers that the host knows before a call.
std::size_t integers_of_scattering(const value_line& value);

}  // namespace differential
