// What the command line accepts, its errors, and help.

#include <algorithm>

#include <sinter/runtime/command/command_line.hpp>
#include "run_command.hpp"

namespace sinter::test {
namespace {

/// Calls use(path, command) for every command of the tree, the root first.
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
  const runtime::program_answer answer = run_command({});
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
    const runtime::program_answer answer = cache.run(wrong);
    INFO(wrong.back(), ": ", answer.errors);
    CHECK(answer.status == 2);
    CHECK(answer.output.empty());
    CHECK(has(answer.errors, "--help"));
    CHECK(answer.errors.starts_with("sinter: "));
  }
}

TEST_CASE("an unknown word is named, and what may have been meant") {
  struct mistake {
    words said;
    const char* named;
    const char* meant;  // nullptr: no similar word
  };
  for (const mistake& each : std::initializer_list<mistake>{
           {{"cahce", "list"}, "'sinter' has no command 'cahce'", "did you mean 'cache'?"},
           {{"cache", "lst"}, "'sinter cache' has no command 'lst'", "did you mean 'list'?"},
           {{"cache", "verifi", "--remove"},
            "'sinter cache' has no command 'verifi'",
            "did you mean 'verify'?"},
           {{"DOCTOR"}, "'sinter' has no command 'DOCTOR'", "did you mean 'doctor'?"},
           {{"list"},
            "'sinter' has no command 'list'",
            "there is 'sinter cache list' and 'sinter pack list'"},
           {{"pack", "prune"}, "'sinter pack' has no command 'prune'", "there is 'sinter cache prune'"},
           {{"pack", "bild", "-o", "f"}, "'sinter pack' has no command 'bild'", "did you mean 'build'?"},
           {{"compl"}, "'sinter' has no command 'compl'", "did you mean 'completion'?"},
           {{"quux"}, "'sinter' has no command 'quux'", nullptr},
           {{"--verson"}, "'sinter' has no option '--verson'", "did you mean '--version'?"},
           {{"cache", "list", "--kernal", "x"},
            "'sinter cache list' has no option '--kernal'",
            "did you mean '--kernel'?"},
           {{"cache", "prune", "--byte=3"},
            "'sinter cache prune' has no option '--byte=3'",
            "did you mean '--bytes'?"},
           {{"cache", "--json", "list"}, "'sinter cache' has no option '--json'", nullptr},
           {{"show", "ab", "--txt"}, "'sinter show' has no option '--txt'", "did you mean '--text'?"},
           {{"doctor", "-z"}, "'sinter doctor' has no option '-z'", nullptr},
           {{"nonsense\x1b[31m"}, "'sinter' has no command 'nonsense\\x1b[31m'", nullptr}}) {
    const runtime::program_answer answer = run_command(each.said);
    INFO(answer.errors);
    CHECK(answer.status == 2);
    CHECK(has(answer.errors, each.named));
    CHECK(has(answer.errors, "--help' tells what is possible"));
    if (each.meant != nullptr)
      CHECK(has(answer.errors, each.meant));
    else
      CHECK_FALSE((has(answer.errors, "did you mean") || has(answer.errors, "there is")));
  }
}

TEST_CASE("values of options are no unknown words, whatever they look like") {
  for (const words& said :
       {words{"cache", "list", "--older", "-1"}, words{"cache", "list", "--sort", "--colour"},
        words{"cache", "list", "-k", "lst", "--older", "many"}, words{"show"}, words{"cache"}}) {
    const runtime::program_answer answer = run_command(said);
    INFO(answer.errors);
    CHECK(answer.status == 2);
    CHECK_FALSE(has(answer.errors, " has no "));
  }
}

TEST_CASE("with --json, mistakes are told as JSON as well") {
  const runtime::program_answer answer = run_command({"cache", "list", "--nonsense", "--json"});
  CHECK(answer.status == 2);
  const json told = json::parse(answer.output);
  CHECK(told["exit_code"] == 2);
  CHECK(has(told["error"], "--nonsense"));
}

TEST_CASE("every command has help with its summary, its options and, but for groups, examples") {
  for_each_command(command::command_tree(), {}, [](const words& path, const command::command_node& of) {
    words asked = path;
    asked.emplace_back("--help");
    const runtime::program_answer answer = run_command(asked);
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
  const runtime::program_answer answer = run_command({"--version"}, without);
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
  const runtime::program_answer answer = runtime::run_program(
      "/bin/sh",
      {"-c", std::string(SINTER_COMMAND) + " cache list --directory " + cache.path() + " > /dev/full"});
  CHECK(answer.status == 3);
  CHECK(has(answer.errors, "could not be written"));
}

}  // namespace sinter::test
