// Streams of a real GPU: long work on one, readers and freed memory on another.
#include <doctest/doctest.h>

#include "../support/needs.hpp"

#include <optional>
#include <thread>
#include <vector>

#include <sinter/runtime/cuda/check.hpp>
#include <sinter/runtime/cuda/devices.hpp>
#include <sinter/runtime/cuda/driver.hpp>
#include <sinter/runtime/cuda/nvrtc.hpp>
#include <sinter/sinter.hpp>

namespace sinter {
namespace {

bool gpu_is_missing() { return test::lacks_cuda_device() || test::lacks_nvrtc(); }

const device cuda = device::cuda(0);
constexpr std::int64_t count = std::int64_t{1} << 27;

/// Some milliseconds of work with a simple result: all elements are equal.
auto slow() {
  return fuse("stream_gpu_slow", [](auto x) {
    auto y = x;
    // the most operations of one kernel: more would take several, and a workspace
    for (int i = 0; i < 60; ++i) y = sqrt(y * y + literal(0.0f));
    return y;
  });
}
auto plain_copy() {
  return fuse("stream_gpu_copy", [](auto x) { return x + literal(0.0f); });
}

/// The number of elements that are not `wanted`.
std::int64_t wrong(const array<float, 1>& elements, float wanted) {
  const auto different = fuse("stream_gpu_different", [](auto x, auto y) { return count_nonzero(x != y); });
  return different(elements, wanted).to_vector().front();
}

}  // namespace

TEST_CASE("on a GPU a second stream reads what the first has written") {
  if (gpu_is_missing()) return;
  const auto work = slow();
  const auto copy = plain_copy();
  const stream first = stream::create(cuda), second = stream::create(cuda);
  array<float, 1> made(shape<1>(count), cuda), read(shape<1>(count), cuda);
  const array<float, 1> warm = ones<float>(shape<1>(count), cuda);
  work.into(made).prepare(warm);
  copy.into(read).prepare(made);
  for (int round = 0; round < 10; ++round) {
    const float value = static_cast<float>(round + 1);
    const array<float, 1> given = full<float>(shape<1>(count), value, cuda);
    work.on(first).into(made)(given);
    copy.on(second).into(read)(made);
    CHECK(wrong(read, value) == 0);
  }
}

TEST_CASE("on a GPU two chains that share nothing run side by side") {
  if (gpu_is_missing()) return;
  const auto work = slow();
  const stream first = stream::create(cuda), second = stream::create(cuda);
  const array<float, 1> given = full<float>(shape<1>(count), 2.0f, cuda),
                        small = ones<float>(shape<1>(64), cuda);
  array<float, 1> made(shape<1>(count), cuda), other(shape<1>(64), cuda);
  work.on(first).into(made)(given);
  plain_copy().on(second).into(other)(small);
  synchronize(cuda);
  for (int i = 0; i < 50; ++i) work.on(first).into(made)(given);
  for (int i = 0; i < 50; ++i) plain_copy().on(second).into(other)(small);
  second.synchronize();
  CHECK(!first.idle());  // some milliseconds of work for each call
  CHECK(wrong(made, 2.0f) == 0);
  CHECK(wrong(other, 1.0f) == 0);
}

TEST_CASE("on a GPU a prepared call without into is captured, and its graph keeps the result") {
  if (gpu_is_missing()) return;
  const runtime::driver_api& api = runtime::require_driver();
  const auto work = slow();
  const auto copy = plain_copy();
  const stream own = stream::create(cuda);
  const auto native = static_cast<runtime::CUstream>(own.native());
  array<float, 1> given = full<float>(shape<1>(count), 2.0f, cuda), read(shape<1>(count), cuda);
  work.on(own)(given);
  work.on(own).prepare(given);
  copy.on(own).into(read).prepare(given);
  runtime::CUgraph graph = nullptr;
  runtime::CUgraphExec exec = nullptr;
  runtime::check(api.cuStreamBeginCapture_v2(native, runtime::CUstreamCaptureMode::global), "capturing");
  {
    const array<float, 1> made = work.on(own)(given);
    copy.on(own).into(read)(made);
  }
  runtime::check(api.cuStreamEndCapture(native, &graph), "ending the capture");
  {
    const runtime::context_guard current(runtime::primary_context(0));
    runtime::check(api.cuGraphInstantiateWithFlags(&exec, graph, 0), "making the graph");
  }
  for (int round = 1; round < 4; ++round) {
    const float value = static_cast<float>(round);
    plain_copy().on(own).into(given)(value + 0.0f * given);
    std::vector<array<float, 1>> others;  // would get the result's memory if the graph did not keep it
    for (int i = 0; i < 2; ++i) others.push_back(copy.on(own)(full<float>(shape<1>(count), -1.0f, cuda)));
    runtime::check(api.cuGraphLaunch(exec, native), "launching the graph");
    record_use(read, own);
    CHECK(wrong(read, value) == 0);
    for (const array<float, 1>& each : others) CHECK(wrong(each, -1.0f) == 0);
  }
  api.cuGraphExecDestroy(exec);
  api.cuGraphDestroy(graph);
  array<float, 1> after = copy.on(own)(given);
  CHECK(wrong(after, 3.0f) == 0);
}

TEST_CASE("on a GPU memory is not given to others while a stream reads it") {
  if (gpu_is_missing()) return;
  const auto work = slow();
  const stream first = stream::create(cuda), second = stream::create(cuda);
  array<float, 1> read(shape<1>(count), cuda);
  for (int round = 0; round < 10; ++round) {
    {
      const array<float, 1> given = work.on(first)(full<float>(shape<1>(count), 3.0f, cuda));
      work.on(second).into(read)(given);
    }  // its memory is freed, and the second stream has not begun
    std::vector<array<float, 1>> others;
    for (int i = 0; i < 3; ++i)
      others.push_back(plain_copy().on(first)(full<float>(shape<1>(count), -1.0f, cuda)));
    CHECK(wrong(read, 3.0f) == 0);
  }
}

TEST_CASE("on a GPU the guide's example of streams is right, also after the stream is gone") {
  if (gpu_is_missing()) return;
  const array<float, 1> x = full<float>(shape<1>(count), 1.5f, cuda);
  array<float, 1> z(x.shape(), cuda);
  const auto twice = fuse("twice", [](auto v) { return 2 * v; });
  const auto work = slow();
  for (int round = 0; round < 5; ++round) {
    array<float, 1> made;
    {
      const stream order = stream::create(z.device());
      made = work.on(order)(x);
      twice.on(order).into(z)(made);
    }
    const array<float, 1> y = z + 1.0f;
    made = array<float, 1>();
    CHECK(wrong(z, 3.0f) == 0);
    CHECK(wrong(y, 4.0f) == 0);
  }
}

TEST_CASE("on a GPU a capture waits for nothing, and what follows the graph's launch on its stream does") {
  if (gpu_is_missing()) return;
  const runtime::driver_api& api = runtime::require_driver();
  const auto work = slow();
  const stream own = stream::create(cuda), other = stream::create(cuda);
  const auto native = static_cast<runtime::CUstream>(own.native());
  const array<float, 1> given = full<float>(shape<1>(count), 2.0f, cuda);
  array<float, 1> made(shape<1>(count), cuda), read(shape<1>(count), cuda);
  work.on(own).into(made).prepare(given);
  runtime::CUgraph graph = nullptr;
  runtime::CUgraphExec exec = nullptr;
  runtime::check(api.cuStreamBeginCapture_v2(native, runtime::CUstreamCaptureMode::global), "capturing");
  work.on(own).into(made)(given);
  CHECK_THROWS_AS(plain_copy().on(other).into(read)(made), device_error);
  runtime::check(api.cuStreamEndCapture(native, &graph), "ending the capture");
  {
    const runtime::context_guard current(runtime::primary_context(0));
    runtime::check(api.cuGraphInstantiateWithFlags(&exec, graph, 0), "making the graph");
  }
  runtime::check(api.cuGraphLaunch(exec, native), "launching the graph");
  plain_copy().on(other).into(read)(made);
  CHECK(wrong(read, 2.0f) == 0);
  api.cuGraphExecDestroy(exec);
  api.cuGraphDestroy(graph);
}

TEST_CASE("on a GPU memory that is freed during a capture goes back after it, and the capture stays whole") {
  if (gpu_is_missing()) return;
  const runtime::driver_api& api = runtime::require_driver();
  const stream own = stream::create(cuda);
  const auto native = static_cast<runtime::CUstream>(own.native());
  const auto copy = plain_copy();
  const array<float, 1> given = full<float>(shape<1>(count), 2.0f, cuda);
  array<float, 1> made(shape<1>(count), cuda);
  std::optional<array<float, 1>> of_own = copy.on(own)(given), of_default = copy(given);
  copy.on(own).into(made).prepare(given);
  runtime::CUgraph graph = nullptr;
  runtime::check(api.cuStreamBeginCapture_v2(native, runtime::CUstreamCaptureMode::global), "capturing");
  copy.on(own).into(made)(given);
  of_own.reset();
  of_default.reset();
  runtime::check(api.cuStreamEndCapture(native, &graph), "ending the capture");
  CHECK(graph != nullptr);
  api.cuGraphDestroy(graph);
  copy.on(own).into(made)(given);
  CHECK(wrong(made, 2.0f) == 0);
}

TEST_CASE("on a GPU threads hand arrays to each other across streams") {
  if (gpu_is_missing()) return;
  const auto work = slow();
  const auto copy = plain_copy();
  for (int round = 0; round < 5; ++round) {
    std::vector<array<float, 1>> made(4), read(4);
    std::vector<std::thread> threads;
    const auto start = [&](auto what) {
      for (std::size_t i = 0; i < 4; ++i) threads.emplace_back(what, i);
      for (std::thread& each : threads) each.join();
      threads.clear();
    };
    start([&](std::size_t i) {
      const stream own = stream::create(cuda);
      made[i] = work.on(own)(full<float>(shape<1>(count), static_cast<float>(i + 1), cuda));
    });
    start([&](std::size_t i) {
      const stream own = stream::create(cuda);
      read[i] = copy.on(own)(made[3 - i]);
      made[3 - i] = array<float, 1>();
    });
    for (std::size_t i = 0; i < 4; ++i) CHECK(wrong(read[i], static_cast<float>(4 - i)) == 0);
  }
}

}  // namespace sinter
