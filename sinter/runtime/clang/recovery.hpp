// Runs a piece of LLVM so that LLVM's giving up does not end the process.
#pragma once

#include <string>

#include "llvm/ADT/STLFunctionalExtras.h"

namespace sinter::cpu_compiler {

// Runs `work` on a thread of its own. Returns true if it came to its end; otherwise LLVM gave up and `reason`
// says why. What the abandoned work held in memory is lost, its stack included; nothing else is.
bool run_guarded(llvm::function_ref<void()> work, std::string& reason);

// True on the thread of run_guarded once LLVM gave up, even where the one it called (LLD) survived that by
// itself.
bool has_given_up();

}  // namespace sinter::cpu_compiler
