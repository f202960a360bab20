// Links a relocatable ELF object to a shared object, with LLD in this process.
#pragma once

#include <string>
#include <vector>

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "support_object.hpp"

namespace sinter::inline v0::cpu_compiler {

enum class link_outcome { linked, failed, fatal };

// Links `object` with the functions of `support` that it needs, and appends the shared object to
// `shared_object`. `name` is the object's name in diagnostics. Links run one at a time, because LLD's state
// is global. Must run inside run_guarded.
link_outcome link_shared_object(llvm::StringRef object, const std::vector<shared_bytes>& support,
                                const std::string& name, llvm::SmallVectorImpl<char>& shared_object,
                                std::string& log);

// The symbols that a relocatable object refers to and does not define.
std::vector<std::string> undefined_symbols(llvm::StringRef object);

}  // namespace sinter::inline v0::cpu_compiler
