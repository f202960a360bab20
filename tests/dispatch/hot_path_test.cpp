// What a repeated call must not do: allocate, compile, or make driver calls other than a launch.
#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

#include <sinter/runtime/call.hpp>
#include <sinter/runtime/compile/kernel_table.hpp>
#include <sinter/runtime/cuda/devices.hpp>
#include <sinter/runtime/error.hpp>

#include "../support/count_allocations.hpp"
#include "../support/cuda/device_array.hpp"
#include "../support/cuda/fake_cuda.hpp"
#include "../support/cuda/nvrtc_is_missing.hpp"
#include "../support/host_array.hpp"

using namespace sinter;
using namespace sinter::runtime;
using sinter::test::nvrtc_is_missing;

TEST_CASE("the second call with into allocates nothing") {
  const function_handle axpy = axpy_function("hot_path_axpy");
  host_array<float> x({1024}), y({1024}), out({1024});
  const operand inputs[] = {x.operand(), y.operand()};
  const operand into[] = {out.operand()};
  const scalar a = bits_of(2.0f), b = bits_of(3.0f);
  call(axpy, inputs, {&a, 1}, into, {});
  const allocation_counter counter;
  call(axpy, inputs, {&a, 1}, into, {});
  call(axpy, inputs, {&b, 1}, into, {});
  CHECK(counter.count() == 0);
  CHECK(out.values[10] == 40);
}

TEST_CASE("a new extent with a known signature allocates nothing and compiles nothing") {
  const function_handle axpy = axpy_function("hot_path_axpy", 2);
  host_array<float> x({64, 1000}), y({64, 1000}), out({64, 1000});
  operand inputs[] = {x.operand(), y.operand()};
  operand into[] = {out.operand()};
  const scalar a = bits_of(2.0f);
  const auto run = [&](std::int64_t rows, std::int64_t columns) {
    const std::int64_t extents[] = {rows, columns};
    inputs[0].extents = inputs[1].extents = into[0].extents = extents;
    call(axpy, inputs, {&a, 1}, into, {});
  };
  for (const std::int64_t columns : {900, 901, 902, 904}) run(60, columns);
  const std::size_t compiled = kernel_table_statistics().compiled;
  const allocation_counter counter;
  for (std::int64_t columns = 500; columns < 1000; ++columns) run(columns / 20, columns);
  CHECK(counter.count() == 0);
  CHECK(kernel_table_statistics().compiled == compiled);
}

TEST_CASE("at most three kernels per layout over all sizes") {
  const function_handle axpy = axpy_function("hot_path_sizes");
  const std::size_t before = kernel_table_statistics().compiled;
  host_array<float> x({1 << 20}), y({1 << 20}), out({1 << 20});
  operand inputs[] = {x.operand(), y.operand()};
  operand into[] = {out.operand()};
  const scalar a = bits_of(2.0f);
  for (std::int64_t size = 1; size <= 1 << 20; size += size / 3 + 1) {
    inputs[0].extents = inputs[1].extents = into[0].extents = &size;
    call(axpy, inputs, {&a, 1}, into, {});
    REQUIRE(out.values[static_cast<std::size_t>(size) - 1] == 3 * static_cast<float>(size - 1));
  }
  CHECK(kernel_table_statistics().compiled - before <= 3);
}

TEST_CASE("fresh results of a repeated call come from memory that is kept") {
  const function_handle axpy = axpy_function("hot_path_axpy");
  host_array<float> x({100000}), y({100000});
  const operand inputs[] = {x.operand(), y.operand()};
  const scalar a = bits_of(2.0f);
  result made[2];
  for (result& each : made) call(axpy, inputs, {&a, 1}, {}, {&each, 1});
  const void* const first = made[0].storage.data();
  made[0].storage.release();
  call(axpy, inputs, {&a, 1}, {}, {&made[0], 1});
#if !defined(__SANITIZE_ADDRESS__)
  CHECK(made[0].storage.data() == first);
#else
  static_cast<void>(first);
#endif
}

TEST_CASE("on CUDA a repeated call is one launch and one question, and allocates nothing") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake;
  const function_handle axpy = axpy_function("hot_path_cuda");
  device_array x(1024), y(1024), out(1024);
  const operand inputs[] = {x.view(), y.view()};
  const operand into[] = {out.view()};
  const scalar a = bits_of(2.0f);
  prepare(axpy, inputs, {&a, 1}, {}, into);
  CHECK(fake.calls("cuLaunchKernel") == 0);
  const stream own = stream::create(device::cuda(0));
  call_options on_own;
  on_own.on = &own;
  const context_guard current(primary_context(0));
  // Every driver call by name: an additional query adds a name to one of these texts. The default stream
  // needs a check of the current context, other streams a check for capture.
  const auto all_calls_of = [&](const call_options& options) -> std::string {
    const auto run = [&] { call(axpy, inputs, {&a, 1}, into, {}, options); };
    run();  // the first call after one on another stream is not counted
    fake.forget_calls();
    const allocation_counter counter;
    run();
    run();
    CHECK(counter.count() == 0);
    return fake.all_calls();
  };
  CHECK(all_calls_of({}) == "cuCtxGetCurrent 2, cuLaunchKernel 2");
  CHECK(all_calls_of(on_own) == "cuStreamIsCapturing 2, cuLaunchKernel 2");
}

