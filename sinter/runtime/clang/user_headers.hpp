// A user's text with the headers that it includes put in their places.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sinter::cpu_compiler {

struct expand_job {
  std::string_view source;
  std::string source_name;
  std::vector<std::string> folders;  // where headers are looked for, in this order, after the includer's own
  std::vector<std::string> macros;   // "NAME" or "NAME=VALUE", as the compiler of the text defines them
};

// Runs Clang's preprocessor over the text once and writes it to `expanded` with every header that was entered
// in the place of its directive. Conditions and macros stay as they are, so that the text's own compiler
// decides them; no path is left in it. Returns false with the reason in `log`: of a header that is missing
// the chain of those that include it. Reads files. Must run inside run_guarded.
bool expand_headers(const expand_job& job, std::string& expanded, std::string& log);

}  // namespace sinter::cpu_compiler
