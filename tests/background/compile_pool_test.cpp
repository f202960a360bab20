// The background threads that compile: their number and lifetime, and what happens to their work when it is
// cancelled, when the process forks, and when the process ends.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <sinter/runtime/background/compile_pool.hpp>
#include <sinter/runtime/background/compile_watch.hpp>
#include <sinter/runtime/buffer.hpp>
#include <sinter/runtime/compile/compile.hpp>
#include <sinter/runtime/compile/kernel_table.hpp>
#include <sinter/runtime/cuda/devices.hpp>
#include <sinter/runtime/cuda/driver.hpp>
#include <sinter/runtime/log.hpp>

#include "../support/cuda/fake_cuda.hpp"
#include "../support/gate.hpp"
#include "../support/process/own_process.hpp"

using namespace sinter;
using namespace sinter::runtime;
using namespace std::chrono_literals;
using sinter::test::gate;
using sinter::test::soon;
using outcome = compile_pool::outcome;

namespace {

outcome outcome_of(compile_pool& pool, const compile_pool::job_handle& work) {
  std::exception_ptr failure;
  return pool.result_of(work, failure);
}

// The status of a child that runs `work`, which returns whether it succeeded; a child that hangs is killed.
template <class Work>
int status_of_child(const Work& work) {
  std::fflush(nullptr);  // otherwise the child writes it again
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    _exit(work() ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

std::mutex log_guard;
std::vector<std::string> log_lines;
void keep_line(log_level, std::string_view text) {
  const std::lock_guard lock(log_guard);
  log_lines.emplace_back(text);
}
std::size_t lines_with(const std::string& part) {
  const std::lock_guard lock(log_guard);
  std::size_t count = 0;
  for (const std::string& line : log_lines) count += line.find(part) != std::string::npos;
  return count;
}
struct kept_log {
  log_hook before;
  kept_log() {
    log_lines.clear();
    before = set_log_hook(&keep_line);
  }
  ~kept_log() { set_log_hook(before); }
};

}  // namespace

TEST_CASE("no more work is begun at once than there are threads, and all of it is done") {
  compile_pool pool;
  pool.set_threads(3);
  CHECK(pool.statistics().threads == 0);
  std::atomic<int> done{0};
  std::vector<compile_pool::job_handle> all;
  gate open;
  for (int i = 0; i < 50; ++i)
    all.push_back(pool.submit([&] {
      open.pass();
      ++done;
    }));
  CHECK(soon([&] { return open.waiting() == 3; }));
  open.open();
  for (const auto& each : all) pool.wait(each);
  CHECK(done == 50);
  CHECK(pool.statistics().max_at_once == 3);
  CHECK(pool.statistics().begun == 50);
  CHECK(outcome_of(pool, all[7]) == outcome::done);
}

TEST_CASE("threads begin with the first work, and end when there has been none for a while") {
  compile_pool pool(20ms);
  pool.set_threads(2);
  pool.wait(pool.submit([] {}));
  CHECK(soon([&] { return pool.statistics().threads == 0; }));
  pool.wait(pool.submit([] {}));
  CHECK(pool.statistics().begun == 2);
}

TEST_CASE("fewer threads may be asked for while there is work, and more") {
  compile_pool pool;
  pool.set_threads(1);
  gate open;
  std::vector<compile_pool::job_handle> all;
  for (int i = 0; i < 6; ++i) all.push_back(pool.submit([&] { open.pass(); }));
  CHECK(soon([&] { return open.waiting() == 1; }));
  pool.set_threads(4);
  CHECK(soon([&] { return open.waiting() == 4; }));
  pool.set_threads(1);
  open.open();
  for (const auto& each : all) pool.wait(each);
  CHECK(soon([&] { return pool.statistics().threads == 1; }));
}

TEST_CASE("what work throws is kept for who asks") {
  compile_pool pool;
  const auto failing = pool.submit([] { throw std::runtime_error("refused"); });
  pool.wait(failing);
  std::exception_ptr failure;
  CHECK(pool.result_of(failing, failure) == outcome::failed);
  CHECK_THROWS_WITH(std::rethrow_exception(failure), "refused");
}

TEST_CASE("work that is cancelled before it has begun never begins") {
  compile_pool pool;
  pool.set_threads(1);
  gate open;
  std::atomic<bool> begun{false};
  const auto first = pool.submit([&] { open.pass(); });
  CHECK(soon([&] { return open.waiting() == 1; }));
  const auto second = pool.submit([&] { begun = true; });
  std::thread waiting([&] { pool.wait(second); });
  CHECK(pool.cancel(second));
  waiting.join();
  CHECK(pool.finished(second));
  CHECK(outcome_of(pool, second) == outcome::cancelled);
  open.open();
  pool.wait(first);
  pool.wait(pool.submit([] {}));
  CHECK_FALSE(begun);
  CHECK(pool.cancel(second));
  CHECK_FALSE(pool.cancel(first));
}

TEST_CASE("of work that has begun a cancel releases who waits, and it goes on") {
  compile_pool pool;
  gate open;
  std::atomic<bool> ended{false};
  const auto work = pool.submit([&] {
    open.pass();
    ended = true;
  });
  std::thread waiting([&] { pool.wait(work); });
  CHECK(soon([&] { return open.waiting() == 1; }));
  CHECK_FALSE(pool.cancel(work));
  waiting.join();
  CHECK_FALSE(ended);
  open.open();
  CHECK(soon([&] { return ended.load(); }));
}

TEST_CASE("what somebody waits for is begun before what only stands in line") {
  compile_pool pool;
  pool.set_threads(1);
  gate open;
  std::mutex guard;
  std::string order;
  const auto note = [&](char name) {
    const std::lock_guard lock(guard);
    order += name;
  };
  const auto first = pool.submit([&] { open.pass(); });
  CHECK(soon([&] { return open.waiting() == 1; }));
  const auto a = pool.submit([&] { note('a'); });
  const auto b = pool.submit([&] { note('b'); });
  std::thread waiting([&] { pool.wait(b); });
  CHECK(soon([&] { return pool.statistics().put_first == 1; }));
  open.open();
  waiting.join();
  pool.wait(a);
  CHECK(order == "ba");
}

TEST_CASE("work may add work and wait for it, even with one thread") {
  compile_pool pool;
  pool.set_threads(1);
  int reached = 0;
  pool.wait(pool.submit([&] { pool.wait(pool.submit([&] { ++reached; })); }));
  CHECK(reached == 1);
}

TEST_CASE("a pool that was stopped begins nothing, but for who waits") {
  compile_pool pool;
  pool.set_threads(1);
  gate open;
  std::atomic<int> begun{0};
  const auto first = pool.submit([&] { open.pass(); });
  CHECK(soon([&] { return open.waiting() == 1; }));
  const auto waiting = pool.submit([&] { ++begun; });
  std::thread opening([&] {
    soon([&] { return pool.statistics().stopping; });
    open.open();
  });
  pool.stop();
  opening.join();
  CHECK(pool.finished(first));
  CHECK(pool.statistics().threads == 0);
  const auto late = pool.submit([&] { ++begun; });
  CHECK(begun == 0);
  pool.wait(waiting);
  pool.wait(late);
  CHECK(begun == 2);
}

// ThreadSanitizer does not allow the child of a threaded process to start threads.
#if !defined(__SANITIZE_THREAD__)
TEST_CASE("a fork waits for what has begun, and the child has threads of its own") {
  compile_pool& pool = process_compile_pool();
  pool.set_threads(1);
  std::atomic<bool> ended{false};
  gate begun;
  begun.open();
  const auto running = pool.submit([&] {
    begun.pass();
    soon([&] { return pool.statistics().held; });  // the fork waits
    ended = true;
  });
  std::atomic<int> queued_runs{0};
  const auto queued = pool.submit([&] { ++queued_runs; });
  CHECK(soon([&] { return begun.passed() == 1; }));
  const int status = status_of_child([&] {
    // in the child: jobs that had begun are finished; the others run when they are waited for
    if (!ended) return false;
    if (!pool.finished(running) || pool.finished(queued)) return false;
    if (!soon([&] { return pool.finished(queued); })) return false;  // polling also makes the job run
    pool.wait(queued);
    std::atomic<int> fresh{0};
    pool.wait(pool.submit([&] { ++fresh; }));
    return queued_runs == 1 && fresh == 1;
  });
  CHECK(status == 0);
  pool.wait(queued);
  CHECK(queued_runs == 1);
  pool.set_threads(0);
}

TEST_CASE("a kernel that the parent was compiling at a fork is compiled by the child") {
  gate open;
  std::atomic<bool> compiling{false};
  std::thread other([&] {
    find_or_make_kernel("compile_pool_forked", [&] {
      compiling = true;
      open.pass();
      return made_kernel{};
    });
  });
  CHECK(soon([&] { return compiling.load(); }));
  const int status = status_of_child([] {
    int made = 0;
    find_or_make_kernel("compile_pool_forked", [&] {
      ++made;
      return made_kernel{};
    });
    return made == 1;
  });
  CHECK(status == 0);
  open.open();
  other.join();
}

TEST_CASE("a process that ends while it compiles finishes that, begins nothing more, and ends") {
  // a new process, because the child of a fork would run the exit handlers of every library that is open here
  const test::own_process alone =
      test::run_alone("the end of a process that compiles (in a process of its own)");
  CHECK(alone.status == 0);
  CHECK(alone.told == "finished");
}

TEST_CASE("the end of a process that compiles (in a process of its own)" * doctest::skip()) {
  if (!test::runs_alone()) return;
  static gate begun;
  begun.open();
  compile_pool& pool = process_compile_pool();
  pool.set_threads(1);
  pool.submit([&] {
    begun.pass();
    soon([&] { return pool.statistics().stopping; });  // the process is ending
    test::tell("finished");
  });
  pool.submit([] { test::tell("begun"); });
  REQUIRE(soon([&] { return begun.passed() == 1; }));
  std::exit(0);
}

TEST_CASE("the child of a fork leaves the CUDA driver of its parent alone") {
  const test::own_process alone =
      test::run_alone("a fork after the driver was started (in a process of its own)",
                      {{"SINTER_CUDA_DRIVER", fake_cuda_path()}});
  CHECK(alone.status == 0);
  CHECK(alone.told == "child parent");
}

TEST_CASE("a fork after the driver was started (in a process of its own)" * doctest::skip()) {
  if (!test::runs_alone()) return;
  REQUIRE(driver() != nullptr);
  {
    stream kept = stream::create(device::cuda(0));
    buffer memory(device::cuda(0), 100, kept);
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);
      const bool forgotten =
          driver() == nullptr && cuda_device_count() == 0 &&
          driver_absence_reason().find("before this process was forked") != std::string::npos;
      if (!forgotten) _exit(1);
      // objects of the driver are destroyed with the child
      static const stream last_stream = std::move(kept);
      static const buffer last_memory = std::move(memory);
      test::tell("child ");
      std::exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(status == 0);
  }
  CHECK(driver() != nullptr);
  test::tell("parent");
}

#endif

TEST_CASE("a compile that takes long is told of once, while it goes on, and others are not") {
  const kept_log log;
  compile_watcher watcher(300ms);
  {
    const compile_watcher::watched slow(watcher, "slow_kernel", 1234);
    {
      const compile_watcher::watched fast(watcher, "fast_kernel", 10);
    }
    CHECK(soon([] { return lines_with("slow_kernel") == 1; }));
    CHECK(lines_with("1234 bytes") == 1);
    std::this_thread::sleep_for(600ms);
  }
  CHECK(lines_with("slow_kernel") == 1);
  CHECK(lines_with("fast_kernel") == 0);
  {
    const compile_watcher::watched again(watcher, "another_kernel", 10);
    CHECK(soon([] { return lines_with("another_kernel") == 1; }));
  }
}

TEST_CASE("the compiles of many threads are watched at once") {
  const kept_log log;
  compile_watcher watcher(500ms);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&watcher, i] {
      for (int round = 0; round < 200; ++round)
        const compile_watcher::watched fast(watcher, "fast_kernel", 10);
      const compile_watcher::watched slow(watcher, "slow_kernel_" + std::to_string(i), 10);
      soon([i] { return lines_with("slow_kernel_" + std::to_string(i)) == 1; });
    });
  for (std::thread& each : threads) each.join();
  CHECK(lines_with("slow_kernel_") == 8);
  CHECK(lines_with("fast_kernel") == 0);
}

