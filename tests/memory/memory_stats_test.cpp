// memory_stats() and trim_memory().
#include <doctest/doctest.h>

#include <thread>
#include <utility>
#include <vector>

#include <sinter/sinter.hpp>

#include "../order/ordered_call.hpp"
#include "../support/cuda/nvrtc_is_missing.hpp"
#include "limited_resource.hpp"

using namespace sinter;
using namespace sinter::test;

namespace {
const device cpu = device::cpu();
constexpr std::size_t megabyte = std::size_t{1} << 20;
}  // namespace

TEST_CASE("what arrays use is counted, from whichever resource, until they are gone") {
  const memory_statistics before = memory_stats(cpu);
  limited_resource mine;
  {
    const array<float, 1> small({25}, cpu), of_mine({50}, cpu, mine);
    array<float, 1> large({static_cast<std::int64_t>(megabyte)}, cpu);
    const array<float, 1> moved = std::move(large);
    CHECK(memory_stats(cpu).in_use == before.in_use + 100 + 200 + 4 * megabyte);
    CHECK(memory_stats(cpu).allocations == before.allocations + 3);
  }
  const memory_statistics after = memory_stats(cpu);
  CHECK(after.in_use == before.in_use);
  CHECK(after.allocations == before.allocations + 3);
  CHECK(after.peak >= before.in_use + 4 * megabyte + 300);
  CHECK(after.waiting == 0);
}

TEST_CASE("memory that another library owns does not count") {
  const memory_statistics before = memory_stats(cpu);
  int released = 0;
  float theirs[4] = {};
  {
    const buffer taken(foreign_memory{cpu, theirs, sizeof theirs, &released,
                                      [](void* owner) noexcept { ++*static_cast<int*>(owner); }});
    CHECK(memory_stats(cpu).in_use == before.in_use);
  }
  CHECK(released == 1);
  CHECK(memory_stats(cpu).in_use == before.in_use);
  CHECK(memory_stats(cpu).allocations == before.allocations);
}

TEST_CASE("threads that allocate, hand over and end are counted whole") {
  const memory_statistics before = memory_stats(cpu);
  for (int round = 0; round < 3; ++round) {
    std::vector<std::vector<array<float, 1>>> made(8);
    std::vector<std::thread> threads;
    for (auto& mine : made)
      threads.emplace_back([&mine] {
        for (int i = 0; i < 1000; ++i) mine.push_back(array<float, 1>({256}, device::cpu()));
      });
    for (std::thread& each : threads) each.join();
    CHECK(memory_stats(cpu).in_use == before.in_use + std::size_t{8} * 1000 * 1024);
    made.clear();  // freed by another thread than the one that allocated
    CHECK(memory_stats(cpu).in_use == before.in_use);
  }
  const memory_statistics after = memory_stats(cpu);
  CHECK(after.allocations == before.allocations + 24000);
  CHECK(after.peak >= before.in_use + std::size_t{8} * 1000 * 1024 - 8 * 65536);
}

TEST_CASE("trimming gives back what the CPU retains, and says how much") {
  trim_memory(cpu);
  CHECK(memory_stats(cpu).retained == 0);
  {
    const array<float, 1> large({static_cast<std::int64_t>(megabyte)}, cpu), small({100}, cpu);
  }
  const std::size_t retained = memory_stats(cpu).retained;
#if !defined(__SANITIZE_ADDRESS__)
  CHECK(retained >= 4 * megabyte + 400);
#endif
  CHECK(trim_memory(cpu) == retained);
  CHECK(memory_stats(cpu).retained == 0);
}

TEST_CASE("a GPU's pool: what it has from the system, what of it is free, and trimming") {
  fake_cuda fake;
  CHECK(memory_stats(cuda).reserved == 0);
  CHECK(trim_memory(cuda) == 0);
  CHECK(fake.calls("cuMemPoolCreate") == 0);  // looking makes no pool
  const std::size_t before = memory_stats(cuda).in_use;
  {
    const array<float, 1> kept({1000}, cuda);
    {
      const array<float, 1> freed({3000}, cuda);
    }
    const memory_statistics now = memory_stats(cuda);
    CHECK(now.in_use == before + 4000);
    CHECK(now.reserved == 16000);
    CHECK(now.retained == 12000);
    CHECK(trim_memory(cuda) == 12000);
    CHECK(memory_stats(cuda).reserved == 4000);
    CHECK(memory_stats(cuda).peak_reserved == 16000);
  }
  CHECK(memory_stats(cuda).in_use == before);
  CHECK(memory_stats(cuda).retained == 4000);
  CHECK_THROWS_AS(memory_stats(device::cuda(7)), device_error);
  CHECK_THROWS_AS(memory_stats(device::cuda(-1)), device_error);
  CHECK_THROWS_AS(trim_memory(device::cuda(200)), device_error);
}

TEST_CASE("memory whose array is gone waits while a capture uses it, and trimming disturbs no capture") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake;
  ordered_call axpy(fake, "memory_stats_waiting");
  const stream own = stream::create(cuda);
  runtime::result made = axpy.fresh(own);
  axpy.read(made);
  axpy.prepare_on(own);
  const std::size_t before = memory_stats(cuda).in_use;
  CHECK(memory_stats(cuda).waiting == 0);
  {
    capture_scope capture(fake, own);
    axpy(own);
    made.storage.release();
    axpy.read_own();
    CHECK(memory_stats(cuda).waiting == 4096);
    CHECK(memory_stats(cuda).in_use == before);
    trim_memory(cuda);
    CHECK(memory_stats(cuda).waiting == 4096);
    axpy(own);
  }
  trim_memory(cuda);
  CHECK(memory_stats(cuda).waiting == 0);
  CHECK(memory_stats(cuda).in_use == before - 4096);
  CHECK_IN_ORDER(fake);
}
