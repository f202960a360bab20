#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sinter::inline v0::runtime {

/// Runs step(0) to step(count - 1) in child processes, so that a crash affects one step only: the next steps
/// run in another child. Returns the steps that crashed or threw.
std::vector<std::size_t> run_in_children(std::size_t count, const std::function<void(std::size_t)>& step);

/// The end and the output of a program.
struct program_answer {
  int status = 0;              ///< 128 plus the signal's number if a signal ended it
  int signal = 0;              ///< the signal's number, 0 if it exited
  std::string output, errors;  ///< "" if not captured
};
/// Where a program's output goes: into the answer, or to this process's streams.
enum class program_streams { captured, inherited };

/// Runs a program, by its path and without a shell, and waits for it. Its standard input is empty;
/// `environment` is added to this process's environment as "NAME=value". Throws device_error if it cannot be
/// started.
program_answer run_program(const std::string& path, const std::vector<std::string>& arguments,
                           const std::vector<std::string>& environment = {},
                           program_streams streams = program_streams::captured);
/// "it ended with 3", "it was ended by Segmentation fault".
std::string describe_end(const program_answer& answer);

/// The path of this process's program.
std::string path_of_this_program();

/// A file that only this user can read, removed by the destructor.
class temporary_file {
 public:
  /// Throws device_error if it cannot be created.
  explicit temporary_file(std::string_view bytes = {});
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;
  ~temporary_file();
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace sinter::inline v0::runtime
