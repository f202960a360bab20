#pragma once
// Files that a test needs: in the folder of its program, as in a bundle for another machine, or at the
// build's path.

#include <filesystem>
#include <string>
#include <system_error>

namespace sinter::test {

/// A file or folder in the folder of this program.
inline std::filesystem::path path_beside(const std::string& name) {
  std::error_code none;
  return std::filesystem::read_symlink("/proc/self/exe", none).replace_filename(name);
}

/// The file beside this program if it exists, else the build's path.
inline std::string path_beside_or(const std::string& name, const std::string& of_build) {
  std::error_code none;
  const std::filesystem::path beside = path_beside(name);
  return std::filesystem::exists(beside, none) ? beside.string() : of_build;
}

}  // namespace sinter::test
