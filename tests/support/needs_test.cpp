// Skipped tests are reported: in the report, by the exit status, and as failures if the missing piece was
// expected.

#include <doctest/doctest.h>

#include <barrier>
#include <cstddef>
#include <string>
#include <thread>
#include <vector>

#include "beside.hpp"
#include "needs.hpp"
#include "process/run_shell.hpp"

namespace sinter::test {
namespace {

using answer = runtime::program_answer;

/// Runs one of the cases below in a separate process.
answer run(const std::string& environment, const std::string& test_case, const std::string& options) {
  const std::string self = path_beside("sinter_tests").string();
  return run_shell("env " + environment + " '" + self +
                   "' --no-skip --source-file='*/needs_test.cpp' --test-case='" + test_case + "' " + options);
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

TEST_CASE("what threads of a test lack at the same time is told once") {
  constexpr int rounds = 1'000;
  const std::size_t before = skipped_cases().size();
  int told = 0;
  // while all threads wait: this run lacks nothing in truth
  const auto count_and_forget = [&]() noexcept {
    told += static_cast<int>(skipped_cases().size() - before);
    skipped_cases().erase(skipped_cases().begin() + static_cast<std::ptrdiff_t>(before),
                          skipped_cases().end());
  };
  std::barrier round(8, count_and_forget);
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      for (int r = 0; r < rounds; ++r) {
        lacks(need::fish, "it was eaten");
        round.arrive_and_wait();
      }
    });
  threads.clear();
  CHECK(told == rounds);
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
