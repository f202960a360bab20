#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <pwd.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>

#include <sinter/runtime/posix/environment.hpp>

#include "failure.hpp"
#include "system.hpp"

namespace sinter::command {
namespace {

std::string owner_name(uid_t owner) {
  std::array<char, 4096> space{};
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwuid_r(owner, &entry, space.data(), space.size(), &found) == 0 && found != nullptr)
    return found->pw_name;
  return std::to_string(owner);
}

/// Both ends of a pipe that children do not inherit unless told.
struct pipe_ends {
  int read = -1, write = -1;
  pipe_ends() {
    int both[2];
    if (::pipe2(both, O_CLOEXEC) != 0)
      throw failure(fmt::format("no pipe could be made: {}", std::strerror(errno)));
    read = both[0];
    write = both[1];
  }
  pipe_ends(const pipe_ends&) = delete;
  pipe_ends& operator=(const pipe_ends&) = delete;
  ~pipe_ends() {
    ::close(read);
    close_write();
  }
  void close_write() {
    if (write >= 0) ::close(write);
    write = -1;
  }
};

/// Reads both until both end: a program that fills one while we wait for the other would never end.
void read_both(int first, std::string& to_first, int second, std::string& to_second) {
  std::array<pollfd, 2> open{pollfd{first, POLLIN, 0}, pollfd{second, POLLIN, 0}};
  const std::array<std::string*, 2> to{&to_first, &to_second};
  std::array<char, 65536> piece{};
  while (open[0].fd >= 0 || open[1].fd >= 0) {
    if (::poll(open.data(), open.size(), -1) < 0) {
      if (errno == EINTR) continue;
      return;
    }
    for (std::size_t i = 0; i < open.size(); ++i) {
      if (open[i].fd < 0 || open[i].revents == 0) continue;
      const ssize_t count = ::read(open[i].fd, piece.data(), piece.size());
      if (count > 0)
        to[i]->append(piece.data(), static_cast<std::size_t>(count));
      else if (count == 0 || errno != EINTR)
        open[i].fd = -1;
    }
  }
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

std::string find_program(const std::vector<std::string>& names, const std::vector<std::string>& folders) {
  std::vector<std::string> places;
  const std::string path = runtime::environment_value("PATH");
  std::string_view rest = path;
  while (!rest.empty()) {
    const std::string_view place = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(rest.size(), place.size() + 1));
    if (!place.empty()) places.emplace_back(place);
  }
  places.insert(places.end(), folders.begin(), folders.end());
  for (const std::string& name : names)
    for (const std::string& place : places) {
      std::string candidate = place;
      candidate.append("/").append(name);
      struct stat found{};
      if (::stat(candidate.c_str(), &found) == 0 && S_ISREG(found.st_mode) &&
          ::access(candidate.c_str(), X_OK) == 0)
        return candidate;
    }
  return {};
}

program_answer run_program(const std::string& path, const std::vector<std::string>& arguments) {
  std::vector<char*> words{const_cast<char*>(path.c_str())};
  for (const std::string& each : arguments) words.push_back(const_cast<char*>(each.c_str()));
  words.push_back(nullptr);
  pipe_ends output, errors;
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, output.write, STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, errors.write, STDERR_FILENO);
  pid_t child = 0;
  const int started = ::posix_spawn(&child, path.c_str(), &actions, nullptr, words.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (started != 0) throw failure(fmt::format("{} could not be started: {}", path, std::strerror(started)));
  output.close_write();
  errors.close_write();
  program_answer answer;
  read_both(output.read, answer.output, errors.read, answer.errors);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  answer.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return answer;
}

temporary_file::temporary_file(const std::string& bytes) {
  const std::string chosen = runtime::environment_value("TMPDIR");
  path_ = (chosen.empty() ? "/tmp" : chosen) + "/sinter-XXXXXX";
  const int file = ::mkostemp(path_.data(), O_CLOEXEC);
  if (file < 0)
    throw failure(fmt::format("no temporary file could be made at {}: {}; $TMPDIR says where", path_,
                              std::strerror(errno)));
  std::string_view rest = bytes;
  while (!rest.empty()) {
    const ssize_t written = ::write(file, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const int error = errno;
      ::close(file);
      ::unlink(path_.c_str());
      throw failure(fmt::format("writing {}: {}", path_, std::strerror(error)));
    }
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  ::close(file);
}

temporary_file::~temporary_file() { ::unlink(path_.c_str()); }

}  // namespace sinter::command
