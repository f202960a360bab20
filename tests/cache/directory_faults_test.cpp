// A process that writes an entry is killed, or its system call fails, at each of its calls on files.

#include <doctest/doctest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../support/needs.hpp"
#include "../support/process/temporary_folder.hpp"
#include "../support/process/traced_process.hpp"
#include "cache_entries.hpp"

#include <sinter/runtime/cache/kernel_cache.hpp>
#include <sinter/runtime/log.hpp>

#include <algorithm>
#include <cerrno>
#include <filesystem>

namespace sinter::test {

using namespace runtime;
namespace files = std::filesystem;

namespace {

constexpr std::uint64_t bound = 40'000;

kernel_cache cache_in(const std::string& path) {
  kernel_cache::layers made;
  made.own = std::make_shared<directory_store>(path, folder_access::own, bound);
  made.patience = std::chrono::milliseconds(200);
  return kernel_cache(made);
}

/// Whether the cache returned the requested kernel; 2: an exception, 3: something else.
int ask(const std::string& path, int number) {
  try {
    kernel_cache cache = cache_in(path);
    const auto got =
        cache.find_or_compile({content_of(number), "kernel", 13000}, [&] { return entry_of(number); });
    return got.entry.images == entry_of(number).images ? 0 : 3;
  } catch (...) {
    return 2;
  }
}

void fill(const std::string& path) {
  for (int i = 100; i < 120; ++i) ask(path, i);  // so full that writing must evict first
}

void check_that_all_is_well(const std::string& path) {
  directory_store store(path, folder_access::own, bound);
  std::uint64_t bytes = 0;
  for (const directory_store::listed& each : store.list()) {
    cache_entry read;
    const store_answer answer = store.get(each.key);
    REQUIRE(answer.found);
    REQUIRE(decode(answer.bytes, "", read) == entry_fault::none);
    bytes += answer.bytes.size();
  }
  REQUIRE(bytes <= bound);
  REQUIRE(ask(path, 1) == 0);
  REQUIRE(ask(path, 2) == 0);
  REQUIRE(store.get(key_of(2)).found);
}

/// The number of temporary, partly written files.
std::ptrdiff_t left_temporary_files(const std::string& path) {
  const files::recursive_directory_iterator all(path);
  return std::count_if(begin(all), end(all),
                       [](const auto& at) { return at.path().filename().string().starts_with("."); });
}

}  // namespace

TEST_CASE("a writer that is killed at any call leaves whole entries, no lock, and room for the next") {
  for (const bool full : {false, true}) {
    int calls = 0;
    {
      const temporary_folder root;
      if (full) fill(root / "cache");
      const traced_result whole = run_traced([&] { return ask(root / "cache", 1); });
      REQUIRE(whole.exit_code == 0);
      calls = whole.calls;
    }
    REQUIRE(calls > 10);
    for (int at = 0; at < calls; ++at) {
      CAPTURE(at);
      const temporary_folder root;
      if (full) fill(root / "cache");
      run_traced([&] { return ask(root / "cache", 1); }, {intervention::kind::kill, at});
      check_that_all_is_well(root / "cache");
    }
  }
}

TEST_CASE("a call to the system that fails in any way never fails the one who asks for a kernel") {
  set_log_hook(nullptr);
  for (const int error : {EIO, ENOSPC, EDQUOT, EROFS, EACCES, EMFILE, ENOLCK, ENOENT}) {
    int calls = 1;
    for (int at = 0; at < calls; ++at) {
      CAPTURE(at);
      CAPTURE(error);
      const temporary_folder root;
      fill(root / "cache");
      const traced_result failed =
          run_traced([&] { return ask(root / "cache", 1); }, {intervention::kind::fail, at, error});
      calls = std::max(calls, failed.calls);
      REQUIRE(failed.exit_code == 0);
      REQUIRE(left_temporary_files(root / "cache") == 0);
      check_that_all_is_well(root / "cache");
    }
    REQUIRE(calls > 10);
  }
}

TEST_CASE("a disk that is full from any call on costs entries and not calls") {
  set_log_hook(nullptr);
  const auto ask_for_all = [](const std::string& path) {
    for (int i = 0; i < 4; ++i)
      if (const int wrong = ask(path, i); wrong != 0) return wrong;
    return 0;
  };
  int calls = 0;
  {
    const temporary_folder root;
    calls = run_traced([&] { return ask_for_all(root / "cache"); }).calls;
  }
  REQUIRE(calls > 40);
  int refused = 0;
  for (int at = 0; at < calls; ++at) {
    CAPTURE(at);
    const temporary_folder root;
    const traced_result full =
        run_traced([&] { return ask_for_all(root / "cache"); }, {intervention::kind::full_disk, at});
    REQUIRE(full.exit_code == 0);
    refused += full.forged > 0;
    // files that could not be written were removed
    for (const auto& each : files::recursive_directory_iterator(root.path()))
      REQUIRE_FALSE(each.path().filename().string().starts_with("."));
    check_that_all_is_well(root / "cache");
  }
  CHECK(refused > calls / 2);
}

TEST_CASE("a full disk costs the entry and not the call") {
  const temporary_folder root;
  files::create_directory(root / "disk");
  const pid_t child = ::fork();
  if (child < 0) FAIL("fork");
  if (child == 0) {
    set_log_hook(nullptr);
    if (::unshare(CLONE_NEWNS) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) ::_exit(77);
    if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("tmpfs", (root / "disk").c_str(), "tmpfs", 0, "size=64k,mode=0700") != 0)
      ::_exit(77);
    kernel_cache::layers layers;
    layers.own =
        std::make_shared<directory_store>(root / "disk/cache", folder_access::own, std::uint64_t{1} << 30);
    kernel_cache cache(layers);
    int stored = 0;
    for (int i = 0; i < 100; ++i) {
      const auto got =
          cache.find_or_compile({content_of(i), "kernel", 13000}, [&] { return entry_of(i, 3000); });
      if (got.entry.images != entry_of(i, 3000).images) ::_exit(3);
      stored += layers.own->get(key_of(i)).found;
    }
    ::_exit(stored > 3 && stored < 20 ? 0 : 4);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
    // The test above simulates a full disk.
    lacks(need::mounts, "no file system can be mounted here");
    return;
  }
  CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
}

}  // namespace sinter::test
