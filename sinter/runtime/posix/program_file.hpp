#pragma once
// What the headers of a program's or a library's file say.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sinter::inline v0::runtime {

/// Whether a file is a program, not a shared library.
bool is_program(const std::string& path);

struct file_range {
  std::uint64_t offset = 0, size = 0;
};

/// The bytes of a section in an ELF file; nullopt if there is no such file or section.
std::optional<file_range> find_section(const std::string& path, std::string_view name);

}  // namespace sinter::inline v0::runtime
