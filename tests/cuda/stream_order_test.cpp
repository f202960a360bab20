// Calls on several streams of a device run in one order, checked by a driver without implicit ordering.
#include <doctest/doctest.h>

#include <chrono>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <sinter/runtime/cuda/devices.hpp>
#include <sinter/runtime/cuda/stream.hpp>
#include <sinter/runtime/error.hpp>

#include "../support/cuda/device_array.hpp"
#include "../support/cuda/fake_cuda.hpp"
#include "../support/cuda/nvrtc_is_missing.hpp"
#include "../support/host_array.hpp"

using namespace sinter;
using namespace sinter::runtime;
using namespace sinter::test;

namespace {

const device cuda = device::cuda(0);

/// Two inputs, a result, and the function.
struct ordered_call {
  function_handle called;
  device_array x{1024}, y{1024}, out{1024};
  operand inputs[2] = {x.view(), y.view()}, into[1] = {out.view()};
  scalar a = bits_of(2.0f);

  explicit ordered_call(const char* name) : called(axpy_function(name)) {}
  void operator()(const stream& on) {
    call_options options;
    options.on = &on;
    call(called, inputs, {&a, 1}, into, {}, options);
  }
  void prepare_on(const stream& on) {
    call_options options;
    options.on = &on;
    prepare(called, inputs, {&a, 1}, options, into);
  }
  result fresh(const stream& on) {
    call_options options;
    options.on = &on;
    result made;
    call(called, inputs, {&a, 1}, {}, {&made, 1}, options);
    return made;
  }
};

/// A stream created by another library.
struct foreign_stream {
  CUstream handle = nullptr;
  explicit foreign_stream(const fake_cuda& fake) : api_(fake.api()) {
    const context_guard current(primary_context(0));
    api_.cuStreamCreate(&handle, 0);
  }
  foreign_stream(const foreign_stream&) = delete;
  foreign_stream& operator=(const foreign_stream&) = delete;
  ~foreign_stream() { destroy(); }
  void destroy() {
    if (handle != nullptr) api_.cuStreamDestroy_v2(std::exchange(handle, nullptr));
  }

 private:
  const driver_api& api_;
};

/// A capture for a scope.
struct capture_scope {
  const driver_api& api;
  CUstream on;
  capture_scope(const fake_cuda& fake, const stream& at)
      : api(fake.api()), on(static_cast<CUstream>(at.native())) {
    REQUIRE(api.cuStreamBeginCapture_v2(on, CUstreamCaptureMode::global) == CUresult::success);
  }
  ~capture_scope() {
    CUgraph graph = nullptr;
    api.cuStreamEndCapture(on, &graph);
  }
};

#define CHECK_IN_ORDER(fake) CHECK_MESSAGE((fake).faults() == 0, (fake).latest_fault())

}  // namespace

TEST_CASE("the driver of these tests sees what is in no order") {
  fake_cuda fake;
  const driver_api& api = fake.api();
  foreign_stream first(fake), second(fake);
  CUdeviceptr memory = 0;
  const context_guard current(primary_context(0));
  REQUIRE(api.cuMemAlloc_v2(&memory, 64) == CUresult::success);
  api.cuMemsetD8Async(memory, 1, 64, first.handle);
  api.cuMemsetD8Async(memory, 2, 64, first.handle);
  CHECK(fake.faults() == 0);
  api.cuMemsetD8Async(memory, 3, 64, second.handle);
  CHECK(fake.faults() == 1);
  CUevent event = nullptr;
  REQUIRE(api.cuEventCreate(&event, 0) == CUresult::success);
  api.cuEventRecord(event, second.handle);
  api.cuStreamWaitEvent(first.handle, event, 0);
  api.cuMemsetD8Async(memory, 4, 64, first.handle);
  CHECK(fake.faults() == 1);
  api.cuStreamSynchronize(first.handle);
  api.cuMemsetD8Async(memory, 5, 64, second.handle);
  CHECK(fake.faults() == 1);
  const CUstream gone = first.handle;
  first.destroy();
  CHECK(api.cuMemsetD8Async(memory, 6, 64, gone) == CUresult::invalid_handle);
  CHECK(fake.faults() == 2);
  api.cuEventDestroy_v2(event);
  api.cuMemFree_v2(memory);
}

TEST_CASE("a call on another stream waits there for the stream before, and one on the same asks nothing") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake;
  ordered_call axpy("stream_order_calls");
  const stream first = stream::create(cuda), second = stream::create(cuda), plain = stream::default_of(cuda);
  for (const stream* on : {&first, &second, &plain, &second, &first, &plain}) axpy(*on);
  CHECK(fake.calls("cuLaunchKernel") == 6);
  const auto asked = [&] {
    return fake.calls("cuEventRecord") + fake.calls("cuStreamWaitEvent") + fake.calls("cuEventCreate") +
           fake.calls("cuStreamGetCtx");
  };
  const int before = asked();
  for (int i = 0; i < 5; ++i) axpy(plain);
  CHECK(asked() == before);
  axpy(first);
  const int switched = asked();
  CHECK(switched == before + 2);  // an event is recorded and waited for, and no new one is created
  for (int i = 0; i < 5; ++i) axpy(first);
  CHECK(asked() == switched);
  CHECK_IN_ORDER(fake);
  CHECK(fake.calls("cuStreamSynchronize") + fake.calls("cuCtxSynchronize") +
            fake.calls("cuEventSynchronize") ==
        0);
}

