#pragma once
// What Sinter's headers and build functions left in the program and the libraries that it has loaded: ELF
// notes of the owner "Sinter", which lie in memory and are found without opening a file.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace sinter::runtime {

enum class note_kind : std::uint32_t {
  function = 1,    ///< a fused function: where it is recorded, and what stands for its callable
  mode = 2,        ///< a callable is used in this arithmetic mode: the mode, and what stands for the callable
  inner_pack = 3,  ///< the file has a pack in the section of this name
  beside = 4,      ///< a pack of this name lies in the file's folder
};

struct program_note {
  note_kind kind{};
  std::string_view content;  ///< in the program's memory: offsets in it are relative to where they lie
  const std::string* file = nullptr;  ///< that it was loaded from
};

/// Each note, in the order in which the system lists what is loaded.
void for_each_program_note(const std::function<void(const program_note&)>& use);

/// What a relative 32-bit offset of a note refers to.
const void* target_of_note(std::string_view offset);

/// Where in an ELF file the bytes of a section are. False where there is no such file or section.
bool find_section(const std::string& path, std::string_view name, std::uint64_t& offset, std::uint64_t& size);

}  // namespace sinter::runtime
