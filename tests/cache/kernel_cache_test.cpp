// The layers of the cache together: their order, the reason of a miss, and that one process compiles for all.

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../support/process/temporary_folder.hpp"
#include "cache_entries.hpp"

#include <sinter/runtime/cache/kernel_cache.hpp>
#include <sinter/runtime/log.hpp>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <map>
#include <thread>
#include <vector>

namespace sinter::test {

using namespace runtime;
namespace files = std::filesystem;

namespace {

constexpr std::uint64_t plenty = std::uint64_t{1} << 30;

kernel_cache::layers with_directory(const std::string& path) {
  kernel_cache::layers made;
  made.own = std::make_shared<directory_store>(path, folder_access::own, plenty);
  return made;
}

kernel_request wanted(int number, int cuda_version = 13000) {
  return {content_of(number), "kernel_" + std::to_string(number), cuda_version};
}

/// Requests a kernel; returns whether it was compiled.
bool compiles(kernel_cache& cache, const kernel_request& request, int number, std::string* why = nullptr) {
  bool compiled = false;
  const kernel_cache::obtained got = cache.find_or_compile(request, [&] {
    compiled = true;
    return entry_of(number);
  });
  CHECK(got.entry.images == entry_of(number).images);
  CHECK((got.found == cache_layer::compiled) == compiled);
  if (why != nullptr) {
    const cache_event event = recent_cache_events().back();
    *why = std::string(to_string(event.reason)) + ": " + event.detail;
  }
  return compiled;
}

class memory_store final : public entry_store {
 public:
  std::string name() const override { return "a map"; }
  store_answer get(const cache_key& key) override {
    store_answer answer;
    if (const auto at = entries.find(key); at != entries.end()) {
      answer.found = true;
      answer.bytes = at->second;
    }
    answer.fault = fault;
    return answer;
  }
  store_answer put(const cache_key& key, std::string_view bytes) override {
    store_answer answer;
    answer.fault = fault;
    answer.stored = fault.empty();
    if (answer.stored) entries[key] = bytes;
    return answer;
  }
  std::map<cache_key, std::string> entries;
  std::string fault;
};

std::string path_of(const std::string& root, int number) {
  const std::string name = to_string(key_of(number));
  return root + "/" + name.substr(0, 2) + "/" + name;
}

}  // namespace

TEST_CASE("a kernel is compiled once, and then found by every process") {
  const temporary_folder root;
  kernel_cache first(with_directory(root / "cache")), second(with_directory(root / "cache"));
  CHECK(compiles(first, wanted(1), 1));
  CHECK_FALSE(compiles(first, wanted(1), 1));
  CHECK_FALSE(compiles(second, wanted(1), 1));
  CHECK(compiles(second, wanted(2), 2));
}

TEST_CASE("without any layer every kernel is compiled") {
  kernel_cache none{kernel_cache::layers{}};
  CHECK(compiles(none, wanted(1), 1));
  CHECK(compiles(none, wanted(1), 1));
}

TEST_CASE("an entry that is damaged in any way is compiled again and replaced") {
  const temporary_folder root;
  kernel_cache cache(with_directory(root / "cache"));
  REQUIRE(compiles(cache, wanted(1), 1));
  const std::string path = path_of(root / "cache", 1), whole = read_file(path);
  set_log_hook(nullptr);
  for (const std::string& broken : {std::string(), whole.substr(0, 10), whole.substr(0, whole.size() - 1),
                                    whole + "x", std::string(4096, '\0'), encode(entry_of(2))}) {
    write_file(path, broken);
    std::string why;
    CHECK(compiles(cache, wanted(1), 1, &why));
    CHECK(why.starts_with("entry damaged"));
    CHECK(read_file(path) == whole);
    CHECK_FALSE(compiles(cache, wanted(1), 1));
  }
}

TEST_CASE("a miss says what the nearest entry differs in") {
  const temporary_folder root;
  kernel_cache cache(with_directory(root / "cache"));
  std::string why;
  CHECK(compiles(cache, wanted(1), 1, &why));
  CHECK(why == "no entry: ");
  CHECK(compiles(cache, {content_of(1, 4), "k", 13000}, 1, &why));
  CHECK(why == "emitter version differs: emitter version differs: 3, this one is 4");
  CHECK(compiles(cache, {content_of(2), "k", 13000}, 2, &why));
  CHECK(compiles(cache, {content_of(2, 3, "-O9"), "k", 13000}, 2, &why));
  CHECK(why == "compiler options differ: options differ: -O, these are -O9");
  CHECK(compiles(cache, {content_of(3), "k", 13000}, 3, &why));
  CHECK(compiles(cache, {content_of(3, 3, "-O", "other code"), "k", 13000}, 3, &why));
  CHECK(why.starts_with("linked content differs"));
}

TEST_CASE("code of a newer toolkit than the driver's is not handed to it") {
  const temporary_folder root;
  kernel_cache cache(with_directory(root / "cache"));
  REQUIRE(compiles(cache, wanted(1), 1));
  std::string why;
  CHECK(compiles(cache, wanted(1, 12040), 1, &why));
  CHECK(why.starts_with("compiler newer than the driver: compiled by nvrtc 13.0, which driver 12.4"));
  CHECK_FALSE(compiles(cache, wanted(1, 13010), 1));
}

TEST_CASE("code that could not be loaded is compiled again, and not taken from any layer any more") {
  const temporary_folder root;
  kernel_cache cache(with_directory(root / "cache"));
  REQUIRE(compiles(cache, wanted(1), 1));
  cache.distrust(content_of(1));
  std::string why;
  CHECK(compiles(cache, wanted(1), 1, &why));
  CHECK(why.starts_with("refused by the driver"));
}

TEST_CASE("the shared layer fills the own one, and gets what is compiled") {
  const temporary_folder root;
  const auto shared = std::make_shared<memory_store>();
  kernel_cache::layers layers = with_directory(root / "one");
  layers.shared = shared;
  kernel_cache one(layers);
  REQUIRE(compiles(one, wanted(1), 1));
  CHECK(shared->entries.size() == 1);

  layers.own = with_directory(root / "two").own;
  kernel_cache two(layers);
  CHECK_FALSE(compiles(two, wanted(1), 1));
  CHECK(recent_cache_events().back().where == "a map");
  shared->entries.clear();
  CHECK_FALSE(compiles(two, wanted(1), 1));
}

TEST_CASE("a layer that fails costs a compile and one warning, never a call") {
  static int warnings = 0;
  warnings = 0;
  set_log_hook([](log_level level, std::string_view) { warnings += level == log_level::warning; });
  const auto broken = std::make_shared<memory_store>();
  broken->fault = "the network is down";
  kernel_cache::layers layers;
  layers.shared = broken;
  kernel_cache cache(layers);
  std::string why;
  for (int i = 0; i < 5; ++i) CHECK(compiles(cache, wanted(i), i, &why));
  CHECK(why == "layer cannot be read: the network is down");
  CHECK(warnings == 2);  // it is neither read nor written
  set_log_hook(nullptr);
}

TEST_CASE("a compile that fails throws, keeps nothing and blocks nobody") {
  const temporary_folder root;
  kernel_cache cache(with_directory(root / "cache"));
  CHECK_THROWS_AS(cache.find_or_compile(wanted(1), []() -> cache_entry { throw std::runtime_error("no"); }),
                  std::runtime_error);
  CHECK(compiles(cache, wanted(1), 1));
}

TEST_CASE("of 64 processes that ask for one cold kernel one compiles") {
  const temporary_folder root;
  constexpr int processes = 64;
  std::vector<pid_t> children;
  int start[2];
  REQUIRE(::pipe(start) == 0);
  for (int i = 0; i < processes; ++i) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      char go = 0;
      ::close(start[1]);
      if (::read(start[0], &go, 1) < 0) ::_exit(9);  // all start when the parent closes its end
      kernel_cache cache(with_directory(root / "cache"));
      bool compiled = false;
      const auto got = cache.find_or_compile(wanted(1), [&] {
        compiled = true;
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        return entry_of(1);
      });
      const bool right = got.entry.images == entry_of(1).images;
      ::_exit(!right ? 2 : compiled ? 1 : 0);
    }
    children.push_back(child);
  }
  ::close(start[0]);
  ::close(start[1]);
  int compiled = 0, wrong = 0;
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    compiled += WIFEXITED(status) && WEXITSTATUS(status) == 1;
    wrong += !WIFEXITED(status) || WEXITSTATUS(status) > 1;
  }
  CHECK(compiled == 1);
  CHECK(wrong == 0);
}

