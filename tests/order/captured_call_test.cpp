// Calls that are captured into CUDA graphs: what they wait for, and the memory that the graph keeps.
#include <doctest/doctest.h>

#include <deque>
#include <string>
#include <vector>

#include <sinter/runtime/error.hpp>
#include <sinter/sinter.hpp>

#include "../support/cuda/nvrtc_is_missing.hpp"
#include "ordered_call.hpp"

using namespace sinter;
using namespace sinter::runtime;
using namespace sinter::test;

TEST_CASE("a capture that would have to wait is refused before the stream is touched") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake;
  ordered_call axpy(fake, "captured_call_waits"), apart(fake, "captured_call_waits");
  const stream own = stream::create(cuda), other = stream::create(cuda);
  axpy.prepare_on(own);
  apart.prepare_on(own);
  axpy(other);
  const auto touched = [&] {
    return fake.calls("cuLaunchKernel") + fake.calls("cuStreamWaitEvent") + fake.calls("cuEventRecord");
  };
  {
    const capture_scope capture(fake, own);
    apart(own);  // shares nothing with the other stream
    const int before = touched();
    try {
      axpy(own);
      FAIL("nothing was thrown");
    } catch (const device_error& thrown) {
      const std::string text = thrown.what();
      CHECK(text.find("captured_call_waits") != std::string::npos);
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
  }
  axpy(own);
  own.synchronize();
  {
    const capture_scope capture(fake, other);
    axpy(other);
  }
  CHECK_IN_ORDER(fake);
}

TEST_CASE("prepare waits for every stream that a capture would have to wait for, however many there are") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake;
  ordered_call axpy(fake, "captured_call_many");
  const stream own = stream::create(cuda);
  axpy(own);
  std::vector<stream> others;
  std::deque<ordered_call> readers;
  for (int i = 0; i < 40; ++i) {  // more than a stream remembers without a lock
    others.push_back(stream::create(cuda));
    readers.emplace_back(fake, "captured_call_many");
    readers.back().inputs[0] = axpy.out.view();
    readers.back()(others.back());
  }
  axpy.prepare_on(own);
  {
    const capture_scope capture(fake, own);
    axpy(own);
  }
  CHECK_IN_ORDER(fake);
}

TEST_CASE("what a stream was given before it joined a capture is outside of it") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake;
  ordered_call axpy(fake, "captured_call_before");
  const stream first = stream::create(cuda), second = stream::create(cuda);
  axpy.prepare_on(first);
  axpy.prepare_on(second);
  axpy(second);
  {
    const capture_scope capture(fake, first);
    fake.allow_forks(true);
    event(first).wait_on(second);
    fake.allow_forks(false);
    CHECK_THROWS_AS(axpy(first), device_error);
  }
  CHECK_IN_ORDER(fake);
}

TEST_CASE("work that was queued before a capture is waited for when its stream ends in the capture") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake;
  ordered_call axpy(fake, "captured_call_ended");
  {
    const stream own = stream::create(cuda);
    axpy(own);
    runtime::CUgraph graph = nullptr;
    const auto native = static_cast<runtime::CUstream>(own.native());
    fake.api().cuStreamBeginCapture_v2(native, runtime::CUstreamCaptureMode::global);
    forget(own);
    fake.api().cuStreamEndCapture(native, &graph);
    fake.api().cuGraphDestroy(graph);
  }
  axpy(stream::create(cuda));
  CHECK_IN_ORDER(fake);
}

TEST_CASE("streams of one capture wait for each other inside of its graph") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake;
  ordered_call axpy(fake, "captured_call_fork");
  const stream first = stream::create(cuda), second = stream::create(cuda);
  axpy.prepare_on(first);
  axpy.prepare_on(second);
  synchronize(cuda);
  {
    const capture_scope capture(fake, first);
    fake.allow_forks(true);
    event(first).wait_on(second);
    fake.allow_forks(false);
    const int before = fake.calls("cuStreamWaitEvent");
    axpy(first);
    axpy(second);
    CHECK(fake.calls("cuStreamWaitEvent") == before + 1);
    axpy(first);
    CHECK(fake.calls("cuStreamWaitEvent") == before + 2);
  }
  axpy(second);
  CHECK_IN_ORDER(fake);
}

TEST_CASE("a prepared call without into is captured, and the graph keeps its results") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake;
  ordered_call axpy(fake, "captured_call_fresh");
  const stream own = stream::create(cuda);
  axpy.prepare_on(own);
  const result ready = axpy.fresh(own);
  int freed = 0;
  {
    capture_scope capture(fake, own);
    const int launched = fake.calls("cuLaunchKernel");
    result made = axpy.fresh(own);
    CHECK(fake.calls("cuLaunchKernel") == launched + 1);
    axpy.read(made);
    axpy(own);
    freed = fake.calls("cuMemFreeAsync");
    made.storage.release();
    axpy.read_own();
    capture.end();
    axpy(own);
    CHECK(fake.calls("cuMemFreeAsync") == freed);  // the graph may still be launched
  }
  CHECK(fake.calls("cuMemFreeAsync") == freed);  // CUDA may not be called where graphs end
  axpy(own);
  CHECK(fake.calls("cuMemFreeAsync") == freed + 1);
  CHECK_IN_ORDER(fake);
}

TEST_CASE("record_use during a capture lets the graph keep an array") {
  fake_cuda fake;
  const stream own = stream::create(cuda);
  array<float, 1> x(shape<1>(8), cuda);
  {
    capture_scope capture(fake, own);
    record_use(x, own);
    capture.end();
    x = array<float, 1>();
    CHECK(fake.calls("cuMemFreeAsync") == 0);
  }
  x = array<float, 1>(shape<1>(8), cuda);
  CHECK(fake.calls("cuMemFreeAsync") == 1);
  CHECK_IN_ORDER(fake);
}

TEST_CASE("a driver that cannot keep memory for a graph refuses the call and leaves all as it was") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake;
  ordered_call axpy(fake, "captured_call_refused");
  const stream own = stream::create(cuda);
  const result ready = axpy.fresh(own);
  for (const char* function : {"cuUserObjectCreate", "cuGraphRetainUserObject", "cuMemAllocFromPoolAsync"}) {
    const capture_scope capture(fake, own);
    const int launched = fake.calls("cuLaunchKernel");
    fake.fail(function, 1, CUresult::invalid_value);
    CHECK_THROWS_AS(axpy.fresh(own), device_error);
    CHECK(fake.calls("cuLaunchKernel") == launched);
    const result made = axpy.fresh(own);
  }
  axpy(own);
  CHECK_IN_ORDER(fake);
}
