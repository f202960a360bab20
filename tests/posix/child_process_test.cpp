// Programs that are started and waited for, and temporary files.

#include <sinter/runtime/error.hpp>
#include <sinter/runtime/posix/child_process.hpp>
#include <sinter/runtime/posix/whole_file.hpp>

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <string>

namespace sinter::test {

using namespace runtime;

TEST_CASE("a program answers with its status and with what it wrote on each stream") {
  const program_answer answer = run_program("/bin/sh", {"-c", "echo out; echo err >&2; exit 3"});
  CHECK(answer.status == 3);
  CHECK(answer.signal == 0);
  CHECK(answer.output == "out\n");
  CHECK(answer.errors == "err\n");
  CHECK(describe_end(answer) == "it ended with 3");
}

TEST_CASE("a program that fills one stream while nothing comes on the other is read to its end") {
  const program_answer answer = run_program(
      "/bin/sh",
      {"-c", "head -c 300000 /dev/zero >&2; head -c 300000 /dev/zero; head -c 300000 /dev/zero >&2"});
  CHECK(answer.status == 0);
  CHECK(answer.output.size() == 300000);
  CHECK(answer.errors.size() == 600000);
}

TEST_CASE("of a program that a signal ended the signal is told") {
  const program_answer answer = run_program("/bin/sh", {"-c", "kill -TERM $$"});
  CHECK(answer.signal == SIGTERM);
  CHECK(answer.status == 128 + SIGTERM);
  CHECK(describe_end(answer) == "it was ended by Terminated");
}

TEST_CASE("a program gets its words as they are, variables beside this process', and nothing to read") {
  const program_answer answer = run_program(
      "/bin/sh", {"-c", "echo \"$1|$SINTER_TEST_VARIABLE|${PATH:+kept}|$(cat)\"", "sh", "two  words; *"},
      {"SINTER_TEST_VARIABLE=a b"});
  CHECK(answer.output == "two  words; *|a b|kept|\n");
}

TEST_CASE("a variable that is set already gets the value that is given") {
  const program_answer answer = run_program("/bin/sh", {"-c", "echo $PATH"}, {"PATH=/chosen"});
  CHECK(answer.output == "/chosen\n");
}

TEST_CASE("streams that are inherited are not in the answer") {
  const program_answer answer = run_program("/bin/sh", {"-c", "exit 1"}, {}, program_streams::inherited);
  CHECK(answer.status == 1);
  CHECK(answer.output.empty());
}

TEST_CASE("a program that is not there is told by its path") {
  CHECK_THROWS_WITH_AS(run_program("/nonexistent/program", {}),
                       "/nonexistent/program could not be started: No such file or directory", device_error);
}

TEST_CASE("a temporary file has its bytes, is this user's alone, and goes with its scope") {
  std::string path;
  {
    const temporary_file file("bytes");
    path = file.path();
    CHECK(read_whole_file(path) == "bytes");
    struct stat about{};
    REQUIRE(::stat(path.c_str(), &about) == 0);
    CHECK((about.st_mode & 0777) == 0600);
  }
  CHECK_FALSE(std::filesystem::exists(path));
}

}  // namespace sinter::test
