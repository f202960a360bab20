// Reductions that need a workspace, and CUDA graphs: with given results and a workspace a prepared call is
// captured and allocates nothing; otherwise it throws before it touches the stream.

#include <doctest/doctest.h>

#include "../support/accuracy.hpp"
#include "../support/cuda/fake_cuda.hpp"
#include "../support/cuda/nvrtc_is_missing.hpp"
#include "../support/needs.hpp"

#include <sinter/runtime/cuda/check.hpp>
#include <sinter/runtime/cuda/devices.hpp>
#include <sinter/runtime/cuda/stream.hpp>
#include <sinter/sinter.hpp>

#include <functional>
#include <memory>

namespace sinter::test {
namespace {

/// A type-erased function with operands and results on CUDA device 0.
struct captured_case {
  std::string name;
  std::function<std::size_t()> workspace_bytes;
  std::function<void(const stream& on)> prepare, call_alone;
  std::function<void(const stream& on, std::span<std::byte> workspace)> call;
  std::function<void(float)> fill;  ///< new elements for the next call
  std::function<std::vector<float>()> result;
};

/// `results` of `function` of one operand.
template <unsigned Rank, unsigned ResultRank, class Body>
captured_case case_of(const std::string& name, sinter::shape<Rank> extents, sinter::shape<ResultRank> result,
                      Body body) {
  struct data {
    array<float, Rank> x;
    array<float, ResultRank> out;
  };
  const device cuda = device::cuda(0);
  auto held =
      std::make_shared<data>(data{array<float, Rank>(extents, cuda), array<float, ResultRank>(result, cuda)});
  const auto function = fuse(name, body);
  captured_case made;
  made.name = name;
  made.workspace_bytes = [=] { return function.into(held->out).workspace_bytes(held->x); };
  made.prepare = [=](const stream& on) { function.on(on).into(held->out).prepare(held->x); };
  made.call_alone = [=](const stream& on) { function.on(on).into(held->out)(held->x); };
  made.call = [=](const stream& on, std::span<std::byte> workspace) {
    function.on(on).into(held->out).workspace(workspace)(held->x);
  };
  made.fill = [=](float scale) {
    std::vector<float> elements = make_data(kinds_of_data[0], static_cast<std::size_t>(held->x.size()), 5);
    for (float& element : elements) element *= scale;
    const auto from = array<float, Rank>::from(elements, extents, cuda);
    const auto copy = fuse("reduction_capture_copy", [](auto y) { return y + 0.0f; });
    copy.into(held->x)(from);
    synchronize(cuda);
  };
  made.result = [=] { return held->out.to_vector(); };
  return made;
}

/// Each needs a workspace: partial results, or values that one kernel passes to the next. A unique prefix
/// gives a test kernels that were not compiled before.
std::vector<captured_case> cases(const std::string& prefix) {
  std::vector<captured_case> made;
  made.push_back(case_of(prefix + "_full_sum", sinter::shape<1>(3000001), sinter::shape<0>(),
                         [](auto x) { return sum(x); }));
  made.push_back(case_of(prefix + "_few_rows", sinter::shape<2>(3, 2000001), sinter::shape<1>(3),
                         [](auto x) { return sum(x, axis<1>); }));
  made.push_back(case_of(prefix + "_few_columns", sinter::shape<2>(500001, 5), sinter::shape<1>(5),
                         [](auto x) { return sum(x, axis<0>); }));
  made.push_back(case_of(prefix + "_normalised", sinter::shape<1>(2000003), sinter::shape<1>(2000003),
                         [](auto x) { return (x - mean(x)) / stddev(x); }));
  made.push_back(case_of(prefix + "_sum_of_columns", sinter::shape<2>(3001, 700), sinter::shape<0>(),
                         [](auto x) { return max(sum(x, axis<0>)); }));
  return made;
}

std::span<std::byte> bytes_of(array<unsigned char, 1>& memory) {
  return {reinterpret_cast<std::byte*>(memory.data()), static_cast<std::size_t>(memory.size())};
}

/// Calls that touch a stream or device memory.
int touched(fake_cuda& fake) {
  int calls = 0;
  for (const char* name :
       {"cuLaunchKernel", "cuLaunchKernelEx", "cuMemAllocFromPoolAsync", "cuMemFreeAsync", "cuMemsetD8Async",
        "cuMemsetD32Async", "cuMemcpyHtoDAsync_v2", "cuMemcpyDtoDAsync_v2"})
    calls += fake.calls(name);
  return calls;
}

}  // namespace

TEST_CASE("a reduction tells its workspace, and with it allocates nothing") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake;
  const stream own = stream::create(device::cuda(0));
  for (const captured_case& at : cases("told")) {
    INFO(at.name);
    const std::size_t bytes = at.workspace_bytes();
    CHECK(bytes > 0);
    at.prepare(own);
    array<unsigned char, 1> memory({static_cast<std::int64_t>(bytes)}, device::cuda(0));
    int allocated = fake.calls("cuMemAllocFromPoolAsync");
    at.call(own, bytes_of(memory));
    CHECK(fake.calls("cuMemAllocFromPoolAsync") == allocated);
    // a workspace that is one byte too small is not used
    at.call(own, bytes_of(memory).first(bytes - 1));
    CHECK(fake.calls("cuMemAllocFromPoolAsync") == allocated + 1);
    allocated = fake.calls("cuMemAllocFromPoolAsync");
    const int freed = fake.calls("cuMemFreeAsync");
    at.call_alone(own);
    CHECK(fake.calls("cuMemAllocFromPoolAsync") == allocated + 1);
    CHECK(fake.calls("cuMemFreeAsync") == freed + 1);
    CHECK(fake.calls("cuStreamSynchronize") == 0);
  }
}

