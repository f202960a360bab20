#pragma once
// Completion of a word by bash itself.

#include <utility>

#include <sinter/runtime/command/command_line.hpp>
#include "run_command.hpp"

namespace sinter::test {

/// The candidates that bash offers for the last of these words, in order.
inline words completed(const cache_fixture& cache, const words& typed) {
  // the script calls the command by the first word, which must therefore be found
  std::string line = "source <('" SINTER_COMMAND "' completion bash); COMP_WORDS=(";
  for (const std::string& word : typed) line += " '" + word + "'";
  line +=
      "); COMP_CWORD=" + std::to_string(typed.size() - 1) + "; _sinter; printf '%s\\n' \"${COMPREPLY[@]}\"";
  const std::string folder = std::filesystem::path(SINTER_COMMAND).parent_path();
  const runtime::program_answer answer = runtime::run_program(
      "/usr/bin/env",
      {"SINTER_CACHE_DIR=" + cache.path(), "bash", "--norc", "-c", "PATH='" + folder + "':$PATH; " + line});
  INFO(answer.errors);
  CHECK(answer.errors.empty());
  words made;
  std::string word;
  for (const char letter : answer.output)
    if (letter != '\n')
      word += letter;
    else if (!word.empty())
      made.push_back(std::exchange(word, {}));
  return made;
}

}  // namespace sinter::test
