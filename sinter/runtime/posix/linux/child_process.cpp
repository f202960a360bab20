#include <fcntl.h>
#include <limits.h>
#include <poll.h>
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
#include <sinter/runtime/posix/file_descriptor.hpp>

namespace sinter::inline v0::runtime {
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
  retried([&] { return ::waitpid(child, &status, 0); });
  return status;
}

std::string_view name_of(std::string_view variable) { return variable.substr(0, variable.find('=')); }

/// This process's variables and additional ones for exec(); the result refers to the arguments.
std::vector<char*> with_variables(const std::vector<std::string>& environment) {
  std::vector<char*> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    bool replaced = false;
    for (const std::string& each : environment) replaced |= name_of(each) == name_of(*variable);
    if (!replaced) variables.push_back(*variable);
  }
  for (const std::string& each : environment) variables.push_back(const_cast<char*>(each.c_str()));
  variables.push_back(nullptr);
  return variables;
}

/// Both ends of a pipe, not inherited by default.
struct pipe_ends {
  file_descriptor read, write;
  pipe_ends() {
    int both[2];
    if (::pipe2(both, O_CLOEXEC) != 0) fail("making a pipe", errno);
    read = file_descriptor(both[0]);
    write = file_descriptor(both[1]);
  }
};

/// Reads both pipes until both end: a program that fills one while we read only the other would deadlock.
void read_both(const file_descriptor& first, std::string& to_first, const file_descriptor& second,
               std::string& to_second) {
  std::array<pollfd, 2> open{pollfd{first.get(), POLLIN, 0}, pollfd{second.get(), POLLIN, 0}};
  const std::array<std::string*, 2> to{&to_first, &to_second};
  std::array<char, 65536> piece;
  while (open[0].fd >= 0 || open[1].fd >= 0) {
    if (retried([&] { return ::poll(open.data(), open.size(), -1); }) < 0) return;
    for (std::size_t i = 0; i < open.size(); ++i) {
      if (open[i].fd < 0 || open[i].revents == 0) continue;
      const ssize_t count = retried([&] { return ::read(open[i].fd, piece.data(), piece.size()); });
      if (count > 0)
        to[i]->append(piece.data(), static_cast<std::size_t>(count));
      else
        open[i].fd = -1;
    }
  }
}

/// Actions of a child before exec().
class spawn_actions {
 public:
  spawn_actions() {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  }
  spawn_actions(const spawn_actions&) = delete;
  spawn_actions& operator=(const spawn_actions&) = delete;
  ~spawn_actions() { ::posix_spawn_file_actions_destroy(&actions_); }
  void redirect(int number, const file_descriptor& to) {
    ::posix_spawn_file_actions_adddup2(&actions_, to.get(), number);
  }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

pid_t start_program(const std::string& path, const std::vector<std::string>& arguments,
                    const std::vector<std::string>& environment, const spawn_actions& actions) {
  std::vector<char*> words{const_cast<char*>(path.c_str())};
  for (const std::string& each : arguments) words.push_back(const_cast<char*>(each.c_str()));
  words.push_back(nullptr);
  pid_t child = 0;
  if (const int error = ::posix_spawn(&child, path.c_str(), actions.get(), nullptr, words.data(),
                                      with_variables(environment).data());
      error != 0)
    throw device_error(path + " could not be started: " + std::strerror(error));
  return child;
}

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

program_answer run_program(const std::string& path, const std::vector<std::string>& arguments,
                           const std::vector<std::string>& environment, program_streams streams) {
  program_answer answer;
  spawn_actions actions;
  int status = 0;
  if (streams == program_streams::captured) {
    pipe_ends output, errors;
    actions.redirect(STDOUT_FILENO, output.write);
    actions.redirect(STDERR_FILENO, errors.write);
    const pid_t child = start_program(path, arguments, environment, actions);
    output.write.close();
    errors.write.close();
    read_both(output.read, answer.output, errors.read, answer.errors);
    status = wait_for(child);
  } else {
    status = wait_for(start_program(path, arguments, environment, actions));
  }
  if (WIFSIGNALED(status)) answer.signal = WTERMSIG(status);
  answer.status = answer.signal != 0 ? 128 + answer.signal : WEXITSTATUS(status);
  return answer;
}

std::string describe_end(const program_answer& answer) {
  if (answer.signal != 0) return std::string("it was ended by ") + strsignal(answer.signal);
  return "it ended with " + std::to_string(answer.status);
}

std::string path_of_this_program() {
  std::array<char, PATH_MAX> path;
  const ssize_t size = ::readlink("/proc/self/exe", path.data(), path.size());
  return {path.data(), size > 0 ? static_cast<std::size_t>(size) : 0};
}

temporary_file::temporary_file(std::string_view bytes) {
  const std::string folder = environment_value("TMPDIR");
  path_ = (folder.empty() ? "/tmp" : folder) + "/sinter-XXXXXX";
  file_descriptor file(::mkostemp(path_.data(), O_CLOEXEC));
  if (!file)
    throw device_error("no temporary file could be made at " + path_ + ": " + std::strerror(errno) +
                       "; $TMPDIR says where");
  int error = write_all(file.get(), bytes);
  if (const int closed = file.close(); error == 0) error = closed;
  if (error == 0) return;
  ::unlink(path_.c_str());
  fail("writing " + path_, error);
}

temporary_file::~temporary_file() { ::unlink(path_.c_str()); }

}  // namespace sinter::inline v0::runtime
