// Compiles C++ text to a relocatable ELF object, with Clang in this process.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "llvm/ADT/SmallVector.h"

namespace sinter::inline v0::cpu_compiler {

// Code that is linked with the source before optimisation.
struct linked_code {
  std::string_view bytes;
  std::string name;
  bool is_text = false;  // else LLVM bitcode
};

struct compile_job {
  std::string_view source;
  std::string source_name;
  std::string target_cpu;
  std::string target_features;  // "+avx2,-sse4a"; may be empty
  std::vector<std::string> options;
  std::vector<linked_code> linked;
  bool assembly = false;  // assembly text instead of an object
};

// Appends the object, or its assembly, to `object` and diagnostics to `log`; returns false if Clang reported
// an error. Touches no file. Must run inside run_guarded.
bool compile_to_object(const compile_job& job, llvm::SmallVectorImpl<char>& object, std::string& log);

// "clang 19.1.7"
const char* compiler_version();

}  // namespace sinter::inline v0::cpu_compiler
