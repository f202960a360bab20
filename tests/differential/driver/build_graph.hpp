// Builds graphs from a program's values.
#pragma once

#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/sinter.hpp>

#include <span>

#include "program.hpp"

namespace differential {

sinter::arithmetic_mode mode_of(const program& source);

/// Adds the node of one value, which is not an input, to a graph; of a loop or `when` returns one result.
sinter::graph_value add_value(sinter::graph_builder& builder, const value_line& value,
                              std::span<const sinter::graph_value> operands, unsigned component = 0);

/// Adds all values and outputs of a program to a graph that has its inputs.
void add_program(sinter::graph_builder& builder, const program& source,
                 std::span<const sinter::graph_value> inputs);

}  // namespace differential
