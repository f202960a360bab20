// A program's layouts as views of its buffers.
#pragma once

#include <sinter/sinter.hpp>

#include <vector>

#include "program.hpp"

namespace differential {

sinter::any_view view_of(const program& source, const layout& at);

/// The program's inputs, in order.
std::vector<sinter::any_view> operands_of(const program& source);

/// The arrays that outputs are written to; empty if the program has none.
std::vector<sinter::any_view> targets_of(const program& source);

}  // namespace differential
