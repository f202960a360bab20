// Calls on several streams wait for each other where they share memory, and nowhere else; checked by a driver
// without implicit ordering.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <thread>
#include <vector>

#include <sinter/runtime/error.hpp>
#include <sinter/runtime/memory_order.hpp>
#include <sinter/runtime/order/timeline_table.hpp>
#include <sinter/sinter.hpp>

#include "../support/cuda/nvrtc_is_missing.hpp"
#include "ordered_call.hpp"

using namespace sinter;
using namespace sinter::runtime;
using namespace sinter::test;

namespace {

/// Work of a program's own: writes four floats.
void fill(const fake_cuda& fake, float* at, const stream& on) {
  const context_guard current(primary_context(0));
  fake.api().cuMemsetD8Async(reinterpret_cast<CUdeviceptr>(at), 1, 16, static_cast<CUstream>(on.native()));
}

}  // namespace

TEST_CASE("the driver of these tests sees what shares memory and is in no order") {
  fake_cuda fake;
  const driver_api& api = fake.api();
  foreign_stream first(fake), second(fake);
  CUdeviceptr memory = 0, other = 0;
  const context_guard current(primary_context(0));
  REQUIRE(api.cuMemAlloc_v2(&memory, 64) == CUresult::success);
  REQUIRE(api.cuMemAlloc_v2(&other, 64) == CUresult::success);
  api.cuMemsetD8Async(memory, 1, 64, first.handle);
  api.cuMemsetD8Async(memory, 2, 64, first.handle);
  api.cuMemsetD8Async(other, 2, 64, second.handle);
  CHECK(fake.faults() == 0);
  api.cuMemsetD8Async(memory, 3, 64, second.handle);
  CHECK(fake.faults() == 1);
  CUevent event = nullptr;
  REQUIRE(api.cuEventCreate(&event, 0) == CUresult::success);
  api.cuEventRecord(event, second.handle);
  api.cuStreamWaitEvent(first.handle, event, 0);
  api.cuMemsetD8Async(memory, 4, 64, first.handle);
  CHECK(fake.faults() == 1);
  char host[64];
  api.cuStreamSynchronize(first.handle);
  api.cuMemcpyDtoHAsync_v2(host, memory, 64, second.handle);
  api.cuMemcpyDtoHAsync_v2(host, memory, 64, first.handle);  // reads may run side by side
  CHECK(fake.faults() == 1);
  api.cuMemsetD8Async(memory, 5, 64, second.handle);
  CHECK(fake.faults() == 2);
  const CUstream gone = first.handle;
  first.destroy();
  CHECK(api.cuMemsetD8Async(memory, 6, 64, gone) == CUresult::invalid_handle);
  CHECK(fake.faults() == 3);
  api.cuEventDestroy_v2(event);
  api.cuMemFree_v2(memory);
  api.cuMemFree_v2(other);
}

TEST_CASE("a call on another stream waits there for what it shares, and one on the same asks nothing") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake;
  ordered_call axpy(fake, "stream_work_calls");
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

TEST_CASE("calls that share nothing, or only read the same, run side by side") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake;
  ordered_call one(fake, "stream_work_apart"), two(fake, "stream_work_apart");
  const stream first = stream::create(cuda), second = stream::create(cuda);
  one(first);
  two(second);
  two.inputs[1] = one.y.view();
  two(second);
  CHECK(!fake.follows(first, second));
  const int before = fake.calls("cuStreamWaitEvent");
  for (int i = 0; i < 5; ++i) {
    one(first);
    two(second);
  }
  CHECK(fake.calls("cuStreamWaitEvent") == before);
  CHECK(!fake.follows(first, second));
  CHECK(!fake.follows(second, first));
  two.inputs[0] = one.out.view();
  two(second);
  CHECK(!fake.follows(first, second));
  one(first);  // writes what the second stream reads
  CHECK(fake.follows(first, second));
  CHECK_IN_ORDER(fake);
}

