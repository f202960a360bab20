#pragma once
// Operating system functions that only the command needs.

#include <cstdint>
#include <optional>
#include <string>

namespace sinter::inline v0::command {

bool output_is_terminal();
bool errors_are_on_terminal();
bool input_is_terminal();
/// Width of the terminal behind standard error; 80 if there is none.
std::size_t terminal_columns();

/// Ownership and permissions of a folder.
struct folder_facts {
  bool exists = false, is_folder = false, is_own = false;
  std::string owner;  ///< a name, or a number if it has none
  unsigned mode = 0;  ///< 0700 and the like
};
folder_facts facts_of_folder(const std::string& path);
/// Free bytes at the path, or where it would be created; nullopt if unknown.
std::optional<std::uint64_t> free_bytes(const std::string& path);

}  // namespace sinter::inline v0::command
