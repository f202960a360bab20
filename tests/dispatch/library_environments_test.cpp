// Environments: each library's memory, log, compile policy, cache and threads, beside those of the process.
#include <doctest/doctest.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <sinter/builder.hpp>
#include <sinter/environment.hpp>
#include <sinter/runtime/background/compile_pool.hpp>
#include <sinter/runtime/compile/kernel_table.hpp>
#include <sinter/sequence.hpp>
#include <sinter/sinter.hpp>

#include "../memory/limited_resource.hpp"
#include "../support/process/temporary_folder.hpp"
#include "../support/refuse_allocations.hpp"

using namespace sinter;
using sinter::test::limited_resource;

namespace {

const device cpu = device::cpu();

/// Runs pieces on as many threads of its own, and counts.
struct own_threads {
  std::atomic<int> runs{0}, pieces{0};

  static void run(void* context, unsigned pieces, void (*body)(const void*, unsigned), const void* state) {
    auto& mine = *static_cast<own_threads*>(context);
    ++mine.runs;
    mine.pieces += static_cast<int>(pieces);
    std::vector<std::thread> threads;
    for (unsigned piece = 0; piece < pieces; ++piece) threads.emplace_back([=] { body(state, piece); });
    for (std::thread& each : threads) each.join();
  }
  parallel_for_function function() { return {&run, this, 3}; }
};

/// Runs the pieces one after the other on the calling thread, and counts what it must not see: that one of
/// them calls it again, or throws through it.
struct strict_threads {
  int runs = 0, again = 0, thrown_through = 0;
  bool is_running = false;

  static void run(void* context, unsigned pieces, void (*body)(const void*, unsigned), const void* state) {
    auto& mine = *static_cast<strict_threads*>(context);
    ++mine.runs;
    mine.again += mine.is_running ? 1 : 0;
    const bool was_running = std::exchange(mine.is_running, true);
    for (unsigned piece = 0; piece < pieces; ++piece) try {
        body(state, piece);
      } catch (...) {
        ++mine.thrown_through;
      }
    mine.is_running = was_running;
  }
  parallel_for_function function() { return {&run, this, 4}; }
};

struct told {
  std::atomic<int> messages{0};
  static void hook(void* data, log_level, std::string_view) { ++static_cast<told*>(data)->messages; }
};

std::size_t files_in(const std::string& folder) {
  std::size_t count = 0;
  for (const auto& each : std::filesystem::recursive_directory_iterator(folder))
    count += each.is_regular_file();
  return count;
}

cache_settings cache_in(const std::string& folder) {
  cache_settings made;
  made.directory = folder;
  return made;
}

}  // namespace