TEST_CASE("one event serves all readers of what was written before") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake;
  ordered_call writer(fake, "stream_work_readers");
  const stream writing = stream::create(cuda);
  std::vector<stream> reading;
  std::deque<ordered_call> readers;
  for (int i = 0; i < 20; ++i) {
    reading.push_back(stream::create(cuda));
    readers.emplace_back(fake, "stream_work_readers");
    readers.back()(reading.back());
  }
  for (int round = 0; round < 3; ++round) {
    writer(writing);
    const int before = fake.calls("cuEventRecord");
    for (std::size_t i = 0; i < readers.size(); ++i) {
      readers[i].inputs[0] = writer.out.view();
      readers[i](reading[i]);
    }
    CHECK(fake.calls("cuEventRecord") == before + 1);
  }
  writer(writing);  // waits for all of them
  for (const stream& each : reading) CHECK(fake.follows(writing, each));
  CHECK_IN_ORDER(fake);
}

TEST_CASE("views of an array carry its record through slices, copies and erasure") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake;
  const array<float, 2> x({64, 64}, cuda);
  const allocation_record* const record = x.erased().record;
  REQUIRE(record != nullptr);
  const view<const float, 2> whole(x);
  CHECK(whole.record().get() == record);
  CHECK(x(slice(2, 9), 3).record().get() == record);
  CHECK(x(slice(2, 9))(all(), 4).erased().record == record);
  CHECK(transpose(x).record().get() == record);
  CHECK(flip<0>(x).record().get() == record);
  CHECK(any_view(x.erased()).record().get() == record);
  const any_view erased = x(5);
  CHECK(erased.record().get() == record);
  CHECK(erased.to<const float, 1>().erased().record == record);
  view<const float, 2> again;
  CHECK(again.record().get() == nullptr);
  again.refer_to(whole);
  CHECK(again.record().get() == record);
  CHECK(view<const float, 1>(x.data(), shape<1>(4), cuda).record().get() == nullptr);
  any_array owned = array<float, 1>(shape<1>(8), cuda);
  const allocation_record* const of_owned = owned.view().record().get();
  CHECK(of_owned != nullptr);
  CHECK(std::move(owned).to<float, 1>().erased().record == of_owned);
  const array<float, 1> on_cpu(shape<1>(4), device::cpu());
  CHECK(on_cpu.erased().record == nullptr);
}

TEST_CASE("a view outlives its array without touching freed memory of the library") {
  fake_cuda fake;
  any_view left;
  {
    const array<float, 1> x(shape<1>(8), cuda);
    left = x;
  }
  const any_view copy = left;
  CHECK(copy.record().get() != nullptr);
  CHECK(fake.calls("cuMemFreeAsync") == 1);
}

TEST_CASE("record_use and wait_for_use order kernels of a program's own") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake;
  const stream first = stream::create(cuda), second = stream::create(cuda);
  array<float, 1> x(shape<1>(8), cuda);
  wait_for_use(x, first);
  fill(fake, x.data(), first);
  record_use(x, first);
  wait_for_use(std::as_const(x), second);
  std::vector<float> host(8);
  const auto read = [&](const stream& on) {
    fake.api().cuMemcpyDtoHAsync_v2(host.data(), reinterpret_cast<CUdeviceptr>(x.data()), 32,
                                    static_cast<CUstream>(on.native()));
  };
  read(second);
  record_use(std::as_const(x), second);
  read(first);  // both only read
  record_use(x(slice(0, 4)), first);
  CHECK(!fake.follows(first, second));
  wait_for_use(x, first);
  fill(fake, x.data(), first);
  record_use(x, first);
  x.to_vector();
  CHECK_IN_ORDER(fake);
  x = array<float, 1>();
  CHECK(fake.calls("cuMemFreeAsync") == 1);
  CHECK_IN_ORDER(fake);
}

TEST_CASE("record_use and wait_for_use take elements whose type is known at run time") {
  fake_cuda fake;
  const stream first = stream::create(cuda), second = stream::create(cuda), third = stream::create(cuda);
  any_array x(element_type::float32, std::vector<std::int64_t>{8}, cuda);
  wait_for_use(x, first);
  record_use(x, first);
  array<float, 1> typed = std::move(x).to<float, 1>();
  const any_view read_only = std::as_const(typed), written = typed;
  wait_for_use(read_only, second);
  CHECK(fake.follows(second, first));
  record_use(read_only, second);
  wait_for_use(written, third);  // a write comes after the read too
  CHECK(fake.follows(third, second));
}