TEST_CASE("results, copies and memory that goes back keep the order of streams") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake;
  ordered_call axpy("stream_order_memory");
  const stream first = stream::create(cuda), second = stream::create(cuda);
  std::vector<float> host(1024);
  for (int round = 0; round < 3; ++round) {
    result made = axpy.fresh(first);
    axpy.inputs[0].data = made.storage.data();
    axpy(second);
    axpy.inputs[0] = axpy.x.view();
    made.storage.release();  // which the second stream reads
    result again = axpy.fresh(second);
    copy_bytes(host.data(), device::cpu(), again.storage.data(), cuda, 4096, stream::default_of(cuda));
    buffer moved = std::move(again.storage);
    axpy(first);
  }
  CHECK(fake.calls("cuMemFreeAsync") == 6);
  CHECK_IN_ORDER(fake);
}

TEST_CASE("memory goes back on the stream it was made on, which lives as long") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake;
  struct following final : memory_resource {
    std::vector<void*> made_on, freed_on;
    void* allocate(std::size_t, const stream& on) override {
      made_on.push_back(on.native());
      return reinterpret_cast<void*>(std::size_t{256} * made_on.size());
    }
    void deallocate(void*, std::size_t, const stream& on) noexcept override {
      freed_on.push_back(on.native());
    }
  } mine;
  set_memory_resource(cuda, &mine);
  {
    const stream other = stream::create(cuda);
    buffer memory, of_default(cuda, 64, stream::default_of(cuda));
    {
      const stream own = stream::create(cuda);
      memory = buffer(cuda, 64, own);
    }
    const buffer latest(cuda, 64, other);
    CHECK(fake.calls("cuStreamDestroy_v2") == 0);
    memory.release();
    of_default.release();
    CHECK(mine.freed_on == std::vector<void*>{mine.made_on[1], nullptr});
    CHECK(fake.calls("cuStreamDestroy_v2") == 1);
  }
  set_memory_resource(cuda, nullptr);
  CHECK_IN_ORDER(fake);
}

TEST_CASE("an owned stream that goes leaves its order behind") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake;
  ordered_call axpy("stream_order_gone");
  std::optional<result> made;
  {
    const stream own = stream::create(cuda);
    made = axpy.fresh(own);
  }
  const stream other = stream::create(cuda);
  axpy.inputs[0].data = made->storage.data();
  axpy(other);
  made.reset();
  axpy.inputs[0] = axpy.x.view();
  axpy(stream::default_of(cuda));
  CHECK(fake.calls("cuStreamDestroy_v2") == 1);
  CHECK_IN_ORDER(fake);
}

TEST_CASE("a borrowed stream may be destroyed once its object is gone, whatever was made on it") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake;
  ordered_call axpy("stream_order_borrowed");
  for (const bool another_between : {false, true}) {
    foreign_stream theirs(fake);
    std::vector<result> made;
    {
      const stream borrowed = stream::from_native(cuda, theirs.handle);
      made.push_back(axpy.fresh(borrowed));
      const int before = fake.calls("cuEventRecord");
      made.push_back(axpy.fresh(borrowed));
      made.pop_back();
      CHECK(fake.calls("cuEventRecord") == before);
    }
    // one object per call
    for (int i = 0; i < 3; ++i) made.push_back(axpy.fresh(stream::from_native(cuda, theirs.handle)));
    if (another_between) axpy(stream::default_of(cuda));
    made.pop_back();
    theirs.destroy();
    made.clear();
    axpy(stream::create(cuda));
    axpy(stream::default_of(cuda));
  }
  CHECK_IN_ORDER(fake);
}

TEST_CASE("a thread's own default stream is another stream in each thread") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake;
  ordered_call axpy("stream_order_per_thread");
  void* const handle = per_thread_default_stream();
  axpy(stream::from_native(cuda, handle));
  for (int i = 0; i < 3; ++i)
    std::thread([&] {
      const stream mine = stream::from_native(cuda, handle);
      axpy(mine);
      result made = axpy.fresh(mine);
    }).join();
  axpy(stream::default_of(cuda));
  axpy(stream::from_native(cuda, handle));
  CHECK_IN_ORDER(fake);
}

