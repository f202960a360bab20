#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

#include <sinter/codegen/target/target.hpp>
#include <sinter/runtime/cuda/devices.hpp>
#include <sinter/runtime/cuda/launch.hpp>
#include <sinter/runtime/cuda/memory.hpp>
#include <sinter/runtime/cuda/nvrtc.hpp>
#include <sinter/runtime/cuda/stream.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/object/cuda_module.hpp>

#include "../support/cuda/fake_cuda.hpp"
#include "../support/needs.hpp"

using namespace sinter;
using namespace sinter::runtime;

namespace {

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

// Device memory for a scope.
struct held_memory {
  held_memory(std::size_t bytes, CUstream on) : stream(on), data(cuda_allocate(bytes, on, 0)) {}
  held_memory(const held_memory&) = delete;
  held_memory& operator=(const held_memory&) = delete;
  ~held_memory() { cuda_free(data, stream, 0); }
  CUstream stream;
  void* data;
};

void check_copies_and_fills(CUstream stream) {
  std::vector<float> sent(1000);
  std::iota(sent.begin(), sent.end(), 0.5f);
  const held_memory first(4000, stream);
  const held_memory second(4000, stream);
  copy_to_device(first.data, sent.data(), 4000, stream, 0);
  copy_on_device(second.data, first.data, 4000, stream, 0);
  std::vector<float> received(1000);
  copy_to_host(received.data(), second.data, 4000, stream, 0);
  CHECK(received == sent);

  const auto check_fill = [&](auto value) {
    std::vector<decltype(value)> filled(4000 / sizeof value);
    fill_on_device(first.data, &value, sizeof value, filled.size(), stream, 0);
    copy_to_host(filled.data(), first.data, filled.size() * sizeof value, stream, 0);
    for (const auto& each : filled) REQUIRE(std::memcmp(&each, &value, sizeof value) == 0);
  };
  struct complex128 {
    double real, imaginary;
  };
  check_fill(std::uint8_t{7});
  check_fill(std::uint16_t{0x1234});
  check_fill(1.5f);
  check_fill(std::int64_t{-1});
  check_fill(3.141592653589793);
  check_fill(complex128{1.25, -2.5});
  CHECK(cuda_allocate(0, stream, 0) == nullptr);
}

bool device_here() { return !test::lacks_cuda_device(); }

bool device_and_nvrtc_here() { return device_here() && !test::lacks_nvrtc(); }

// A kernel that waits for a number of cycles and then adds 2 to 1024 floats, which start at 0.
struct adding_kernel {
  static constexpr const char* source = R"(
extern "C" __global__ void add(float* x, float y, long long cycles) {
  long long start = clock64();
  while (clock64() - start < cycles) {}
  x[blockIdx.x * blockDim.x + threadIdx.x] += y;
})";

  adding_kernel() {
    const float zero = 0;
    fill_on_device(x, &zero, sizeof zero, 1024, stream.handle(), 0);
    kernel = module->kernel("add", context_of(stream.handle(), 0));
  }
  adding_kernel(const adding_kernel&) = delete;
  adding_kernel& operator=(const adding_kernel&) = delete;

  void launch() { launch_kernel(require_driver(), kernel, shape, stream.handle(), arguments, "add"); }
  float value_at_end() {
    float last = 0;
    copy_to_host(&last, static_cast<float*>(x) + 1023, sizeof last, stream.handle(), 0);
    return last;
  }

  nvrtc_result made = compile_cuda(source, "add.cu", "add", {cuda_device(0).architecture()});
  cuda_stream stream{0};
  held_memory memory{1024 * sizeof(float), stream.handle()};
  void* x = memory.data;
  float y = 2;
  long long cycles = 0;
  void* arguments[3] = {&x, &y, &cycles};
  launch_shape shape{.grid_x = 8, .block_x = 128};
  std::unique_ptr<cuda_module> module = std::make_unique<cuda_module>(made.code);
  CUkernel kernel = nullptr;
};

}  // namespace

