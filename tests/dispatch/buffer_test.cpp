#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include <sinter/runtime/buffer.hpp>
#include <sinter/runtime/cpu/host_memory.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/log.hpp>

#include "../support/cuda/fake_cuda.hpp"

using namespace sinter;

namespace {

stream cpu_stream() { return stream::default_of(device::cpu()); }

// Counts what it gives and takes.
struct counting_resource {
  int given = 0, taken = 0;
  void* stream_of_last = nullptr;
  std::vector<char> memory = std::vector<char>(4096);
  void* allocate(std::size_t bytes, const stream& on) {
    if (bytes > memory.size()) throw out_of_memory("the test's memory is small", bytes, memory.size());
    ++given;
    stream_of_last = on.native();
    return memory.data();
  }
  void deallocate(void*, std::size_t, const stream& on) noexcept {
    ++taken;
    stream_of_last = on.native();
  }
};

}  // namespace

TEST_CASE("host memory is aligned, distinct and reused") {
  const stream on = cpu_stream();
  for (std::size_t bytes = 1; bytes < 40'000'000; bytes = bytes * 5 / 3 + 1) {
    buffer first(device::cpu(), bytes, on), second(device::cpu(), bytes, on);
    REQUIRE(reinterpret_cast<std::uintptr_t>(first.data()) % 256 == 0);
    REQUIRE(reinterpret_cast<std::uintptr_t>(second.data()) % 256 == 0);
    CHECK(first.size() == bytes);
    std::memset(first.data(), 1, bytes);
    std::memset(second.data(), 2, bytes);
    CHECK(static_cast<char*>(first.data())[bytes - 1] == 1);
    const void* const was = first.data();
    first.release();
    CHECK(first.data() == nullptr);
    const buffer third(device::cpu(), bytes, on);
#if !defined(__SANITIZE_ADDRESS__)
    CHECK(third.data() == was);
#else
    static_cast<void>(was);
#endif
    CHECK(static_cast<char*>(second.data())[0] == 2);
  }
  runtime::host_trim();
  CHECK(runtime::host_kept_bytes() == 0);
}

TEST_CASE("what is kept of host memory is bounded") {
  const stream on = cpu_stream();
  runtime::host_trim();
  {
    std::vector<buffer> many;
    for (int i = 0; i < 500; ++i) many.emplace_back(device::cpu(), 1000, on);
    for (int i = 0; i < 100; ++i) many.emplace_back(device::cpu(), 3 << 20, on);
  }
  CHECK(runtime::host_kept_bytes() <= 64 * 1024 + 64 * std::size_t{4 << 20});
  runtime::host_trim();
  CHECK(runtime::host_kept_bytes() == 0);
}

TEST_CASE("a buffer moves, and no bytes are no memory") {
  const stream on = cpu_stream();
  buffer nothing(device::cpu(), 0, on);
  CHECK(nothing.data() == nullptr);
  buffer first(device::cpu(), 100, on);
  void* const data = first.data();
  buffer second = std::move(first);
  CHECK(first.data() == nullptr);
  CHECK(second.data() == data);
  nothing = std::move(second);
  CHECK(nothing.data() == data);
  CHECK(nothing.size() == 100);
}

TEST_CASE("more memory than there is: out_of_memory with numbers, and work goes on") {
  const stream on = cpu_stream();
  for (const std::size_t bytes : {std::size_t{1} << 50, SIZE_MAX, SIZE_MAX / 2, std::size_t{1} << 62}) {
    try {
      const buffer huge(device::cpu(), bytes, on);
      FAIL("nothing was thrown");
    } catch (const out_of_memory& thrown) {
      CHECK(thrown.requested_bytes() == bytes);
      CHECK(thrown.free_bytes() > 0);
    }
  }
  CHECK(buffer(device::cpu(), 100, on).data() != nullptr);
}

TEST_CASE("a registered resource serves a device's buffers, and each goes back where it came from") {
  const stream on = cpu_stream();
  counting_resource mine;
  buffer before(device::cpu(), 10, on);
  set_memory_resource(device::cpu(), &mine);
  {
    const buffer during(device::cpu(), 10, on);
    CHECK(during.data() == mine.memory.data());
    before.release();
    CHECK(mine.taken == 0);
    CHECK_THROWS_AS(buffer(device::cpu(), 5000, on), out_of_memory);
    set_memory_resource(device::cpu(), nullptr);
    const buffer after(device::cpu(), 10, on);
    CHECK(after.data() != mine.memory.data());
  }
  CHECK(mine.given == 1);
  CHECK(mine.taken == 1);
}

