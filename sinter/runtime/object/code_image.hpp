#pragma once
// One piece of compiled code as bytes, and what can be read off it without a driver or loader.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sinter {

/// What compiled code comes as.
enum class code_format : std::uint8_t {
  cubin,   ///< machine code for one NVIDIA architecture
  ptx,     ///< text that a driver translates, for one architecture and all later ones
  lto_ir,  ///< for linking only
  fatbin,  ///< several of the above in one
  elf,     ///< for the CPU: a shared object
};

/// "cubin", "PTX", "LTO-IR", "fatbin" or "ELF".
const char* to_string(code_format format);

/// Compiled code in one format. `architecture` is 90 for compute capability 9.0; 0 where there is none, where
/// it is several or unknown.
struct code_image {
  code_format format = code_format::elf;
  int architecture = 0;
  std::string bytes;

  bool operator==(const code_image&) const = default;
};

/// The format of bytes, by what they begin with. False where they are none.
bool recognise_format(std::string_view bytes, code_format& format) noexcept;

/// Bytes with their format and architecture, recognised by what they begin with. Throws device_error that
/// names `origin` ("file kernel.cubin") for bytes that are no compiled code.
code_image recognise(std::string bytes, std::string_view origin);

/// Why these bytes cannot be loaded, as far as their own headers tell: a file that was cut short, or is of
/// another format than it is said to be. "" where nothing is wrong. Drivers are told no length and trust
/// those headers, so ask before giving them bytes.
std::string fault_of(const code_image& image);

/// The kernels and functions that PTX or a cubin defines for others to call and that one program may define
/// once only: not the weak ones, as instances of templates are. None where the format does not tell, or the
/// code is faulty.
std::vector<std::string> strong_definitions_of(const code_image& image);

/// Whether code has anything for a GPU in it: all but ELF code does, and ELF code of a host compiler that has
/// embedded some.
bool has_device_code(const code_image& image);

/// The kernels of PTX or a cubin, the visible functions of an ELF shared object, in the order of the code;
/// none where the format does not tell (LTO-IR, fatbin) or the code is faulty.
std::vector<std::string> entries_of(const code_image& image);

}  // namespace sinter
