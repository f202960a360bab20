#pragma once
// The tree of subcommands as plain data, from which help, manual page and completion are generated.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace sinter::inline v0::command {

/// An option or, if it has no dashes, an argument.
struct option_node {
  std::vector<std::string> names;    ///< "-d", "--directory"; of an argument "KEY"
  std::string value;                 ///< "DIR": its value; "" for a flag
  std::vector<std::string> choices;  ///< the permitted values, if there are only a few
  std::string help;
  bool required = false;
  bool is_argument() const { return names.front().front() != '-'; }
};

struct command_node {
  std::string name;
  std::string summary;  ///< one line
  std::string details;  ///< more text for its own help; may be empty
  std::vector<std::string> examples;
  std::vector<option_node> options;
  std::vector<command_node> commands;
  /// Whether it is a command without one of `commands`, too.
  bool has_arguments() const {
    return std::ranges::any_of(options, [](const option_node& each) { return each.is_argument(); });
  }
};

/// The output of --help. `path` is the full name of the command: "sinter cache list".
std::string help_of(const command_node& of, std::string_view path);
/// The manual page of all commands, sinter(1), for man.
std::string manual_of(const command_node& root);
/// A completion script for a shell ("bash", "zsh" or "fish").
std::string completion_of(const command_node& root, std::string_view shell);

}  // namespace sinter::inline v0::command