TEST_CASE("two streams that write parts of one array are both waited for") {
  fake_cuda fake;
  const stream first = stream::create(cuda), second = stream::create(cuda), third = stream::create(cuda);
  array<float, 1> x(shape<1>(8), cuda);
  wait_for_use(x, first);
  wait_for_use(x, second);
  fill(fake, x.data(), first);
  record_use(x(slice(0, 4)), first);
  fill(fake, x.data() + 4, second);
  record_use(x(slice(4, 8)), second);
  CHECK(!fake.follows(second, first));
  wait_for_use(std::as_const(x), third);
  CHECK(fake.follows(third, first));
  CHECK(fake.follows(third, second));
  wait_for_use(std::as_const(x), second);
  CHECK(fake.follows(second, first));
  CHECK_IN_ORDER(fake);
}

TEST_CASE("a thread's own default stream that another thread cannot name is waited for by the host") {
  fake_cuda fake;
  const stream theirs = stream::from_native(cuda, per_thread_default_stream());
  const stream own = stream::create(cuda);
  std::optional<array<float, 1>> x;
  std::thread([&] {
    x.emplace(shape<1>(8), cuda);
    std::uint64_t consumer = 0;
    wait_for_use(*x, theirs);
    consumer = hand_over(x->erased().record, &theirs);
    std::thread([&] { take_back(x->erased().record, consumer); }).join();
    wait_for_use(*x, own);
  }).join();
  x.reset();
  CHECK_IN_ORDER(fake);
}

TEST_CASE("work that a thread's own stream is given after the host has waited for it is waited for again") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake;
  ordered_call axpy(fake, "stream_work_named_by_one_thread");
  const stream theirs = stream::from_native(cuda, per_thread_default_stream());
  const stream own = stream::create(cuda);
  const work_point early = timeline_of(theirs).latest();
  std::thread([&] {
    // this thread cannot name that stream
    timeline_of(own).follow(std::array{early});
    CHECK(stream_timeline::is_done(early));
  }).join();
  CHECK(fake.calls("cuCtxSynchronize") == 1);
  CHECK(!stream_timeline::is_done(timeline_of(theirs).latest()));
  axpy(theirs);
  axpy(own);
  CHECK_IN_ORDER(fake);
}

TEST_CASE("assume_ordered waits for nothing, and what follows it still waits for it") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake;
  ordered_call axpy(fake, "stream_work_assumed");
  const stream first = stream::create(cuda), second = stream::create(cuda);
  axpy(first);
  const int before = fake.calls("cuStreamWaitEvent");
  axpy.assume_ordered = true;
  axpy(second);
  CHECK(fake.calls("cuStreamWaitEvent") == before);
  CHECK(fake.faults() > 0);  // the caller had not ordered them
  axpy.assume_ordered = false;
  const int faults = fake.faults();
  axpy(first);
  CHECK(fake.follows(first, second));
  CHECK(fake.faults() == faults);
}

TEST_CASE("an owned stream that goes leaves an event behind") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake;
  ordered_call axpy(fake, "stream_work_gone");
  std::optional<result> made;
  {
    const stream own = stream::create(cuda);
    axpy(own);
  }
  const stream other = stream::create(cuda);
  axpy(other);
  {
    const stream own = stream::create(cuda);
    made = axpy.fresh(own);
  }
  axpy.read(*made);
  axpy(other);
  made.reset();
  axpy.read_own();
  axpy(stream::default_of(cuda));
  CHECK(fake.calls("cuStreamDestroy_v2") == 2);
  CHECK_IN_ORDER(fake);
}

TEST_CASE("a foreign stream may be destroyed once it is forgotten, whatever was made on it") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake;
  ordered_call axpy(fake, "stream_work_foreign");
  for (const bool another_between : {false, true}) {
    foreign_stream theirs(fake);
    std::vector<result> made;
    made.push_back(axpy.fresh(theirs.borrowed()));
    const int before = fake.calls("cuEventRecord");
    for (int i = 0; i < 3; ++i) made.push_back(axpy.fresh(theirs.borrowed()));  // one object per call
    made.pop_back();
    CHECK(fake.calls("cuEventRecord") == before);
    if (another_between) axpy(stream::default_of(cuda));
    made.pop_back();
    forget(theirs.borrowed());
    theirs.destroy();
    made.pop_back();
    axpy.read(made.front());
    axpy(stream::create(cuda));
    axpy.read_own();
    made.clear();
    axpy(stream::default_of(cuda));
  }
  forget(stream::default_of(device::cpu()));
  forget(stream::create(cuda));  // never used
  CHECK_IN_ORDER(fake);
}

