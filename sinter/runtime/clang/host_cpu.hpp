// The machine this process runs on, as LLVM names it.
#pragma once

#include <string>

namespace sinter::cpu_compiler {

struct host_description {
  std::string cpu;  // LLVM's cpu name, e.g. "znver3"
  std::string
      features;  // "+avx,+avx2,…": all that the host has, then what the name implies and the host lacks
};

// Asks the processor once; the answer never changes while the process lives.
const host_description& host();

}  // namespace sinter::cpu_compiler