TEST_CASE("a captured reduction without a kernel throws before it touches the stream") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake;
  const stream own = stream::create(device::cuda(0));
  const auto native = static_cast<runtime::CUstream>(own.native());
  for (const captured_case& at : cases("captured")) {
    INFO(at.name);
    array<unsigned char, 1> memory({32 << 20}, device::cuda(0));  // more than any of them needs
    runtime::CUgraph graph = nullptr;
    fake.api().cuStreamBeginCapture_v2(native, runtime::CUstreamCaptureMode::global);
    const int before = touched(fake);
    std::string message;
    try {
      at.call(own, bytes_of(memory));
    } catch (const device_error& thrown) {
      message = thrown.what();
    }
    INFO(message);
    CHECK(message.find(at.name) != std::string::npos);
    CHECK(message.find("no kernel can be compiled") != std::string::npos);
    CHECK(touched(fake) == before);
    fake.api().cuStreamEndCapture(native, &graph);
    fake.api().cuGraphDestroy(graph);
  }
}

TEST_CASE("a captured reduction without workspace gets one, which the graph keeps") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake;
  const stream own = stream::create(device::cuda(0));
  const auto native = static_cast<runtime::CUstream>(own.native());
  for (const captured_case& at : cases("kept")) {
    INFO(at.name);
    array<unsigned char, 1> memory({32 << 20}, device::cuda(0));
    at.prepare(own);
    runtime::CUgraph graph = nullptr;
    fake.api().cuStreamBeginCapture_v2(native, runtime::CUstreamCaptureMode::global);
    const auto launched = [&] { return fake.calls("cuLaunchKernel") + fake.calls("cuLaunchKernelEx"); };
    const int freed = fake.calls("cuMemFreeAsync");
    int allocated = fake.calls("cuMemAllocFromPoolAsync"), before = launched();
    at.call_alone(own);
    at.call(own, bytes_of(memory).first(8));
    CHECK(launched() > before);
    CHECK(fake.calls("cuMemAllocFromPoolAsync") == allocated + 2);
    allocated += 2;
    before = launched();
    at.call(own, bytes_of(memory));
    CHECK(launched() > before);
    CHECK(fake.calls("cuMemAllocFromPoolAsync") == allocated);
    fake.api().cuStreamEndCapture(native, &graph);
    at.call(own, bytes_of(memory));
    CHECK(fake.calls("cuMemFreeAsync") == freed);
    fake.api().cuGraphDestroy(graph);
    at.call(own, bytes_of(memory));
    CHECK(fake.calls("cuMemFreeAsync") == freed + 2);
  }
  CHECK_MESSAGE(fake.faults() == 0, fake.latest_fault());
}

TEST_CASE("a graph of reductions replays with right results") {
  if (test::lacks_cuda_device() || nvrtc_is_missing()) return;
  const runtime::driver_api& api = runtime::require_driver();
  const stream own = stream::create(device::cuda(0)), other = stream::create(device::cuda(0));
  const auto native = static_cast<runtime::CUstream>(own.native());
  for (const captured_case& at : cases("replayed")) {
    INFO(at.name);
    array<unsigned char, 1> memory({static_cast<std::int64_t>(at.workspace_bytes())}, device::cuda(0));
    at.fill(1);
    at.prepare(own);
    synchronize(device::cuda(0));
    runtime::check(api.cuStreamBeginCapture_v2(native, runtime::CUstreamCaptureMode::global), "capturing");
    at.call(own, bytes_of(memory));
    runtime::CUgraph graph = nullptr;
    runtime::CUgraphExec exec = nullptr;
    runtime::check(api.cuStreamEndCapture(native, &graph), "ending the capture");
    {
      const runtime::context_guard current(runtime::primary_context(0));
      runtime::check(api.cuGraphInstantiateWithFlags(&exec, graph, 0), "making the graph");
    }
    for (const float scale : {1.0f, 0.25f, 3.0f}) {
      at.fill(scale);
      // twice in a row: the state that a launch leaves in the workspace must serve the next one
      for (int launch = 0; launch < 2; ++launch)
        runtime::check(api.cuGraphLaunch(exec, native), "launching the graph");
      own.synchronize();
      const std::vector<float> replayed = at.result();
      at.call_alone(other);
      other.synchronize();
      CHECK(replayed == at.result());
    }
    api.cuGraphExecDestroy(exec);
    api.cuGraphDestroy(graph);
  }
}

}  // namespace sinter::test
