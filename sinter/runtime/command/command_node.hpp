#pragma once
// The tree of subcommands as plain data: help, manual page and completion are written from it alone.

#include <string>
#include <string_view>
#include <vector>

namespace sinter::command {

/// An option or, where it has no dashes, an argument.
struct option_node {
  std::vector<std::string> names;    ///< "-d", "--directory"; of an argument "KEY"
  std::string value;                 ///< "DIR": what it takes; "" for a flag
  std::vector<std::string> choices;  ///< values that it takes, if it is one of a few
  std::string help;
  bool required = false;
  bool is_argument() const { return names.front().front() != '-'; }
};

struct command_node {
  std::string name;
  std::string summary;  ///< a line
  std::string details;  ///< more, for its own help; may be empty
  std::vector<std::string> examples;
  std::vector<option_node> options;
  std::vector<command_node> commands;
};

/// What --help prints. `path` is how the command was reached: "sinter cache list".
std::string help_of(const command_node& of, std::string_view path);
/// The manual page of all commands, sinter(1), for man.
std::string manual_of(const command_node& root);
/// A script that makes a shell ("bash", "zsh" or "fish") complete the command's words.
std::string completion_of(const command_node& root, std::string_view shell);

}  // namespace sinter::command
