// What the command line accepts, what it answers to what it does not, and help.

#include <algorithm>

#include "command_line.hpp"
#include "run_command.hpp"

namespace sinter::test {
namespace {

/// Calls use(path, command) for the tree's every command, the root first.
template <class Use>
void for_each_command(const command::command_node& from, const words& path, const Use& use) {
  use(path, from);
  for (const command::command_node& each : from.commands) {
    words below = path;
    below.push_back(each.name);
    for_each_command(each, below, use);
  }
}

}  // namespace

TEST_CASE("without a command, it says what there is and ends with 2") {
  const command::program_answer answer = run_command({});
  CHECK(answer.status == 2);
  CHECK(answer.output.empty());
  CHECK(has(answer.errors, "sinter --help"));
}

TEST_CASE("what makes no sense ends with 2 and names the help that tells more") {
  const cache_fixture cache;
  for (const words& wrong :
       {words{"nonsense"}, words{"cache", "nonsense"}, words{"cache", "list", "--nonsense"},
        words{"cache", "list", "--older", "many"}, words{"cache", "list", "--older", "-1"},
        words{"cache", "list", "--sort", "colour"}, words{"show"}, words{"completion", "csh"}, words{"cache"},
        words{"doctor", "surplus"}}) {
    const command::program_answer answer = cache.run(wrong);
    INFO(wrong.back(), ": ", answer.errors);
    CHECK(answer.status == 2);
    CHECK(answer.output.empty());
    CHECK(has(answer.errors, "--help"));
    CHECK(answer.errors.starts_with("sinter: "));
  }
}

TEST_CASE("with --json, mistakes are told as JSON as well") {
  const command::program_answer answer = run_command({"cache", "list", "--nonsense", "--json"});
  CHECK(answer.status == 2);
  const json told = json::parse(answer.output);
  CHECK(told["exit_code"] == 2);
  CHECK(has(told["error"], "--nonsense"));
}

TEST_CASE("every command has help with its summary, its options and, but for groups, examples") {
  for_each_command(command::command_tree(), {}, [](const words& path, const command::command_node& of) {
    words asked = path;
    asked.emplace_back("--help");
    const command::program_answer answer = run_command(asked);
    INFO(of.name);
    CHECK(answer.status == 0);
    CHECK(answer.errors.empty());
    CHECK(has(answer.output, "Usage: sinter"));
    CHECK(has(answer.output, "Examples:\n  "));
    CHECK_FALSE(of.summary.empty());
    for (const command::option_node& each : of.options) {
      for (const std::string& name : each.names) CHECK(has(answer.output, name));
      CHECK(each.help.ends_with('.'));
    }
    std::size_t begin = 0;
    for (std::size_t end = answer.output.find('\n'); end != std::string::npos;
         begin = end + 1, end = answer.output.find('\n', begin)) {
      const std::string line = answer.output.substr(begin, end - begin);
      CHECK_MESSAGE((line.size() <= 80 || line.starts_with("  sinter") || has(line, " > ")), line);
    }
  });
}

TEST_CASE("every command that answers anything has --json") {
  for_each_command(command::command_tree(), {}, [](const words&, const command::command_node& of) {
    if (!of.commands.empty() || of.name == "completion" || of.name == "manual") return;
    INFO(of.name);
    CHECK(std::any_of(of.options.begin(), of.options.end(),
                      [](const command::option_node& each) { return each.names.front() == "--json"; }));
  });
}

TEST_CASE("--version tells Sinter's version and those of what it found") {
  const words without{"SINTER_NVRTC=/nonexistent", "SINTER_NVJITLINK=/nonexistent",
                      "SINTER_CPU_COMPILER=/nonexistent"};
  const command::program_answer answer = run_command({"--version"}, without);
  CHECK(answer.status == 0);
  CHECK(answer.output.starts_with("sinter "));
  CHECK(has(answer.output, "NVRTC not found"));
  const json told = json::parse(run_command({"--version", "--json"}, without).output);
  CHECK(told["sinter"].is_string());
  CHECK(told["emitter"].is_number());
  CHECK(told["nvrtc"].is_null());
  CHECK(told["cpu_compiler"].is_null());
}

TEST_CASE("output that cannot be written is a failure, not a success") {
  const cache_fixture cache(1);
  const command::program_answer answer = command::run_program(
      "/bin/sh",
      {"-c", std::string(SINTER_COMMAND) + " cache list --directory " + cache.path() + " > /dev/full"});
  CHECK(answer.status == 3);
  CHECK(has(answer.errors, "could not be written"));
}

}  // namespace sinter::test
