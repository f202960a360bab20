// Lines that put arrays together or take them apart, as nodes.
#pragma once

#include <sinter/sinter.hpp>

#include <span>

#include "program.hpp"

namespace differential {

/// Adds a line for which is_part() holds.
sinter::graph_value add_part(sinter::graph_builder& builder, const value_line& value,
                             std::span<const sinter::graph_value> operands);

/// Whether an operand of a line is an integer that the host knows before a call.
bool is_integer_of_part(const value_line& value, std::size_t operand);

}  // namespace differential