TEST_CASE("what is repeated while a compile goes on begins at once, beside longer waits, and ends with it") {
  compile_watcher watcher(1h);
  const compile_watcher::watched slow(watcher, "slow_kernel", 10);
  static std::atomic<int> times;
  times = 0;
  const auto mine = std::make_shared<int>(0);
  {
    const compile_watcher::repeated often(watcher, 1ms, [mine] {
      ++*mine;  // no other thread runs it, so that one thread does
      ++times;
    });
    CHECK(soon([] { return times >= 5; }));
  }
  // its members are destroyed with it, or after it if it is running
  CHECK(soon([&] { return mine.use_count() == 1; }));
  CHECK(*mine == times);
}

#if !defined(__SANITIZE_THREAD__)
TEST_CASE("the child of a fork watches its own compiles") {
  compile_watcher& watcher = process_compile_watcher();
  const compile_watcher::watched of_parent(watcher, "of_parent", 10);
  CHECK(status_of_child([&] {
          const kept_log log;
          const compile_watcher::watched slow(watcher, "of_child", 10);
          return soon([] { return lines_with("of_child") == 1; }, 10s) && lines_with("of_parent") == 0;
        }) == 0);
}
#endif

#if defined(SINTER_HAS_CPU_COMPILER)
// Each of these takes Clang some tenths of a second to evaluate.
std::string slow_text(int evaluations) {
  std::string text =
      "template <int N> struct slow { static constexpr int run() {"
      " int sum = 0; for (int i = 0; i < 150000; ++i) sum = sum * 3 + i % (N + 2) & 1023; return sum; } };\n";
  for (int i = 0; i < evaluations; ++i) {
    const std::string number = std::to_string(i);
    text += "static_assert(slow<" + number + ">::run() >= 0);\n";
  }
  return text + "extern \"C\" void compile_pool_slow(const void*, long long, long long) {}\n";
}

TEST_CASE("a kernel whose compile takes more than two seconds is told of before it is there") {
  const kept_log log;
  target_facts target;
  target.kind = target_kind::cpu;
  for (int evaluations = 16;; evaluations *= 2) {
    REQUIRE(evaluations < 5000);
    const auto begin = std::chrono::steady_clock::now();
    compile_kernel({slow_text(evaluations), "compile_pool_slow"}, target);
    const auto took = std::chrono::steady_clock::now() - begin;
    CHECK((lines_with("compile_pool_slow") == 0 || took >= 2s));
    if (took < 2500ms) continue;
    CHECK(lines_with("compile_pool_slow") == 1);
    return;
  }
}
#endif
