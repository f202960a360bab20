// The processor of this machine, in LLVM's terms.
#pragma once

#include <string>

namespace sinter::inline v0::cpu_compiler {

struct host_description {
  std::string cpu;       // LLVM's cpu name, e.g. "znver3"
  std::string features;  // "+avx,+avx2,…": all features present, then those that the name implies but the
                         // processor lacks
};

// Queries the processor once; the result is constant.
const host_description& host();

}  // namespace sinter::inline v0::cpu_compiler