TEST_CASE(
    "on a default stream without its context a call makes four driver calls, and leaves the context that was "
    "there") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake(2);
  const function_handle axpy = axpy_function("hot_path_cuda");
  device_array x(1024), y(1024), out(1024);
  const operand inputs[] = {x.view(), y.view()};
  const operand into[] = {out.view()};
  const scalar a = bits_of(2.0f);
  prepare(axpy, inputs, {&a, 1}, {}, into);
  for (const bool of_another_device : {false, true}) {
    CAPTURE(of_another_device);
    std::optional<context_guard> current;
    if (of_another_device) current.emplace(primary_context(1));
    CUcontext before = nullptr, after = nullptr;
    require_driver().cuCtxGetCurrent(&before);
    REQUIRE(before == (of_another_device ? primary_context(1) : nullptr));
    const auto run = [&] { call(axpy, inputs, {&a, 1}, into, {}, {}); };
    run();
    fake.forget_calls();
    run();
    CHECK(fake.all_calls() ==
          "cuCtxGetCurrent 1, cuCtxPushCurrent_v2 1, cuLaunchKernel 1, cuCtxPopCurrent_v2 1");
    require_driver().cuCtxGetCurrent(&after);
    CHECK(after == before);
  }
}

TEST_CASE("on CUDA a repeated call that makes its result asks for that memory besides") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake;
  const function_handle axpy = axpy_function("hot_path_cuda");
  device_array x(1024), y(1024);
  const operand inputs[] = {x.view(), y.view()};
  const scalar a = bits_of(2.0f);
  const stream own = stream::create(device::cuda(0));
  call_options options;
  options.on = &own;
  const context_guard current(primary_context(0));
  result made[2];
  call(axpy, inputs, {&a, 1}, {}, {&made[0], 1}, options);
  fake.forget_calls();
  call(axpy, inputs, {&a, 1}, {}, {&made[1], 1}, options);
  CAPTURE(fake.all_calls());
  CHECK(fake.calls("cuMemAllocFromPoolAsync") == 1);
  CHECK(fake.calls("cuLaunchKernel") == 1);
  CHECK(fake.calls("cuMemFreeAsync") == 0);
  CHECK(fake.calls("cuStreamSynchronize") == 0);
  CHECK(fake.calls("cuLibraryLoadData") == 0);
}

TEST_CASE("on CUDA a launch that fails names the kernel, and the next one works") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake;
  const function_handle axpy = axpy_function("hot_path_cuda");
  device_array x(1024), y(1024), out(1024);
  const operand inputs[] = {x.view(), y.view()};
  const operand into[] = {out.view()};
  const scalar a = bits_of(2.0f);
  fake.fail("cuLaunchKernel", 1, CUresult::launch_out_of_resources);
  try {
    call(axpy, inputs, {&a, 1}, into, {});
    FAIL("nothing was thrown");
  } catch (const execution_error& thrown) {
    CHECK(thrown.kernel().find("hot_path_cuda") != std::string::npos);
  }
  call(axpy, inputs, {&a, 1}, into, {});
  CHECK(fake.calls("cuLaunchKernel") == 2);
  result kept;
  fake.fail("cuMemAllocFromPoolAsync", 0, CUresult::out_of_memory);
  CHECK_THROWS_AS(call(axpy, inputs, {&a, 1}, {}, {&kept, 1}), out_of_memory);
  CHECK(kept.storage.data() == nullptr);
}

TEST_CASE("during capture only a call that compiles nothing goes through") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake;
  const function_handle axpy = axpy_function("hot_path_cuda"), fresh = axpy_function("hot_path_captured");
  device_array x(1024), y(1024), out(1024);
  const operand inputs[] = {x.view(), y.view()};
  const operand into[] = {out.view()};
  const scalar a = bits_of(2.0f);
  const stream own = stream::create(device::cuda(0));
  call_options options;
  options.on = &own;
  prepare(axpy, inputs, {&a, 1}, options, into);
  const CUstream native = static_cast<CUstream>(own.native());
  REQUIRE(fake.api().cuStreamBeginCapture_v2(native, CUstreamCaptureMode::global) == CUresult::success);
  CHECK_THROWS_AS(call(fresh, inputs, {&a, 1}, into, {}, options), device_error);
  CHECK(fake.calls("cuLaunchKernel") == 0);
  call(axpy, inputs, {&a, 1}, into, {}, options);
  result made;
  call(axpy, inputs, {&a, 1}, {}, {&made, 1}, options);
  CHECK(fake.calls("cuLaunchKernel") == 2);
  CUgraph graph = nullptr;
  fake.api().cuStreamEndCapture(native, &graph);
  call(fresh, inputs, {&a, 1}, into, {}, options);
  CHECK(fake.calls("cuLaunchKernel") == 3);
  fake.api().cuGraphDestroy(graph);
}
