#include <pwd.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>

#include "system.hpp"

namespace sinter::inline v0::command {
namespace {

std::string owner_name(uid_t owner) {
  std::array<char, 4096> space{};
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwuid_r(owner, &entry, space.data(), space.size(), &found) == 0 && found != nullptr)
    return found->pw_name;
  return std::to_string(owner);
}

}  // namespace

bool output_is_terminal() { return ::isatty(STDOUT_FILENO) != 0; }
bool errors_are_on_terminal() { return ::isatty(STDERR_FILENO) != 0; }
bool input_is_terminal() { return ::isatty(STDIN_FILENO) != 0; }

std::size_t terminal_columns() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : 80;
}

folder_facts facts_of_folder(const std::string& path) {
  folder_facts facts;
  struct stat found{};
  if (::stat(path.c_str(), &found) != 0) return facts;
  facts.exists = true;
  facts.is_folder = S_ISDIR(found.st_mode);
  facts.is_own = found.st_uid == ::geteuid();
  facts.owner = owner_name(found.st_uid);
  facts.mode = found.st_mode & 07777u;
  return facts;
}

std::optional<std::uint64_t> free_bytes(const std::string& path) {
  std::filesystem::path at = std::filesystem::absolute(path);
  struct statvfs found{};
  while (::statvfs(at.c_str(), &found) != 0) {
    if (errno != ENOENT || !at.has_relative_path()) return std::nullopt;
    at = at.parent_path();
  }
  return static_cast<std::uint64_t>(found.f_bavail) * found.f_frsize;
}

}  // namespace sinter::inline v0::command
