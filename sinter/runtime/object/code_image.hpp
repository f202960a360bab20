#pragma once
// One piece of compiled code as bytes, and what its headers say without a driver or loader.

#include <sinter/codegen/base/export.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sinter::inline v0 {

/// The format of compiled code.
enum class code_format : std::uint8_t {
  cubin,   ///< machine code for one NVIDIA architecture
  ptx,     ///< text that a driver translates, for one architecture and all later ones
  lto_ir,  ///< for linking only
  fatbin,  ///< several of these in one
  elf,     ///< for the CPU: a shared object
};

/// "cubin", "PTX", "LTO-IR", "fatbin" or "ELF".
SINTER_API const char* to_string(code_format format);

/// Compiled code in one format. `architecture` is 90 for compute capability 9.0; 0 if there is none, several,
/// or an unknown one.
struct code_image {
  code_format format = code_format::elf;
  int architecture = 0;
  std::string bytes;

  bool operator==(const code_image&) const = default;
};

/// Recognises the format of bytes by their first bytes. False if it is none of these.
SINTER_API bool recognise_format(std::string_view bytes, code_format& format) noexcept;

/// Bytes with their format and architecture, recognised by their first bytes. Throws device_error that names
/// `origin` ("file kernel.cubin") for bytes that are not compiled code.
SINTER_API code_image recognise(std::string bytes, std::string_view origin);

/// Why these bytes cannot be loaded, as far as their headers say: the file is truncated, or has another
/// format than claimed. "" if they are intact. Drivers receive no length and trust the headers, so check
/// before passing them bytes.
SINTER_API std::string fault_of(const code_image& image);

/// The kernels and functions that PTX or a cubin defines with external linkage and that a program may define
/// only once. Weak definitions, such as template instances, are excluded. Empty if the format does not have
/// names, or the code is faulty.
SINTER_API std::vector<std::string> strong_definitions_of(const code_image& image);

/// Whether code has anything for a GPU: true for all formats but ELF, and for ELF code with embedded device
/// code.
SINTER_API bool has_device_code(const code_image& image);

/// The kernels of PTX or a cubin, or the visible functions of an ELF shared object, in the order of the code;
/// empty if the format does not have names (LTO-IR, fatbin) or the code is faulty.
SINTER_API std::vector<std::string> entries_of(const code_image& image);

}  // namespace sinter::inline v0