TEST_CASE("the timelines of streams that are gone serve other streams") {
  fake_cuda fake;
  std::uint32_t first = 0, most = 0;
  for (int i = 0; i < 5000; ++i) {
    const stream own = stream::create(cuda);
    const std::uint32_t index = timeline_of(own).index();
    first = i == 0 ? index : first;
    most = std::max(most, index);
  }
  // The driver of these tests repeats no handle, so each of the table's lists has a timeline of its own.
  CHECK(most - first <= 1024);
}

TEST_CASE("a thread's own default stream is another stream in each thread") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake;
  ordered_call axpy(fake, "stream_work_per_thread");
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

TEST_CASE("devices share their events: a copy between them waits for both, and is waited for by both") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake(2);
  ordered_call axpy(fake, "stream_work_devices");
  const device second = device::cuda(1);
  const stream here = stream::create(cuda), there = stream::create(second);
  const buffer far(second, 4096, there);
  axpy(here);
  copy_bytes({far.data(), second, far.record()}, {axpy.out.storage.data(), cuda, axpy.out.storage.record()},
             4096, stream::default_of(second));
  axpy(here);
  copy_bytes({axpy.x.storage.data(), cuda, axpy.x.storage.record()}, {far.data(), second, far.record()}, 4096,
             here);
  axpy(stream::default_of(cuda));
  CHECK_IN_ORDER(fake);
}

TEST_CASE("an allocator that calls on other streams leaves the call in its place") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake;
  ordered_call axpy(fake, "stream_work_allocator");
  struct calling {
    ordered_call& inner;
    stream other = stream::create(cuda);
    std::vector<std::vector<float>> memory;
    explicit calling(ordered_call& with) : inner(with) {}
    void* allocate(std::size_t bytes, const stream&) {
      inner(other);
      return memory.emplace_back(bytes / sizeof(float) + 1).data();
    }
    void deallocate(void*, std::size_t, const stream&) noexcept { inner(other); }
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

TEST_CASE("threads on streams of their own: what shares memory with all of them waits for all of them") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake;
  constexpr std::size_t workers = 16;
  ordered_call last(fake, "stream_work_threads");
  std::deque<ordered_call> each;
  for (std::size_t i = 0; i < workers; ++i) each.emplace_back(fake, "stream_work_threads");
  for (int round = 0; round < 20; ++round) {
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < workers; ++i)
      threads.emplace_back([&, i] {
        const stream own = stream::create(cuda);
        each[i].inputs[0] = last.x.view();  // all read the same
        for (std::size_t at = 0; at < 20; ++at) {
          each[i](own);
          if (at % workers == i) const result dropped = each[i].fresh(own);
        }
      });
    for (std::thread& one : threads) one.join();
    last.into[0] = last.x.view();
    last.inputs[0] = last.out.view();
    last(stream::create(cuda));
    CHECK_IN_ORDER(fake);
  }
}

TEST_CASE("threads on one stream: another stream waits for all of them") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake;
  constexpr std::size_t workers = 16;
  ordered_call shared(fake, "stream_work_one_stream");
  const stream own = stream::create(cuda), other = stream::create(cuda);
  shared(own);
  for (int round = 0; round < 20; ++round) {
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < workers; ++i)
      threads.emplace_back([&, i] {
        for (int at = 0; at < 20; ++at) {
          if (i == 0 && at % 5 == 0) const event raised(own);  // another thread's events
          shared(own);
        }
      });
    for (std::thread& one : threads) one.join();
    shared(other);
    CHECK(fake.follows(other, own));
    shared(own);
  }
  CHECK_IN_ORDER(fake);
}

TEST_CASE("a failure to order throws, and the next call is in order still") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake;
  ordered_call axpy(fake, "stream_work_failures");
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
