// Guarantees of the cache's files that show only in the order of system calls, or with two writers in one
// critical section.

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../support/process/temporary_folder.hpp"
#include "../support/process/traced_process.hpp"

#include <sinter/runtime/posix/files.hpp>

#include <algorithm>
#include <cerrno>
#include <iterator>

namespace sinter::test {

using namespace runtime;

TEST_CASE("an entry is on the disk before it gets its name") {
  const temporary_folder root;
  folder in;
  REQUIRE(folder::open(root / "cache", folder_access::own, true, in));
  const traced_result made = run_traced([&] {
    constexpr std::string_view bytes = "bytes of an entry";
    unpublished_file temporary;
    if (const file_answer begun = in.begin("ab/entry", bytes.size(), temporary); !begun) return begun.error;
    return temporary.publish(bytes).error;
  });
  REQUIRE(made.exit_code == 0);
  const auto is_flush = [](long call) { return call == SYS_fdatasync || call == SYS_fsync; };
  const auto is_name = [](long call) {
    return call == SYS_rename || call == SYS_renameat || call == SYS_renameat2;
  };
  const auto written = std::find(made.numbers.rbegin(), made.numbers.rend(), SYS_write).base();
  const auto flushed = std::find_if(made.numbers.begin(), made.numbers.end(), is_flush);
  const auto named = std::find_if(made.numbers.begin(), made.numbers.end(), is_name);
  REQUIRE(written != made.numbers.begin());
  REQUIRE(named != made.numbers.end());
  // otherwise a power failure may leave the name without the bytes
  CHECK(written <= flushed);
  CHECK(flushed < named);
}

TEST_CASE("who changes a file keeps all others from changing it meanwhile") {
  const temporary_folder root;
  folder in, beside;
  REQUIRE(folder::open(root / "cache", folder_access::own, true, in));
  REQUIRE(folder::open(root / "cache", folder_access::own, false, beside));
  bool kept_out = false;
  REQUIRE(in.change("account", [&](std::string_view) {
    // acts as another process: locks belong to an open file, and this is a separate one
    kept_out = beside.change("account", [](std::string_view) { return "2"; }).error == EWOULDBLOCK;
    return "1";
  }));
  CHECK(kept_out);
  std::string before;
  REQUIRE(beside.change("account", [&](std::string_view content) {
    before = content;
    return before + "3";
  }));
  CHECK(before == "1");
}

TEST_CASE("a lock is free once it is let go, though a child that was forked meanwhile has its file open") {
  const temporary_folder root;
  folder in;
  REQUIRE(folder::open(root / "cache", folder_access::own, true, in));
  byte_lock mine, other;
  REQUIRE(byte_lock::acquire(in, "locks", 5, {}, mine));
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    ::alarm(60);
    ::pause();
    ::_exit(0);
  }
  CHECK(byte_lock::acquire(in, "locks", 5, {}, other).error == EWOULDBLOCK);
  mine = byte_lock();
  CHECK(byte_lock::acquire(in, "locks", 5, {}, other));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

}  // namespace sinter::test
