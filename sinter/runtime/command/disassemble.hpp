#pragma once
// Readable machine code from installed tools, and PTX from an entry or by compiling its text.

#include <sinter/runtime/cache/entry.hpp>

#include <string>

namespace sinter::inline v0::command {

/// Text, and the program that produced it ("" if it was in the entry).
struct listing {
  std::string text, by;
};

/// For a CUDA entry's cubin, the output of nvdisasm or cuobjdump; for a CPU entry's shared object, of objdump
/// or llvm-objdump. Throws failure that names the tools if there is none.
listing machine_code_of(const runtime::cache_entry& entry);

/// Throws failure for entries of the CPU, and if the text has to be compiled and cannot be.
listing ptx_of(const runtime::cache_entry& entry);

}  // namespace sinter::inline v0::command