TEST_CASE("copies between devices, and device memory freed on its stream") {
  fake_cuda fake(2);
  const device first = device::cuda(0), second = device::cuda(1);
  const stream on = stream::create(first), other = stream::create(second), host = cpu_stream();
  std::vector<int> sent{1, 2, 3, 4}, received(4);
  {
    const buffer here(first, 16, on), there(second, 16, other);
    copy_bytes(here.data(), first, sent.data(), device::cpu(), 16, on);
    copy_bytes(there.data(), second, here.data(), first, 16, on);
    copy_bytes(received.data(), device::cpu(), there.data(), second, 16, other);
    CHECK(received == sent);
    CHECK_THROWS_AS(copy_bytes(here.data(), first, sent.data(), device::cpu(), 16, host), device_error);
    CHECK_THROWS_AS(copy_bytes(here.data(), first, sent.data(), device::cpu(), 16, other), device_error);
    CHECK_THROWS_AS(buffer(first, 16, other), device_error);
    CHECK_THROWS_AS(buffer(device::cuda(7), 16, stream::default_of(device::cuda(7))), device_error);
  }
  CHECK(fake.calls("cuMemFreeAsync") == 2);
  std::vector<char> from(3'000'000, 7), to(3'000'000);
  copy_bytes(to.data(), device::cpu(), from.data(), device::cpu(), from.size(), host);
  CHECK(to == from);
}

TEST_CASE("streams and events: of the CPU always done, of CUDA by the driver") {
  const stream cpu = stream::create(device::cpu());
  CHECK(cpu.idle());
  cpu.synchronize();
  const event mark(cpu);
  CHECK(mark.done());
  mark.synchronize();
  fake_cuda fake;
  {
    stream on = stream::create(device::cuda(0));
    stream moved = std::move(on);
    CHECK(on.native() == nullptr);
    CHECK(moved.native() != nullptr);
    event reached(moved);
    CHECK(reached.done());
    const stream waiting = stream::create(device::cuda(0));
    reached.wait_on(waiting);
    CHECK(fake.calls("cuStreamWaitEvent") == 1);
    reached.wait_on(cpu);
    CHECK(fake.calls("cuEventSynchronize") == 1);
    mark.wait_on(waiting);
    CHECK(fake.calls("cuStreamWaitEvent") == 1);
    synchronize(device::cuda(0));
  }
  CHECK(fake.calls("cuStreamDestroy_v2") == 2);
  CHECK(fake.calls("cuEventDestroy_v2") == 1);
}

TEST_CASE("devices as values") {
  CHECK(device::cpu().to_string() == "cpu");
  CHECK(device::cuda(2).to_string() == "cuda:2");
  CHECK(device::cuda(2) != device::cuda(1));
  CHECK_FALSE(device::cpu().name().empty());
  CHECK(devices().front() == device::cpu());
  {
    fake_cuda fake(2);
    CHECK(devices().size() == 3);
    CHECK(cuda_absence_reason().empty());
    CHECK(device::current_default() == device::cuda(0));
    device::set_default(device::cuda(1));
    CHECK(device::current_default() == device::cuda(1));
    CHECK_THROWS_AS(device::set_default(device::cuda(9)), device_error);
    device::set_default(device::cpu());
    CHECK(device::current_default() == device::cpu());
  }
}

namespace {
int messages = 0;
log_level last_level = log_level::information;
void count_messages(log_level level, std::string_view) {
  ++messages;
  last_level = level;
}
}  // namespace

TEST_CASE("failures in destructors reach the log hook") {
  const log_hook before = set_log_hook(&count_messages);
  messages = 0;
  {
    fake_cuda fake;
    const stream on = stream::default_of(device::cuda(0));
    buffer memory(device::cuda(0), 16, on);
    fake.fail("cuMemFreeAsync", 1, runtime::CUresult::invalid_value);
    memory.release();
  }
  CHECK(messages == 1);
  CHECK(last_level == log_level::error);
  set_log_hook(nullptr);
  runtime::report(log_level::error, "nobody hears this");
  CHECK(messages == 1);
  set_log_hook(before);
}
