// Lines that put arrays together or take them apart, or search in sorted arrays, as nodes.
#pragma once

#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/sinter.hpp>

#include <span>
#include <string>

#include "program.hpp"

namespace differential {

/// Adds a line for which is_part() holds.
sinter::graph_value add_part(sinter::graph_builder& builder, const value_line& value,
                             std::span<const sinter::graph_value> operands);

/// Adds a line for which is_search() holds.
sinter::graph_value add_search(sinter::graph_builder& builder, const value_line& value,
                               std::span<const sinter::graph_value> operands);

sinter::index_rule index_rule_named(const std::string& name);

/// Whether an operand of a line is an integer that the host knows before a call.
bool is_integer_of_part(const value_line& value, std::size_t operand);

}  // namespace differential
