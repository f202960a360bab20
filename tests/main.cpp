#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "support/needs.hpp"

namespace {

using sinter::test::need_names;
using sinter::test::skipped_case;
using sinter::test::skipped_cases;

// Detects a filter that matches nothing, because ctest names source files that may be renamed.
bool ran_nothing = false;

/// Reports which test cases were skipped because of a missing piece, and which ran in part.
void report_skipped() {
  for (std::size_t i = 0; i < std::size(need_names); ++i)
    for (const bool in_part : {false, true}) {
      const auto fits = [&](const skipped_case& each) {
        return static_cast<std::size_t>(each.of) == i && each.in_part == in_part;
      };
      const auto& all = skipped_cases();
      const auto first = std::find_if(all.begin(), all.end(), fits);
      if (first == all.end()) continue;
      std::printf("%s, without %s: %d (%s)\n", in_part ? "in part" : "skipped",
                  std::string(need_names[i]).c_str(),
                  static_cast<int>(std::count_if(all.begin(), all.end(), fits)), first->why.c_str());
      for (const skipped_case& each : all)
        if (fits(each))
          std::printf("  %s: %s\n", std::filesystem::path(each.file).filename().c_str(), each.name.c_str());
    }
  std::fflush(stdout);
}

struct run_listener : doctest::IReporter {
  explicit run_listener(const doctest::ContextOptions&) {}
  void test_run_end(const doctest::TestRunStats& stats) override {
    ran_nothing = stats.numTestCasesPassingFilters == 0;
    report_skipped();
  }
  void test_case_end(const doctest::CurrentTestCaseStats& stats) override {
    for (std::size_t i = skipped_before_; i < skipped_cases().size(); ++i)
      skipped_cases()[i].in_part = stats.numAssertsCurrentTest > 0;
  }
  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_case_start(const doctest::TestCaseData&) override { skipped_before_ = skipped_cases().size(); }
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}

 private:
  std::size_t skipped_before_ = 0;
};
DOCTEST_REGISTER_LISTENER("run", 1, run_listener);

bool expects_what_is_known() {
  for (const std::string& name : sinter::test::expected_needs()) {
    if (std::find(std::begin(need_names), std::end(need_names), name) != std::end(need_names)) continue;
    std::fprintf(stderr, "SINTER_EXPECT names '%s', which no test needs; there are:", name.c_str());
    for (const std::string_view known : need_names) std::fprintf(stderr, " %s", std::string(known).c_str());
    std::fprintf(stderr, "\n");
    return false;
  }
  return true;
}

/// The N of --skip-status=N: this program's exit code if nothing failed and a test case was skipped. 0 if not
/// given.
int skip_status(int argc, char** argv) {
  constexpr const char* option = "--skip-status=";
  for (int i = 1; i < argc; ++i)
    if (std::strncmp(argv[i], option, std::strlen(option)) == 0)
      return std::atoi(argv[i] + std::strlen(option));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (!expects_what_is_known()) return 2;
  // Tests count compiles, so kernels cached by an earlier run must not serve them. Tests of the cache choose
  // their own.
  ::setenv("SINTER_CACHE", "off", 0);
  doctest::Context context(argc, argv);
  const int result = context.run();
  if (result != 0 || context.shouldExit()) return result;
  if (ran_nothing) return 1;
  const bool skipped = std::any_of(skipped_cases().begin(), skipped_cases().end(),
                                   [](const skipped_case& each) { return !each.in_part; });
  return skipped ? skip_status(argc, argv) : 0;
}
