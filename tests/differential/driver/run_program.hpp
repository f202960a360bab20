// Runs a program through the run-time builder.
#pragma once

#include <string>

#include "program.hpp"

namespace differential {

/// Runs a program as its `variant` says and returns the answer (write_results.hpp has the answer's grammar).
/// Throws what Sinter throws.
std::string run_program(program& source);

}  // namespace differential
