#pragma once
// What the command asks of the operating system beside the library.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sinter::command {

bool output_is_terminal();
bool errors_are_on_terminal();
bool input_is_terminal();
/// Of the terminal behind standard error; 80 where there is none.
std::size_t terminal_columns();

/// What a folder is to its users.
struct folder_facts {
  bool exists = false, is_folder = false, is_own = false;
  std::string owner;  ///< a name, or a number where it has none
  unsigned mode = 0;  ///< 0700 and the like
};
folder_facts facts_of_folder(const std::string& path);
/// Bytes that may still be written where the path is or, being made, would be; nullopt where the system does
/// not tell.
std::optional<std::uint64_t> free_bytes(const std::string& path);

/// The first of these programs in the folders of $PATH and those given; "" where there is none.
std::string find_program(const std::vector<std::string>& names, const std::vector<std::string>& folders = {});

}  // namespace sinter::command
