// From C++ text to machine code by the passes that the emitter's texts need, for kernels that nothing is
// linked into.
#pragma once

#include <string>

#include "clang/Frontend/CompilerInstance.h"
#include "llvm/ADT/SmallVector.h"

namespace sinter::inline v0::cpu_compiler {

// Appends the object, or its assembly, to `made`, and errors of LLVM to `log`; returns false if Clang or LLVM
// reported an error. The instance is ready to read its input.
bool compile_kernel(clang::CompilerInstance& instance, bool assembly, llvm::SmallVectorImpl<char>& made,
                    std::string& log);

}  // namespace sinter::inline v0::cpu_compiler
