// Skips are told: by the report, by the status, and as failures where what is lacking was expected.

#include <doctest/doctest.h>

#include <sys/wait.h>

#include <cstdio>
#include <string>

#include "beside.hpp"
#include "needs.hpp"

namespace sinter::test {
namespace {

struct answer {
  std::string output;
  int status = -1;
};

/// Runs one of the cases below in a process of its own.
answer run(const std::string& environment, const std::string& test_case, const std::string& options) {
  const std::string self = path_beside("sinter_tests").string();
  const std::string command = "env " + environment + " '" + self +
                              "' --no-skip --source-file='*/needs_test.cpp' " + "--test-case='" + test_case +
                              "' " + options + " 2>&1";
  answer made;
  FILE* const from = ::popen(command.c_str(), "r");
  REQUIRE(from != nullptr);
  char piece[4096];
  for (std::size_t size = 0; (size = std::fread(piece, 1, sizeof piece, from)) > 0;)
    made.output.append(piece, size);
  const int status = ::pclose(from);
  if (WIFEXITED(status)) made.status = WEXITSTATUS(status);
  return made;
}

bool has(const answer& in, const std::string& text) { return in.output.find(text) != std::string::npos; }

}  // namespace

TEST_CASE("needs a shell" * doctest::skip()) {
  if (lacks(need::fish, "it was eaten")) return;
  FAIL("it is said to be here");
}

TEST_CASE("goes on without a shell" * doctest::skip()) {
  for (int i = 0; i < 3; ++i) CHECK(lacks(need::fish, "it was eaten"));
}

TEST_CASE("a test case that is skipped is told, and is the program's status where that is asked for") {
  const answer told = run("-u SINTER_EXPECT", "needs a shell", "--skip-status=77");
  INFO(told.output);
  CHECK(told.status == 77);
  CHECK(has(told, "skipped, without fish: 1 (it was eaten)\n  needs_test.cpp: needs a shell\n"));
  CHECK(run("-u SINTER_EXPECT", "needs a shell", "").status == 0);
}

TEST_CASE("a test case that checks something is run in part, and told once") {
  const answer told = run("-u SINTER_EXPECT", "goes on without a shell", "--skip-status=77");
  INFO(told.output);
  CHECK(told.status == 0);
  CHECK(has(told, "in part, without fish: 1 (it was eaten)\n  needs_test.cpp: goes on without a shell\n"));
}

TEST_CASE("what is expected and lacking is a failure, and an expectation that nothing knows is refused") {
  const answer failed = run("SINTER_EXPECT=zsh,fish", "needs a shell", "--skip-status=77");
  CHECK(failed.status == 1);
  CHECK(has(failed, "SINTER_EXPECT says that there is 'fish', and there is none: it was eaten"));
  CHECK(run("SINTER_EXPECT=zsh", "needs a shell", "--skip-status=77").status == 77);
  const answer refused = run("SINTER_EXPECT=dish", "needs a shell", "--skip-status=77");
  CHECK(refused.status == 2);
  CHECK(has(refused, "SINTER_EXPECT names 'dish', which no test needs"));
}

}  // namespace sinter::test
