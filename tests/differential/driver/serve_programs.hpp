// Reads programs from the standard input, runs each, and writes an answer for each to the standard output.
#pragma once

#include <functional>
#include <string>

#include "program.hpp"

namespace differential {

/// Runs every program of the input by `run`, which returns the answer (write_results.hpp) or throws. Returns
/// the process's exit status.
int serve_programs(const std::function<std::string(program&)>& run);

}  // namespace differential
