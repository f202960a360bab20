// Environment variables: one function reads them, and a privileged program ignores them.

#include <doctest/doctest.h>

#include <sinter/runtime/posix/environment.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../support/beside.hpp"
#include "../support/needs.hpp"
#include "../support/process/run_shell.hpp"
#include "../support/process/temporary_folder.hpp"

namespace sinter::test {
namespace {

using runtime::environment_value;

/// The lines of the program's output under `variables`, and the lines if they are ignored.
const std::vector<std::pair<std::string, std::string>> chosen = {
    {"cache", "/chosen/cache"},
    {"bytes", "12345"},
    {"shared", "/chosen/shared"},
    {"pack", "/chosen/pack"},
    {"key", "chosen"},
    {"driver", "/chosen/driver"},
    {"nvrtc", "/chosen/nvrtc"},
    {"nvjitlink", "/chosen/nvjitlink"},
    {"SINTER_CPU_COMPILER", "/chosen/compiler"},
    {"SINTER_RECORD", "/chosen/record"},
    {"SINTER_CHECK", "1"},
    {"TMPDIR", "/chosen/folder"},
};
constexpr const char* variables =
    "SINTER_CACHE_DIR=/chosen/cache SINTER_CACHE_BYTES=12345 SINTER_SHARED_CACHE=/chosen/shared "
    "SINTER_PACKS=/chosen/pack "
    "SINTER_PACK_KEY=chosen SINTER_CUDA_DRIVER=/chosen/driver SINTER_NVRTC=/chosen/nvrtc "
    "SINTER_NVJITLINK=/chosen/nvjitlink SINTER_CPU_COMPILER=/chosen/compiler SINTER_RECORD=/chosen/record "
    "SINTER_CHECK=1 "
    "TMPDIR=/chosen/folder";

bool has_line(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

/// A copy of the program that runs as root for every caller; removed with its scope.
class set_user_id_copy {
 public:
  set_user_id_copy() {
    ::chmod(folder_.path().c_str(), 0711);
    std::filesystem::copy_file(path_beside("environment_program"), path());
    made_ = ::chown(path().c_str(), 0, 0) == 0 && ::chmod(path().c_str(), 04755) == 0;
  }
  std::string path() const { return folder_ / "environment_program"; }
  /// Runs it as an unprivileged user.
  runtime::program_answer run(const std::string& environment) const {
    return run_shell("setpriv --reuid=65534 --regid=65534 --clear-groups env " + environment + " " + path());
  }
  /// The reason why there is none, or "".
  std::string absence_reason() const {
    if (::geteuid() != 0 || !made_) return "only root can make a set-user-id program for another user";
    const runtime::program_answer answer = run("");
    if (answer.status != 0) return "it cannot be run: " + answer.output.substr(0, answer.output.find('\n'));
    return has_line(answer.output, "elevated=yes") ? ""
                                                   : "set-user-id is not heeded where temporary files are";
  }

 private:
  temporary_folder folder_;
  bool made_ = false;
};

}  // namespace

TEST_CASE("a variable of the environment is its value, and empty where it is not set") {
  ::setenv("SINTER_TEST_VARIABLE", "value", 1);
  CHECK(environment_value("SINTER_TEST_VARIABLE") == "value");
  ::setenv("SINTER_TEST_VARIABLE", "", 1);
  CHECK(environment_value("SINTER_TEST_VARIABLE").empty());
  ::unsetenv("SINTER_TEST_VARIABLE");
  CHECK(environment_value("SINTER_TEST_VARIABLE").empty());
}

TEST_CASE("a program heeds what its environment says of libraries, packs, caches and files") {
  const runtime::program_answer answer =
      run_shell(std::string("env ") + variables + " " + path_beside("environment_program").string());
  INFO(answer.output);
  CHECK(answer.status == 0);
  CHECK(has_line(answer.output, "elevated=no"));
  for (const auto& [what, value] : chosen) CHECK(has_line(answer.output, what + "=" + value));
}

TEST_CASE("a set-user-id program heeds nothing that its environment says") {
  const set_user_id_copy program;
  if (lacks(need::set_user_id, program.absence_reason())) return;
  const runtime::program_answer answer = program.run(variables);
  INFO(answer.output);
  CHECK(answer.status == 0);
  CHECK(has_line(answer.output, "elevated=yes"));
  CHECK(answer.output.find("chosen") == std::string::npos);
  CHECK(has_line(answer.output, "cache="));  // HOME, too
  CHECK(has_line(answer.output, "bytes=1073741824"));
  CHECK(has_line(answer.output, "driver=libcuda.so.1"));
  CHECK(has_line(answer.output, "SINTER_CHECK="));
  CHECK(program.run("HOME=/chosen XDG_CACHE_HOME=/chosen").output == program.run("").output);
}

TEST_CASE("a set-user-id program is not made to write its functions to a file") {
  const set_user_id_copy program;
  if (lacks(need::set_user_id, program.absence_reason())) return;
  const temporary_folder folder;
  const std::string list = "SINTER_LIST_FUNCTIONS=" + (folder / "list");
  CHECK(program.run(list).output == program.run("").output);
  CHECK_FALSE(std::filesystem::exists(folder / "list"));
}

}  // namespace sinter::test
