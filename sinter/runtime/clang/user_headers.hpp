// Expands the headers that a user's text includes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sinter::inline v0::cpu_compiler {

struct expand_job {
  std::string_view source;
  std::string source_name;
  std::vector<std::string> folders;  // folders to search, in this order, after the includer's own
  std::vector<std::string> macros;   // "NAME" or "NAME=VALUE", the definitions of the text's compiler
};

// Runs Clang's preprocessor over the text once and writes the text to `expanded`, with each entered header in
// place of its directive. Conditions and macros remain for the text's own compiler; paths do not. Returns
// false with the reason in `log`; for a missing header, with the chain of includes. Reads files. Must run
// inside run_guarded.
bool expand_headers(const expand_job& job, std::string& expanded, std::string& log);

}  // namespace sinter::inline v0::cpu_compiler
