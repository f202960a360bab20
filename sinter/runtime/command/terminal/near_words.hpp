#pragma once
// What is wrong with words that the command does not know, and what may have been meant.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../command_node.hpp"

namespace sinter::command {

/// The one of the candidates that was probably meant: a few letters differ, or it begins so. "" if none is
/// near.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

/// A word that no command or option is called: where it was said, and what to say about it.
struct unknown_word {
  std::string path;  ///< "sinter cache": whose help tells more
  std::string text;  ///< "'sinter cache' has no command 'lst': did you mean 'list'?"
};
/// The first such word of a command line (without the program's name); nullopt where the words are known and
/// something else is wrong.
std::optional<unknown_word> find_unknown_word(const command_node& root,
                                              const std::vector<std::string>& words);

}  // namespace sinter::command
