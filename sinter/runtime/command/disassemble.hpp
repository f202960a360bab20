#pragma once
// Machine code as people read it, by tools that are installed; PTX, from the entry or by compiling its text.

#include <sinter/runtime/cache/entry.hpp>

#include <string>

namespace sinter::command {

/// Text, and the program that made it ("" if it was in the entry).
struct listing {
  std::string text, by;
};

/// Of a CUDA entry's cubin nvdisasm's or cuobjdump's, of a CPU entry's shared object objdump's or
/// llvm-objdump's. Throws failure that says which tools were looked for.
listing machine_code_of(const runtime::cache_entry& entry);

/// Throws failure for entries of the CPU, and where text that has to be compiled cannot be.
listing ptx_of(const runtime::cache_entry& entry);

}  // namespace sinter::command
