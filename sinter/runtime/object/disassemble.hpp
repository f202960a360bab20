#pragma once
// Machine code as text, by programs that are installed.

#include <sinter/runtime/object/code_image.hpp>

#include <string>

namespace sinter::inline v0::runtime {

/// Text, and the program that printed it.
struct code_listing {
  std::string text, by;
};

/// Runs nvdisasm or cuobjdump on code for a GPU, objdump or llvm-objdump on code for the CPU: the first that
/// is there. Throws device_error that names them if none is, or if it cannot read the code.
code_listing disassemble(const code_image& image);

/// The path of the program that disassemble() runs for a format; "" if there is none.
std::string find_disassembler(code_format format);

}  // namespace sinter::inline v0::runtime
