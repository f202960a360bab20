// Runs LLVM code so that an abort in LLVM does not end the process.
#pragma once

#include <string>

#include "llvm/ADT/STLFunctionalExtras.h"

namespace sinter::inline v0::cpu_compiler {

// Runs `work` on a separate thread. Returns true if it finished; otherwise LLVM aborted and `reason` has the
// message. Memory of the abandoned work leaks, including its stack; nothing else does.
bool run_guarded(llvm::function_ref<void()> work, std::string& reason);

// True on the thread of run_guarded after LLVM aborted, even if the library it called (LLD) recovered from
// that.
bool has_given_up();

}  // namespace sinter::inline v0::cpu_compiler
