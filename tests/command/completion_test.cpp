// Shell completion: the scripts are valid, and words are completed.

#include <algorithm>

#include <sinter/runtime/command/failure.hpp>
#include "completion_shell.hpp"

namespace sinter::test {

TEST_CASE("the scripts for all three shells parse") {
  const temporary_folder folder;
  for (const need which : {need::bash, need::zsh, need::fish}) {
    const std::string shell(name_of(which)), program = runtime::find_program({shell});
    if (lacks(which, program.empty() ? "it is not installed: its script is not parsed" : "")) continue;
    write_file(folder / shell, run_command({"completion", shell}).output);
    const runtime::program_answer parsed = runtime::run_program(program, {"-n", folder / shell});
    INFO(parsed.errors);
    CHECK(parsed.status == 0);
  }
}

TEST_CASE("bash completes commands, options, values and keys") {
  const cache_fixture cache(2);
  CHECK(completed(cache, {"sinter", "do"}) == words{"doctor"});
  CHECK(completed(cache, {"sinter", "cache", "ver"}) == words{"verify"});
  CHECK(completed(cache, {"sinter", "cache", "list", "--rev"}) == words{"--reverse"});
  CHECK(completed(cache, {"sinter", "cache", "list", "--sort", "ke"}) == words{"kernel", "key"});
  CHECK(completed(cache, {"sinter", "cache", "list", "--sort", "=", "b"}) == words{"bytes"});
  CHECK(completed(cache, {"sinter", "completion", "z"}) == words{"zsh"});
  const std::string key = to_string(key_of(1));
  CHECK(completed(cache, {"sinter", "show", key.substr(0, 6)}) == words{key});
  CHECK(completed(cache, {"sinter", "cache", "show", key.substr(0, 6)}) == words{key});
  CHECK(completed(cache, {"sinter", "cache", "list", "--directory", cache.root() + "/c"}) ==
        words{cache.path()});
  CHECK(completed(cache, {"sinter", "nonsense", "x"}).empty());
}

TEST_CASE("with nothing typed yet, bash lists all commands and no options") {
  const words all = completed(cache_fixture(), {"sinter", ""});
  for (const char* name : {"doctor", "cache", "show", "completion"})
    CHECK(std::find(all.begin(), all.end(), name) != all.end());
  CHECK(std::none_of(all.begin(), all.end(), [](const std::string& word) { return word.starts_with("-"); }));
}

TEST_CASE("every option and command of the tree is in the script of every shell") {
  const command::command_node tree = command::command_tree();
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const std::string script = command::completion_of(tree, shell);
    for (const command::command_node& each : tree.commands) {
      CHECK(has(script, each.name));
      for (const command::option_node& option : each.options)
        if (!option.is_argument()) CHECK(has(script, option.names.back().substr(2)));
    }
  }
  CHECK_THROWS_AS(command::completion_of(tree, "csh"), command::failure);
}

}  // namespace sinter::test