TEST_SUITE("cuda runtime on a fake driver") {
  TEST_CASE("a context is made current only if it is not") {
    fake_cuda fake(2);
    {
      const context_guard outer(primary_context(0));
      const context_guard inner(primary_context(0));
      CHECK(fake.calls("cuCtxPushCurrent_v2") == 1);
      const context_guard other(primary_context(1));
      CHECK(fake.calls("cuCtxPushCurrent_v2") == 2);
      CHECK(context_of(nullptr, 1) == primary_context(1));
      CHECK(device_of(primary_context(1)) == 1);
    }
    CHECK(fake.calls("cuCtxPopCurrent_v2") == 2);
    CHECK(fake.calls("cuDevicePrimaryCtxRetain") == 2);
  }

  TEST_CASE("a stream tells its context; the default stream follows the current one") {
    fake_cuda fake(2);
    const cuda_stream stream(1);
    CHECK(context_of(stream.handle(), 1) == primary_context(1));
    CHECK(fake.calls("cuStreamGetCtx") == 1);
    CUctx_st* foreign = primary_context(1);
    const context_guard current(foreign);
    CHECK(context_of(nullptr, 1) == foreign);
    CHECK(context_of(nullptr, 0) == primary_context(0));
    CHECK(context_of(per_thread_default_stream(), 0) == primary_context(0));
  }

  TEST_CASE("copies and fills arrive") {
    const fake_cuda fake;
    const cuda_stream stream(0);
    check_copies_and_fills(stream.handle());
  }

  TEST_CASE("copying from pinned memory waits, so that it may be changed at once") {
    fake_cuda fake;
    const cuda_stream stream(0);
    const held_memory memory(64, stream.handle());
    const std::vector<char> pageable(64);
    copy_to_device(memory.data, pageable.data(), 64, stream.handle(), 0);
    CHECK(fake.calls("cuStreamSynchronize") == 0);
    const pinned_memory pinned(64);
    CHECK(find_address(pinned.data()).where == address_facts::place::pinned_host);
    copy_to_device(memory.data, pinned.data(), 64, stream.handle(), 0);
    CHECK(fake.calls("cuStreamSynchronize") == 1);
    CHECK(find_address(memory.data).where == address_facts::place::device);
    CHECK(find_address(pageable.data()).where == address_facts::place::pageable_host);
  }

  TEST_CASE("a pool is made once, and told to keep what is freed") {
    fake_cuda fake;
    const cuda_stream stream(0);
    for (int i = 0; i < 3; ++i) cuda_free(cuda_allocate(1024, stream.handle(), 0), stream.handle(), 0);
    CHECK(fake.calls("cuMemAllocFromPoolAsync") == 3);
    CHECK(fake.calls("cuMemFreeAsync") == 3);
    CHECK(fake.calls("cuMemPoolCreate") == 1);
    CHECK(fake.calls("cuMemPoolSetAttribute") == 1);
  }

  TEST_CASE("out of memory: what the pool keeps is given back, then the numbers are told") {
    fake_cuda fake;
    const cuda_stream stream(0);
    fake.fail("cuMemAllocFromPoolAsync", 1, CUresult::out_of_memory);
    cuda_free(cuda_allocate(1024, stream.handle(), 0), stream.handle(), 0);
    CHECK(fake.calls("cuMemPoolTrimTo") == 1);
    fake.set_free_memory(1 << 20);
    try {
      cuda_allocate(std::size_t{1} << 31, stream.handle(), 0);
      FAIL("nothing was thrown");
    } catch (const out_of_memory& thrown) {
      CHECK(thrown.requested_bytes() == std::size_t{1} << 31);
      CHECK(thrown.free_bytes() == 1 << 20);
      CHECK(contains(thrown.what(), "2.0 GiB (2147483648 bytes)"));
      CHECK(contains(thrown.what(), "Fake GPU"));
      CHECK(contains(thrown.what(), "1.0 MiB (1048576 bytes) of 1.0 GiB"));
    }
  }

  TEST_CASE("a module calls no driver until it is used, and loads once") {
    fake_cuda fake;
    cuda_module module("first second");
    CHECK_FALSE(module.loaded());
    CHECK(fake.calls("cuLibraryLoadData") == 0);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back([&] { module.kernel("first", primary_context(0)); });
    for (std::thread& each : threads) each.join();
    CHECK(module.kernel("second", primary_context(0)) != nullptr);
    CHECK(module.loaded());
    CHECK(fake.calls("cuLibraryLoadData") == 1);
    CHECK(fake.calls("cuLibraryGetKernel") == 2);
    CHECK(module.attributes("first", 0).registers == 32);
    CHECK(module.blocks_per_multiprocessor("first", 256, 0, 0) == 8);
    CHECK_THROWS_AS(module.kernel("third", primary_context(0)), device_error);
    CHECK_THROWS_AS(module.allow_shared_memory("first", 1 << 20, 0), device_error);
  }

  TEST_CASE("a module that fails to load says why, and may be tried again") {
    fake_cuda fake;
    cuda_module module("k");
    fake.fail("cuLibraryLoadData", 1, CUresult::unsupported_ptx_version);
    try {
      module.load();
      FAIL("nothing was thrown");
    } catch (const device_error& thrown) {
      CHECK(contains(thrown.what(), "into driver 13.0"));
      CHECK(contains(thrown.what(), "update the NVIDIA driver"));
    }
    CHECK_FALSE(module.loaded());
    module.load();
    CHECK(module.loaded());
  }

  TEST_CASE("a module that goes unloads, unless it never loaded or is kept") {
    fake_cuda fake;
    {
      const cuda_module never_used("k");
    }
    CHECK(fake.calls("cuLibraryUnload") == 0);
    {
      cuda_module("k").load();
    }
    CHECK(fake.calls("cuLibraryUnload") == 1);
    // That would invalidate the captures of others.
    CHECK(fake.calls("cuCtxSynchronize") == 0);
    {
      cuda_module captured("k");
      captured.load();
      captured.keep_loaded();
    }
    CHECK(fake.calls("cuLibraryUnload") == 1);
  }

  TEST_CASE("a module is unloaded by the driver that loaded it and by no other") {
    auto module = std::make_unique<cuda_module>("k");
    auto orphan = std::make_unique<cuda_module>("k"), returning = std::make_unique<cuda_module>("k");
    fake_cuda first;
    for (cuda_module* loaded : {module.get(), orphan.get(), returning.get()}) loaded->load();
    {
      fake_cuda second;
      module.reset();
      CHECK(second.calls("cuLibraryUnload") == 0);
      cuda_module("k").load();  // a stream of its own is destroyed
      CHECK(second.calls("cuLibraryUnload") == 1);
    }
    {
      const driver_override absent(nullptr, "there is none");
      orphan.reset();
    }
    CHECK(first.calls("cuLibraryUnload") == 1);
    returning.reset();
    CHECK(first.calls("cuLibraryUnload") == 2);
  }

  TEST_CASE("a launch takes the short way unless it needs attributes; a failing one names its kernel") {
    fake_cuda fake;
    const cuda_stream stream(0);
    cuda_module module("k");
    const CUkernel kernel = module.kernel("k", primary_context(0));
    launch_kernel(fake.api(), kernel, {.grid_x = 4, .block_x = 128}, stream.handle(), nullptr, "k");
    launch_kernel(fake.api(), kernel, {.grid_x = 4, .block_x = 128, .cluster_x = 4}, stream.handle(), nullptr,
                  "k");
    CHECK(fake.calls("cuLaunchKernel") == 1);
    CHECK(fake.calls("cuLaunchKernelEx") == 1);
    fake.fail("cuLaunchKernel", 1, CUresult::launch_out_of_resources);
    try {
      launch_kernel(fake.api(), kernel, {.block_x = 2048}, stream.handle(), nullptr, "k");
      FAIL("nothing was thrown");
    } catch (const execution_error& thrown) {
      CHECK(thrown.kernel() == "k");
      CHECK(contains(thrown.what(), "another schedule"));
    }
  }

  TEST_CASE("a lost context is told at the next wait; destructors stay silent") {
    fake_cuda fake;
    cuda_stream stream(0);
    fake.fail("cuStreamSynchronize", 0, CUresult::illegal_address);
    fake.fail("cuStreamDestroy_v2", 1, CUresult::illegal_address);
    CHECK_THROWS_AS(synchronize(stream.handle(), 0, "softmax"), execution_error);
    static std::string reported;
    const failure_hook before = set_failure_hook([](const char* message) noexcept { reported = message; });
    {
      const cuda_stream gone = std::move(stream);
    }
    set_failure_hook(before);
    CHECK(contains(reported, "destroying a stream failed: CUDA_ERROR_ILLEGAL_ADDRESS"));
  }

  TEST_CASE("streams and events") {
    fake_cuda fake;
    cuda_stream stream(0);
    CHECK(finished(stream.handle(), 0));
    CHECK(capture_status(stream.handle(), 0) == CUstreamCaptureStatus::none);
    fake.fail("cuStreamQuery", 1, CUresult::not_ready);
    CHECK_FALSE(finished(stream.handle(), 0));
    cuda_event start(0, cuda_event::timing::on);
    cuda_event stop(0, cuda_event::timing::on);
    start.record(stream.handle());
    stop.record(stream.handle());
    stop.wait_on(stream.handle());
    stop.synchronize();
    CHECK(stop.finished());
    CHECK(stop.milliseconds_since(start) == 1.5f);
  }
}

