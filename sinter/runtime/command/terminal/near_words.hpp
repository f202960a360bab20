#pragma once
// Detects unknown words of a command line and suggests corrections.

#include <optional>
#include <string>
#include <vector>

#include "../command_node.hpp"

namespace sinter::inline v0::command {

/// An unknown command or option: where it is, and the message.
struct unknown_word {
  std::string path;  ///< "sinter cache": the command whose help to show
  std::string text;  ///< "'sinter cache' has no command 'lst': did you mean 'list'?"
};
/// The first unknown word of a command line (without the program's name); nullopt if all words are known and
/// something else is wrong.
std::optional<unknown_word> find_unknown_word(const command_node& root,
                                              const std::vector<std::string>& words);

}  // namespace sinter::inline v0::command
