// On a terminal: colours, questions, and text of others, which must not control it.

#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "run_command.hpp"

namespace sinter::test {
namespace {

/// Runs the command with a terminal for input, output and errors, on which `typed` is entered.
runtime::program_answer run_on_terminal(const cache_fixture& cache, const words& arguments,
                                        const std::string& typed = {}, const words& variables = {}) {
  words all{"/usr/bin/env", "-u", "NO_COLOR", "TERM=xterm", "SINTER_CACHE_DIR=" + cache.path()};
  all.insert(all.end(), variables.begin(), variables.end());
  all.emplace_back(SINTER_COMMAND);
  all.insert(all.end(), arguments.begin(), arguments.end());
  std::vector<char*> raw;
  for (std::string& each : all) raw.push_back(each.data());
  raw.push_back(nullptr);
  int terminal = -1;
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child == 0) {
    ::execv(raw[0], raw.data());
    ::_exit(127);
  }
  REQUIRE(child > 0);
  REQUIRE(::write(terminal, typed.data(), typed.size()) == static_cast<ssize_t>(typed.size()));
  runtime::program_answer answer;
  std::array<char, 4096> piece{};
  for (;;) {
    const ssize_t count = ::read(terminal, piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;  // EIO once the other side is closed
    answer.output.append(piece.data(), static_cast<std::size_t>(count));
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ::close(terminal);
  answer.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return answer;
}

constexpr const char* escape = "\x1b[";

bool lacks_terminal() {
  int ours = -1, theirs = -1;
  if (::openpty(&ours, &theirs, nullptr, nullptr, nullptr) != 0)
    return lacks(need::terminal, std::string("a pseudo-terminal cannot be opened: ") + std::strerror(errno));
  ::close(ours);
  ::close(theirs);
  return false;
}

}  // namespace

TEST_CASE("tables have colours on a terminal, unless NO_COLOR or a dumb terminal forbids them") {
  if (lacks_terminal()) return;
  const cache_fixture cache(1);
  CHECK(has(run_on_terminal(cache, {"cache", "list"}).output, escape));
  CHECK_FALSE(has(run_on_terminal(cache, {"cache", "list"}, "", {"NO_COLOR=1"}).output, escape));
  CHECK(has(run_on_terminal(cache, {"cache", "list"}, "", {"NO_COLOR="}).output, escape));
  CHECK_FALSE(has(run_on_terminal(cache, {"cache", "list"}, "", {"TERM=dumb"}).output, escape));
}

TEST_CASE("JSON has no colours, not even on a terminal") {
  if (lacks_terminal()) return;
  const cache_fixture cache(1);
  CHECK_FALSE(has(run_on_terminal(cache, {"cache", "list", "--json"}).output, escape));
}

TEST_CASE("clear asks, and only yes is yes") {
  if (lacks_terminal()) return;
  const cache_fixture cache(3);
  for (const char* typed : {"n\n", "\n", "nonsense\n", "\x04"}) {
    const runtime::program_answer answer = run_on_terminal(cache, {"cache", "clear"}, typed);
    CHECK(has(answer.output, "Remove 3 entries"));
    CHECK(has(answer.output, cache.path()));
    CHECK(answer.status == 1);
    CHECK(cache.size() == 3);
  }
  const runtime::program_answer answer = run_on_terminal(cache, {"cache", "clear"}, "y\n");
  CHECK(answer.status == 0);
  CHECK(has(answer.output, "3 entries removed"));
  CHECK(cache.size() == 0);
  CHECK_FALSE_MESSAGE(has(run_on_terminal(cache, {"cache", "clear"}).output, "[y/N]"),
                      "nothing is nothing to ask about");
}

TEST_CASE("what an entry holds does not steer the terminal, and reaches a file as it is") {
  if (lacks_terminal()) return;
  cache_fixture cache;
  runtime::cache_entry hostile = entry_of(1);
  hostile.kernel = "name\x1b]0;title\x07";
  hostile.text = "line one\n\tline two \x1b[2J";
  cache.add(hostile);
  for (const words& command : {words{"cache", "list"}, words{"show", to_string(key_of(1))},
                               words{"show", to_string(key_of(1)), "--text"}}) {
    const std::string text = run_on_terminal(cache, command, "", {"NO_COLOR=1"}).output;
    CHECK_FALSE(has(text, "\x1b"));
    CHECK(has(text, "\\x1b"));
  }
  CHECK(cache.run({"show", to_string(key_of(1)), "--text"}).output == hostile.text + "\n");
}

}  // namespace sinter::test