TEST_SUITE("cuda runtime on a device") {
  TEST_CASE("facts make sense") {
    if (!device_here()) return;
    const cuda_device_facts& facts = cuda_device(0);
    CHECK_FALSE(facts.name.empty());
    CHECK(facts.architecture() >= 50);
    CHECK(facts.multiprocessors > 0);
    CHECK(facts.warp_size == warp_threads(target_kind::cuda));
    CHECK(facts.shared_bytes_per_block_opt_in >= facts.shared_bytes_per_block);
    CHECK(facts.l2_bytes > 0);
    CHECK(cuda_memory_state(0).free_bytes <= facts.memory_bytes);
  }

  TEST_CASE("copies and fills arrive, on streams of all kinds") {
    if (!device_here()) return;
    const cuda_stream own(0);
    for (CUstream stream :
         {own.handle(), CUstream{nullptr}, legacy_default_stream(), per_thread_default_stream()})
      check_copies_and_fills(stream);
  }

  TEST_CASE("out of memory tells the numbers") {
    if (!device_here()) return;
    const cuda_stream stream(0);
    const std::size_t bytes = cuda_device(0).memory_bytes * 2;
    try {
      cuda_free(cuda_allocate(bytes, stream.handle(), 0), stream.handle(), 0);
      FAIL("nothing was thrown");
    } catch (const out_of_memory& thrown) {
      CHECK(thrown.requested_bytes() == bytes);
      CHECK(thrown.free_bytes() > 0);
    }
  }

  TEST_CASE("a kernel compiles, loads and runs") {
    if (!device_and_nvrtc_here()) return;
    adding_kernel add;
    CHECK(add.module->attributes("add", 0).registers == add.made.resources.registers);
    CHECK(add.module->blocks_per_multiprocessor("add", 128, 0, 0) > 0);
    add.launch();
    CHECK(add.value_at_end() == 2);
    launch_kernel(require_driver(), add.kernel, {.grid_x = 8, .block_x = 128, .cooperative = true},
                  add.stream.handle(), add.arguments, "add");
    CHECK(add.value_at_end() == 4);
  }

  // Fails under compute-sanitizer, where unloading (not loading) invalidates the capture; see
  // cuda_module.cpp.
  TEST_CASE("loading and unloading other code leaves a capture whole") {
    if (!device_and_nvrtc_here()) return;
    adding_kernel add;
    const driver_api& api = require_driver();
    const auto captures = [&] {
      return capture_status(add.stream.handle(), 0) == CUstreamCaptureStatus::active;
    };
    check(api.cuStreamBeginCapture_v2(add.stream.handle(), CUstreamCaptureMode::global), "capturing");
    CHECK(captures());
    add.launch();
    auto other = std::make_unique<cuda_module>(add.made.code);
    other->load();
    CHECK_MESSAGE(captures(), "after loading a library");
    other->kernel("add", primary_context(0));
    CHECK_MESSAGE(captures(), "after putting a kernel into the context");
    other.reset();
    CHECK_MESSAGE(captures(), "after unloading");
    CUgraph graph = nullptr;
    CUgraphExec exec = nullptr;
    check(api.cuStreamEndCapture(add.stream.handle(), &graph), "ending the capture");
    {
      const context_guard current(primary_context(0));  // only the creation of a graph needs one
      check(api.cuGraphInstantiateWithFlags(&exec, graph, 0), "making the graph");
    }
    check(api.cuGraphLaunch(exec, add.stream.handle()), "launching the graph");
    CHECK(add.value_at_end() == 2);
    api.cuGraphExecDestroy(exec);
    api.cuGraphDestroy(graph);
  }

  TEST_CASE("a module that goes waits for what is queued of it") {
    if (!device_and_nvrtc_here()) return;
    adding_kernel add;
    cuda_module other(add.made.code);
    const CUkernel before = other.kernel("add", primary_context(0));
    // Other code runs; three launches of the module's own code are queued behind it.
    add.cycles = 100'000'000;
    launch_kernel(require_driver(), before, add.shape, add.stream.handle(), add.arguments, "add");
    for (int i = 0; i < 3; ++i) add.launch();
    CHECK_FALSE(finished(add.stream.handle(), 0));
    add.module.reset();
    CHECK(finished(add.stream.handle(), 0));
    CHECK(add.value_at_end() == 8);
  }

  TEST_CASE("an illegal access names the kernel and says that the context is lost" * doctest::skip()) {
    // Skipped unless requested (--no-skip), because it makes CUDA unusable for the whole process.
    if (!device_here() || nvrtc() == nullptr) return;
    constexpr const char* source = R"(extern "C" __global__ void bad(float* x) { x[0] = 1; })";
    cuda_module module(compile_cuda(source, "bad.cu", "bad", {cuda_device(0).architecture()}).code);
    const cuda_stream stream(0);
    void* nowhere = nullptr;
    void* arguments[] = {&nowhere};
    launch_kernel(require_driver(), module.kernel("bad", primary_context(0)), {}, stream.handle(), arguments,
                  "bad");
    try {
      synchronize(stream.handle(), 0, "bad");
      FAIL("nothing was thrown");
    } catch (const execution_error& thrown) {
      CHECK(thrown.kernel() == "bad");
      CHECK(contains(thrown.what(), "CUDA_ERROR_ILLEGAL_ADDRESS"));
      CHECK(contains(thrown.what(), "context is lost"));
    }
    // Freeing and unloading afterwards must not throw.
  }
}
