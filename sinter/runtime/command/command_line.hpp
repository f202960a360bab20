#pragma once
// The single description of all subcommands and options, and the function that runs them.

#include "command_node.hpp"
#include "failure.hpp"

namespace sinter::inline v0::command {

/// Parses the command line and runs the subcommand. Throws nothing: failures are printed on standard error
/// (with --json also on standard output) and returned as the code.
exit_code run(int count, const char* const* words);

/// The tree of commands that run() accepts.
command_node command_tree();

}  // namespace sinter::inline v0::command