TEST_CASE("a process that is killed while it compiles holds nobody up") {
  const temporary_folder root;
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    kernel_cache cache(with_directory(root / "cache"));
    cache.find_or_compile(wanted(1), []() -> cache_entry {
      for (;;) ::pause();
    });
  }
  while (!files::exists(root / "cache/locks")) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  kernel_cache cache(with_directory(root / "cache"));
  CHECK(compiles(cache, wanted(1), 1));
}

TEST_CASE("a process that compiles for too long is not waited for, whatever signs of life it gives") {
  const temporary_folder root;
  kernel_cache::layers layers = with_directory(root / "cache");
  layers.patience = std::chrono::hours(1);
  layers.max_wait = std::chrono::milliseconds(50);
  kernel_cache slow(layers), other(layers);
  bool compiled_beside = false;
  slow.find_or_compile(wanted(1), [&] {
    compiled_beside = compiles(other, wanted(1), 1);
    return entry_of(1);
  });
  CHECK(compiled_beside);
}

TEST_CASE("a process that is stopped while it compiles gives no sign of life and is not waited for") {
  const temporary_folder root;
  kernel_cache::layers layers = with_directory(root / "cache");
  layers.patience = std::chrono::milliseconds(50);
  layers.max_wait = std::chrono::hours(1);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    kernel_cache cache(layers);
    cache.find_or_compile(wanted(1), []() -> cache_entry {
      ::raise(SIGSTOP);
      ::_exit(0);
    });
  }
  int status = 0;
  ::waitpid(child, &status, WUNTRACED);
  CHECK(WIFSTOPPED(status));
  kernel_cache cache(layers);
  CHECK(compiles(cache, wanted(1), 1));
  ::kill(child, SIGKILL);
  ::waitpid(child, &status, 0);
}