TEST_SUITE("environments of libraries") {
  TEST_CASE("results of calls in an environment, and arrays of its scope, come from its memory") {
    limited_resource mine;
    const environment inside({.cpu_memory = memory_resource(mine)});
    const auto twice = fuse([](auto x) { return x * 2; });
    array<float, 1> x(cpu.is_cpu() ? 4 : 0, cpu);
    x(all()) = 3;
    {
      const array<float, 1> y = twice.in(inside)(x);
      CHECK(mine.live == 1);
      CHECK(y.to_vector() == std::vector<float>(4, 6));
      const array<float, 1> outside = twice(x);
      CHECK(mine.live == 1);
      const environment_scope scope(inside);
      const array<float, 1> made({8}, cpu);
      const array<float, 1> again = x * 2;
      CHECK(mine.live == 3);
      {
        const environment plain;
        const environment_scope none(plain);
        const array<float, 1> not_mine({8}, cpu);
        CHECK(mine.live == 3);
      }
    }
    CHECK(mine.live == 0);
    const array<float, 1> named(shape<1>(4), cpu, inside);
    CHECK(mine.live == 1);
  }
  TEST_CASE("a call's own memory goes before the environment's") {
    limited_resource mine, of_call;
    const environment inside({.cpu_memory = memory_resource(mine)});
    const memory_resource from(of_call);
    const auto twice = fuse([](auto x) { return x * 2; });
    const array<float, 1> x = array<float, 1>::from(std::vector<float>{1, 2}, {2}, cpu);
    const auto y = twice.in(inside).memory(from)(x);
    CHECK(mine.given == 0);
    CHECK(of_call.given == 1);
  }
  TEST_CASE("the cpu's work runs on its threads, with the bits of oneTBB's") {
    own_threads mine;
    const environment inside({.parallel_for = mine.function()});
    std::vector<float> host(1 << 21);
    for (std::size_t i = 0; i < host.size(); ++i) host[i] = std::sin(static_cast<float>(i));
    const array<float, 1> x = array<float, 1>::from(host, {host.size()}, cpu);
    const auto work = fuse([](auto v) { return std::tuple(exp(sin(v)) * v, sum(v)); });
    const auto [a, total] = work(x);
    CHECK(mine.runs == 0);
    const auto [b, again] = work.in(inside)(x);
    CHECK(mine.runs > 0);
    CHECK(mine.pieces > mine.runs);
    CHECK(a.to_vector() == b.to_vector());
    CHECK(total.item() == again.item());
    // Rows that the nest does not sort are sorted by the runtime.
    const auto sorted_here = fuse([](auto v) { return sort(reshape(v, 64, -1)); });
    const auto sorted = sorted_here(x);
    const int before = mine.runs;
    CHECK(sorted_here.in(inside)(x).to_vector() == sorted.to_vector());
    CHECK(mine.runs > before);
    const auto sorted_whole = fuse([](auto v) { return sort(v); });
    CHECK(sorted_whole.in(inside)(x).to_vector() == sorted_whole(x).to_vector());
  }
  TEST_CASE("steps of a sequence are pieces for its threads, and divide themselves no further") {
    strict_threads mine;
    const environment inside({.parallel_for = mine.function()});
    std::vector<float> host(1 << 18);
    for (std::size_t i = 0; i < host.size(); ++i) host[i] = std::sin(static_cast<float>(i));
    const array<float, 1> x = array<float, 1>::from(host, {host.size()}, cpu);
    const auto work = fuse([](auto v) { return exp(sin(v)) * v; });
    const auto sorted = fuse([](auto v) { return sort(v); });
    array<float, 1> left(x.shape(), cpu), right(x.shape(), cpu);
    const auto check_beside = [&](const auto& f) {
      const auto expected = f(x).to_vector();
      sequence steps(cpu);
      steps.add(f.into(left), x);
      steps.add(f.into(right), x);
      mine = {};
      {
        const environment_scope scope(inside);
        steps.run();
      }
      CHECK(mine.runs > 0);
      CHECK(mine.again == 0);
      CHECK(left.to_vector() == expected);
      CHECK(right.to_vector() == expected);
    };
    check_beside(work);
    check_beside(sorted);  // by the runtime
  }
  TEST_CASE("a lack of memory is thrown by the call, and not through its threads") {
    strict_threads mine;
    const environment inside({.parallel_for = mine.function()});
    std::vector<float> host(1 << 16);
    for (std::size_t i = 0; i < host.size(); ++i) host[i] = std::sin(static_cast<float>(i));
    const array<float, 1> x = array<float, 1>::from(host, {host.size()}, cpu);
    array<float, 1> out(x.shape(), cpu);
    const auto sorted = fuse([](auto v) { return reshape(sort(reshape(v, 64, -1)), -1); });
    sequence steps(cpu);
    steps.add(sorted.into(out), x);
    const environment_scope scope(inside);
    steps.run();
    const auto expected = out.to_vector();
    for (std::size_t nth = 1; nth < 20; ++nth) {
      const refused_allocations refused(nth, refusal::from_then_on);
      try {
        steps.run();
      } catch (const std::bad_alloc&) {
      }
    }
    CHECK(mine.thrown_through == 0);
    steps.run();
    CHECK(out.to_vector() == expected);
  }
  TEST_CASE(
      "what is compiled in it goes to its cache and is told to its hook; the kernel is then everybody's") {
    const test::temporary_folder folder;
    told mine;
    const environment inside({.log = &told::hook, .log_data = &mine, .cache = cache_in(folder.path())});
    const auto once = fuse("library_environments_cached", [](auto x) { return x * 17 + 4; });
    const array<float, 1> x = array<float, 1>::from(std::vector<float>{1, 2}, {2}, cpu);
    CHECK(once.in(inside)(x).to_vector() == std::vector<float>{21, 38});
    CHECK(files_in(folder.path()) > 0);
    CHECK(mine.messages > 0);
    const std::size_t compiled = runtime::kernel_table_statistics().compiled;
    CHECK(once(x).to_vector() == std::vector<float>{21, 38});
    CHECK(runtime::kernel_table_statistics().compiled == compiled);
  }
  TEST_CASE("what it asks for in the background is done in it") {
    const test::temporary_folder folder;
    const environment inside({.cache = cache_in(folder.path())});
    const auto later = fuse("library_environments_later", [](auto x) { return x * 19 + 5; });
    const array<float, 1> x = array<float, 1>::from(std::vector<float>{1, 2}, {2}, cpu);
    later.in(inside).prepare_async(x).get();
    CHECK(files_in(folder.path()) > 0);
  }
  TEST_CASE("a policy of its own is that of its calls") {
    const environment quick({.policy = compile_policy::quick_first});
    CHECK(current_compile_policy() == compile_policy::optimised);
    const environment_scope scope(quick);
    CHECK(current_compile_policy() == compile_policy::quick_first);
  }
  TEST_CASE("graphs that are built at run time name one as an option") {
    limited_resource mine;
    const environment inside({.cpu_memory = memory_resource(mine)});
    const array<float, 1> x = array<float, 1>::from(std::vector<float>{1, 2}, {2}, cpu);
    const auto made = evaluate(
        {x}, [](graph_builder& builder, auto operands) { builder.output(operands[0]); }, {.in = &inside});
    CHECK(mine.live == 1);
  }
  TEST_CASE("it lives as long as a copy or a scope's work, and says what it cannot be made of") {
    environment copy;
    {
      const environment made({.policy = compile_policy::quick_first});
      copy = made;
    }
    const environment_scope scope(copy);
    CHECK(current_compile_policy() == compile_policy::quick_first);
    CHECK_THROWS_WITH_AS(environment({.parallel_for = {&own_threads::run, nullptr, 0}}),
                         doctest::Contains("say how many of its pieces run at once"), error);
    struct host_only {
      void* allocate(std::size_t, std::size_t) { return nullptr; }
      void deallocate(void*, std::size_t, std::size_t) {}
    } host;
    CHECK_THROWS_WITH_AS(environment({.gpu_memory = memory_resource(host)}),
                         doctest::Contains("gpu_memory is the CPU's alone"), device_error);
  }
}

TEST_CASE("a schedule says into how many tasks a launch is divided, whatever the work is") {
  own_threads threads;
  const environment mine({.parallel_for = threads.function()});
  const auto twice = fuse([](auto x) { return x * 2; });
  const array<float, 2> x = full<float>({64, 2048}, 1.f, cpu);
  schedule chosen = parse_schedule("rows threads_along=2048 rows_per_thread=1");
  const auto pieces_with = [&](unsigned tasks) {
    chosen.tasks = static_cast<std::uint16_t>(tasks);
    threads.pieces = 0;
    CHECK(twice.with(chosen).in(mine)(x).to_vector() == std::vector<float>(64 * 2048, 2.f));
    return threads.pieces.load();
  };
  CHECK(pieces_with(1) == 0);
  CHECK(pieces_with(2) == 2);
  CHECK(pieces_with(3) == 3);
}