TEST_CASE("a capture that would have to wait is refused before the stream is touched") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake;
  ordered_call axpy("stream_order_captured");
  const stream own = stream::create(cuda), other = stream::create(cuda);
  axpy.prepare_on(own);
  axpy(other);
  const auto touched = [&] {
    return fake.calls("cuLaunchKernel") + fake.calls("cuStreamWaitEvent") + fake.calls("cuEventRecord");
  };
  {
    const capture_scope capture(fake, own);
    const int before = touched();
    try {
      axpy(own);
      FAIL("nothing was thrown");
    } catch (const device_error& thrown) {
      const std::string text = thrown.what();
      CHECK(text.find("stream_order_captured") != std::string::npos);
      CHECK(text.find("prepare()") != std::string::npos);
    }
    CHECK(touched() == before);
    CHECK_IN_ORDER(fake);
  }
  axpy.prepare_on(own);  // which waits for the other
  {
    const capture_scope capture(fake, own);
    axpy(own);
    axpy(own);
    // work that would have to wait for the captured stream
    const int before = touched();
    CHECK_THROWS_AS(axpy(other), device_error);
    CHECK(touched() == before);
  }
  axpy(other);
  synchronize(cuda);  // afterwards there is nothing to wait for
  {
    const capture_scope capture(fake, own);
    axpy(own);
    axpy(other);
  }
  axpy(own);
  own.synchronize();
  {
    const capture_scope capture(fake, other);
    axpy(other);
  }
  CHECK_IN_ORDER(fake);
}

TEST_CASE("memory that is freed during a capture goes back after it") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake;
  ordered_call axpy("stream_order_freed_in_capture");
  const stream own = stream::create(cuda);
  result of_own = axpy.fresh(own), of_default = axpy.fresh(stream::default_of(cuda));
  axpy.prepare_on(own);
  const int before = fake.calls("cuMemFreeAsync");
  {
    const capture_scope capture(fake, own);
    axpy(own);
    of_own.storage.release();
    of_default.storage.release();
    axpy(own);
    CHECK(fake.calls("cuMemFreeAsync") == before);
  }
  axpy(own);
  CHECK(fake.calls("cuMemFreeAsync") == before + 2);
  CHECK_IN_ORDER(fake);
}

TEST_CASE("devices have orders of their own, and copies between them are in both") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake(2);
  ordered_call axpy("stream_order_devices");
  const device second = device::cuda(1);
  const stream here = stream::create(cuda), there = stream::create(second);
  const buffer far(second, 4096, there);
  axpy(here);
  copy_bytes(far.data(), second, axpy.out.storage.data(), cuda, 4096, stream::default_of(second));
  axpy(here);
  copy_bytes(axpy.x.storage.data(), cuda, far.data(), second, 4096, here);
  const buffer again(second, 4096, there);
  axpy(stream::default_of(cuda));
  CHECK_IN_ORDER(fake);
}

TEST_CASE("an allocator that calls on other streams leaves the call in its turn") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake;
  ordered_call axpy("stream_order_allocator");
  struct calling final : memory_resource {
    ordered_call& inner;
    stream other = stream::create(cuda);
    std::vector<std::vector<float>> memory;
    explicit calling(ordered_call& with) : inner(with) {}
    void* allocate(std::size_t bytes, const stream&) override {
      inner(other);
      return memory.emplace_back(bytes / sizeof(float) + 1).data();
    }
    void deallocate(void*, std::size_t, const stream&) noexcept override { inner(other); }
  } mine(axpy);
  axpy(stream::default_of(cuda));
  set_memory_resource(cuda, &mine);
  const stream own = stream::create(cuda);
  for (int i = 0; i < 3; ++i) {
    const result made = axpy.fresh(own);
    axpy(own);
  }
  set_memory_resource(cuda, nullptr);
  CHECK_IN_ORDER(fake);
}

TEST_CASE("threads on streams of their own: what comes after all of them waits for all of them") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake;
  ordered_call axpy("stream_order_threads");
  axpy(stream::default_of(cuda));
  for (int round = 0; round < 20; ++round) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&axpy, i] {
        const stream own = stream::create(cuda);
        for (int at = 0; at < 20; ++at) {
          axpy(own);
          if (at % 4 == i) const result dropped = axpy.fresh(own);
        }
      });
    for (std::thread& each : threads) each.join();
    const int beside = fake.faults();  // of concurrent calls
    axpy(stream::create(cuda));
    const int after = fake.faults();
    CHECK_MESSAGE(after == beside, fake.latest_fault());
  }
}

TEST_CASE("a failure to order throws, and the next call has the order still") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake;
  ordered_call axpy("stream_order_failures");
  const stream first = stream::create(cuda), second = stream::create(cuda);
  const auto refused = [&](const char* function, const stream& on) {
    fake.fail(function, 1, CUresult::invalid_value);
    CHECK_THROWS_AS(axpy(on), device_error);
    axpy(on);
    axpy(stream::default_of(cuda));
  };
  refused("cuEventCreate", first);
  for (const char* function : {"cuEventRecord", "cuStreamWaitEvent"}) {
    refused(function, second);
    refused(function, first);
  }
  CHECK_IN_ORDER(fake);
}

TEST_CASE("memory is taken from a pool of Sinter's own, which keeps what is freed") {
  fake_cuda fake(2);
  for (int round = 0; round < 3; ++round)
    for (const device where : {cuda, device::cuda(1)})
      const buffer made(where, 64, stream::default_of(where));
  CHECK(fake.calls("cuMemPoolCreate") == 2);
  CHECK(fake.calls("cuMemPoolSetAttribute") == 2);  // each its own
  CHECK(fake.calls("cuMemAllocFromPoolAsync") == 6);
  CHECK_IN_ORDER(fake);
}