TEST_CASE("processes wait for a compile that takes longer than their patience for as long as it goes on") {
  using clock = std::chrono::steady_clock;
  const temporary_folder root;
  kernel_cache::layers layers = with_directory(root / "cache");
  layers.patience = std::chrono::seconds(1);
  std::vector<pid_t> children;
  for (int i = 0; i < 3; ++i) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      kernel_cache cache(layers);
      bool compiled = false;
      const auto got = cache.find_or_compile(wanted(1), [&] {
        compiled = true;
        for (const auto end = clock::now() + 3 * layers.patience; clock::now() < end;) {
        }
        return entry_of(1);
      });
      ::_exit(got.entry.images != entry_of(1).images ? 2 : compiled ? 1 : 0);
    }
    children.push_back(child);
  }
  int compiled = 0;
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    REQUIRE(WIFEXITED(status));
    REQUIRE(WEXITSTATUS(status) <= 1);
    compiled += WEXITSTATUS(status);
  }
  CHECK(compiled == 1);
}

TEST_CASE("a process that waits for another's compile says so while it waits, once") {
  static std::atomic<int> said;
  said = 0;
  set_log_hook([](log_level level, std::string_view text) {
    const bool waits = text.find("'kernel_1' is being compiled by another process") != text.npos;
    said += level == log_level::information && waits;
  });
  const temporary_folder root;
  kernel_cache::layers layers = with_directory(root / "cache");
  layers.say_after = std::chrono::milliseconds(20);
  layers.patience = std::chrono::hours(1);
  layers.max_wait = std::chrono::hours(1);
  kernel_cache slow(layers), other(layers);
  bool compiled_beside = true;
  std::thread waiting;
  slow.find_or_compile(wanted(1), [&] {
    waiting = std::thread([&] { compiled_beside = compiles(other, wanted(1), 1); });
    while (said == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::this_thread::sleep_for(3 * layers.say_after);
    return entry_of(1);
  });
  waiting.join();
  CHECK_FALSE(compiled_beside);
  CHECK(said == 1);
  // a request that finds a kernel, or compiles it, does not wait and logs nothing
  CHECK_FALSE(compiles(other, wanted(1), 1));
  CHECK(compiles(other, wanted(2), 2));
  CHECK(said == 1);
  set_log_hook(nullptr);
}

TEST_CASE("the child of a fork goes on with the cache of its parent") {
  const temporary_folder root;
  kernel_cache cache(with_directory(root / "cache"));
  REQUIRE(compiles(cache, wanted(1), 1));
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) ::_exit(!compiles(cache, wanted(1), 1) && compiles(cache, wanted(2), 2) ? 0 : 1);
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
  CHECK_FALSE(compiles(cache, wanted(2), 2));
}

}  // namespace sinter::test
