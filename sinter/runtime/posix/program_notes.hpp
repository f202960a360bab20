#pragma once
// Notes that Sinter's headers and build functions put into the program and its loaded libraries: ELF notes of
// the owner "Sinter", which are in memory and are found without opening a file.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace sinter::inline v0::runtime {

enum class note_kind : std::uint32_t {
  function = 1,    ///< a fused function: its location, and the identity of its callable
  mode = 2,        ///< a callable is used in this arithmetic mode: the mode, and the identity of the callable
  inner_pack = 3,  ///< the file has a pack in the section of this name
  beside = 4,      ///< the file's folder has a pack of this name
};

struct program_note {
  note_kind kind{};
  std::string_view content;  ///< in the program's memory: relative offsets in it are relative to their own
                             ///< position
  const std::string* file = nullptr;  ///< the file that it was loaded from
};

/// Calls a function for each note, in the order of the loaded objects.
void for_each_program_note(const std::function<void(const program_note&)>& use);

/// The target of a relative 32-bit offset in a note.
const void* target_of_note(std::string_view offset);

}  // namespace sinter::inline v0::runtime
