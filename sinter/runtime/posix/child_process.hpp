#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sinter::runtime {

/// Runs step(0) to step(count - 1) in child processes, so that a step that crashes costs no other: the next
/// ones run in another child. Returns the steps that crashed or threw.
std::vector<std::size_t> run_in_children(std::size_t count, const std::function<void(std::size_t)>& step);

/// How a program ended, and what it said.
struct program_answer {
  int status = 0;              ///< 128 and the signal's number where one ended it
  int signal = 0;              ///< that number, 0 where it ended by itself
  std::string output, errors;  ///< "" where they were not captured
};
/// Where what a program writes goes: into the answer, or where what this process writes goes.
enum class program_streams { captured, inherited };

/// Runs a program, by its path and without a shell, and waits for it. It reads nothing from its standard
/// input; `environment` is added to this process' as "NAME=value". Throws device_error where it cannot be
/// started.
program_answer run_program(const std::string& path, const std::vector<std::string>& arguments,
                           const std::vector<std::string>& environment = {},
                           program_streams streams = program_streams::captured);
/// "it ended with 3", "it was ended by Segmentation fault".
std::string describe_end(const program_answer& answer);

/// The path of the program that this process runs.
std::string path_of_this_program();

/// Whether a file is a program, not a shared library.
bool is_program(const std::string& path);

/// A file of this process' own that nobody else may read, removed when this goes.
class temporary_file {
 public:
  /// Throws device_error where none can be made.
  explicit temporary_file(std::string_view bytes = {});
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;
  ~temporary_file();
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace sinter::runtime
