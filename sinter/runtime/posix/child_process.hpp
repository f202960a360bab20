#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace sinter::runtime {

/// Runs step(0) to step(count - 1) in child processes, so that a step that crashes costs no other: the next
/// ones run in another child. Returns the steps that crashed or threw.
std::vector<std::size_t> run_in_children(std::size_t count, const std::function<void(std::size_t)>& step);

/// Runs a program and waits for it; `environment` is added to this process' as "NAME=value". Returns "" if it
/// ended with 0, else what became of it.
std::string run_program(std::span<const std::string> arguments, std::span<const std::string> environment);

/// The path of the program that this process runs.
std::string path_of_this_program();

/// Whether a file is a program, not a shared library.
bool is_program(const std::string& path);

/// An empty file of this process' own, removed when this goes.
class temporary_file {
 public:
  /// Throws device_error where none can be made.
  temporary_file();
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;
  ~temporary_file();
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace sinter::runtime
