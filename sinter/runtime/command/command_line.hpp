#pragma once
// The one description of all subcommands and options, and what runs them.

#include "command_node.hpp"
#include "failure.hpp"

namespace sinter::command {

/// Reads the command line and does what it says. Throws nothing: what fails is told on standard error (with
/// --json on standard output as well) and answered by the code.
exit_code run(int count, const char* const* words);

/// The tree that run() accepts.
command_node command_tree();

}  // namespace sinter::command
