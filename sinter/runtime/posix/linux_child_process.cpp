#include <elf.h>
#include <limits.h>
#include <link.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>

#include <sinter/runtime/error.hpp>
#include <sinter/runtime/posix/child_process.hpp>
#include <sinter/runtime/posix/environment.hpp>
#include <sinter/runtime/posix/random_access_file.hpp>

namespace sinter::runtime {
namespace {

[[noreturn]] void fail(const std::string& what, int error) {
  throw device_error(what + " failed: " + std::strerror(error));
}

/// A number that a process and its children share.
class shared_counter {
 public:
  shared_counter()
      : memory_(::mmap(nullptr, sizeof(std::atomic<std::size_t>), PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
    if (memory_ == MAP_FAILED) fail("mmap", errno);
    new (memory_) std::atomic<std::size_t>(0);
  }
  shared_counter(const shared_counter&) = delete;
  shared_counter& operator=(const shared_counter&) = delete;
  ~shared_counter() { ::munmap(memory_, sizeof(std::atomic<std::size_t>)); }
  std::atomic<std::size_t>& value() const { return *static_cast<std::atomic<std::size_t>*>(memory_); }

 private:
  void* memory_;
};

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

std::string_view name_of(std::string_view variable) { return variable.substr(0, variable.find('=')); }

}  // namespace

std::vector<std::size_t> run_in_children(std::size_t count, const std::function<void(std::size_t)>& step) {
  std::vector<std::size_t> failed;
  const shared_counter next;
  while (next.value() < count) {
    const pid_t child = ::fork();
    if (child < 0) fail("fork", errno);
    if (child == 0) {
      try {
        for (; next.value() < count; ++next.value()) step(next.value());
      } catch (...) {
        ::_exit(1);
      }
      ::_exit(0);
    }
    wait_for(child);
    if (next.value() < count) failed.push_back(next.value()++);
  }
  return failed;
}

std::string run_program(std::span<const std::string> arguments, std::span<const std::string> environment) {
  std::vector<char*> argument_list, variables;
  for (const std::string& each : arguments) argument_list.push_back(const_cast<char*>(each.c_str()));
  argument_list.push_back(nullptr);
  for (char** variable = environ; *variable != nullptr; ++variable) {
    bool replaced = false;
    for (const std::string& each : environment) replaced |= name_of(each) == name_of(*variable);
    if (!replaced) variables.push_back(*variable);
  }
  for (const std::string& each : environment) variables.push_back(const_cast<char*>(each.c_str()));
  variables.push_back(nullptr);
  pid_t child = 0;
  if (const int error = ::posix_spawn(&child, arguments[0].c_str(), nullptr, nullptr, argument_list.data(),
                                      variables.data());
      error != 0)
    return std::string("it could not be started: ") + std::strerror(error);
  const int status = wait_for(child);
  if (WIFSIGNALED(status)) return std::string("it was ended by ") + strsignal(WTERMSIG(status));
  if (WEXITSTATUS(status) != 0) return "it ended with " + std::to_string(WEXITSTATUS(status));
  return {};
}

std::string path_of_this_program() {
  std::array<char, PATH_MAX> path;
  const ssize_t size = ::readlink("/proc/self/exe", path.data(), path.size());
  return {path.data(), size > 0 ? static_cast<std::size_t>(size) : 0};
}

bool is_program(const std::string& path) {
  random_access_file file;
  std::string raw;
  ElfW(Ehdr) header;
  if (!file.open(path).empty() || !file.read(0, sizeof header, raw).empty()) return false;
  std::memcpy(&header, raw.data(), sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return false;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    ElfW(Phdr) segment;
    if (!file.read(header.e_phoff + i * sizeof segment, sizeof segment, raw).empty()) return false;
    std::memcpy(&segment, raw.data(), sizeof segment);
    if (segment.p_type == PT_INTERP) return true;  // shared libraries name no loader
  }
  return header.e_type == ET_EXEC;
}

temporary_file::temporary_file() {
  const std::string folder = environment_value("TMPDIR");
  path_ = (folder.empty() ? "/tmp" : folder) + "/sinter-XXXXXX";
  const int descriptor = ::mkstemp(path_.data());
  if (descriptor < 0) fail("making a temporary file " + path_, errno);
  ::close(descriptor);
}

temporary_file::~temporary_file() { ::unlink(path_.c_str()); }

}  // namespace sinter::runtime
