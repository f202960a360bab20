// Preparation in the background, and calls with quickly compiled kernels until the optimised ones are ready.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <thread>
#include <vector>

#include <sinter/runtime/background/compile_pool.hpp>
#include <sinter/runtime/base/thread_notices.hpp>
#include <sinter/runtime/cache/cache.hpp>
#include <sinter/runtime/compile/kernel_table.hpp>
#include <sinter/runtime/compile_policy.hpp>
#include <sinter/runtime/cuda/nvrtc.hpp>
#include <sinter/runtime/dispatch/prepare_async.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/sinter.hpp>

#include "../support/count_allocations.hpp"
#include "../support/cuda/device_array.hpp"
#include "../support/cuda/fake_cuda.hpp"
#include "../support/cuda/nvrtc_is_missing.hpp"
#include "../support/gate.hpp"
#include "../support/host_array.hpp"
#include "../support/process/temporary_folder.hpp"

using namespace sinter;
using namespace sinter::runtime;
using sinter::test::gate;
using sinter::test::nvrtc_is_missing;
using sinter::test::soon;

namespace {

kernel_statistics now() { return kernel_table_statistics(); }

void wait_for_pool() {
  soon([] {
    const compile_pool::counters at = process_compile_pool().statistics();
    return at.waiting == 0 && at.running == 0;
  });
}

// Blocks the pool until this is opened or destroyed.
class held_pool {
 public:
  held_pool() {
    set_compile_threads(1);
    holding_ = process_compile_pool().submit([this] { gate_.pass(); });
    soon([this] { return gate_.waiting() == 1 && process_compile_pool().statistics().running == 1; });
  }
  held_pool(const held_pool&) = delete;
  held_pool& operator=(const held_pool&) = delete;
  ~held_pool() {
    release();
    process_compile_pool().wait(holding_);
    set_compile_threads(0);
  }
  void release() { gate_.open(); }

 private:
  gate gate_;
  compile_pool::job_handle holding_;
};

struct quick_policy {
  quick_policy() { set_compile_policy(compile_policy::quick_first); }
  ~quick_policy() { set_compile_policy(compile_policy::optimised); }
};

// A call of a * x + y on the CPU, with a separate kernel for each name.
struct axpy_call {
  function_handle called;
  host_array<float> x, y, out;
  runtime::scalar a = bits_of(2.0f);
  explicit axpy_call(const char* name, std::int64_t count = 1000)
      : called(axpy_function(name)), x({count}), y({count}), out({count}) {}
  float operator()() {
    const runtime::operand inputs[] = {x.operand(), y.operand()};
    const runtime::operand into[] = {out.operand()};
    runtime::call(called, inputs, {&a, 1}, into, {});
    return out.values.back();
  }
  preparation prepare_async() {
    const runtime::operand inputs[] = {x.operand(), y.operand()};
    const runtime::operand into[] = {out.operand()};
    return runtime::prepare_async(called, inputs, {&a, 1}, {}, into);
  }
};

}  // namespace

TEST_CASE("what was prepared in the background is there for the call, and is compiled once") {
  const kernel_statistics before = now();
  axpy_call axpy("prepare_async_axpy");
  const preparation made = axpy.prepare_async();
  made.get();
  CHECK(made.ready());
  CHECK(now().compiled == before.compiled + 1);
  CHECK(axpy() == 3 * 999);
  CHECK(now().compiled == before.compiled + 1);
}

TEST_CASE("a fused function is recorded by the caller, and its arguments may go before it is compiled") {
  device::set_default(device::cpu());
  int recorded = 0;
  float factor = 3;
  const auto scaled = fuse("prepare_async_scaled", [&](auto x) {
    ++recorded;
    return factor * x;
  });
  const kernel_statistics before = now();
  preparation made;
  {
    held_pool held;
    {
      const std::vector<float> values(300, 1.0f);
      const auto x = array<float, 1>::from(values, {300});
      made = scaled.prepare_async(x);
    }
    CHECK(recorded == 1);
    CHECK_FALSE(made.ready());
  }
  made.get();
  CHECK(now().compiled == before.compiled + 1);
  const std::vector<float> twos(200, 2.0f);
  const auto x = array<float, 1>::from(twos, {200});
  CHECK(scaled(x).to_vector() == std::vector<float>(200, 6.0f));
  CHECK(now().compiled == before.compiled + 1);
}

TEST_CASE("ranges of extents are prepared in the background, so that no call in them compiles") {
  device::set_default(device::cpu());
  const auto total = fuse("prepare_async_ranges", [](auto x) { return sum(x * x, axis<1>); });
  total.prepare_async(described<float, 2>({extent_range(1, 64), extent_range(1, 5000)})).get();
  const kernel_statistics before = now();
  for (const std::int64_t columns : {1, 3, 40, 700, 5000}) {
    const std::vector<float> values(static_cast<std::size_t>(4 * columns), 1.0f);
    const auto x = array<float, 2>::from(values, {4, columns});
    CHECK(total(x).to_vector().back() == static_cast<float>(columns));
  }
  CHECK(now().compiled == before.compiled);
}

TEST_CASE("arguments that do not fit are refused at once, by the place of the caller") {
  device::set_default(device::cpu());
  const auto added = fuse([](auto x, auto y) { return x + y; });
  const auto x = full<float>({3}, 1.0f), y = full<float>({4}, 1.0f);
  try {
    static_cast<void>(added.prepare_async(x, y));
    FAIL("nothing was thrown");
  } catch (const shape_error& thrown) {
    CHECK(std::string(thrown.what()).find("prepare_async_test.cpp") != std::string::npos);
  }
}

TEST_CASE("a call that needs what is being prepared waits for that very compile") {
  axpy_call axpy("prepare_async_waited");
  const kernel_statistics before = now();
  std::vector<preparation> asked;
  for (int i = 0; i < 8; ++i) asked.push_back(axpy.prepare_async());
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      axpy_call own("prepare_async_waited", 500);
      if (own() != 3 * 499) ++wrong;
    });
  for (std::thread& each : threads) each.join();
  for (const preparation& each : asked) each.get();
  CHECK(wrong == 0);
  CHECK(now().compiled == before.compiled + 1);
}

TEST_CASE("a call does not wait for a preparation that only stands in line") {
  axpy_call axpy("prepare_async_in_line");
  const kernel_statistics before = now();
  held_pool held;
  const preparation waiting = axpy.prepare_async();
  CHECK(axpy() == 3 * 999);
  CHECK_FALSE(waiting.ready());
  held.release();
  waiting.get();
  CHECK(now().compiled == before.compiled + 1);
}

TEST_CASE("a preparation that is cancelled before it begins compiles nothing, and says so") {
  axpy_call axpy("prepare_async_cancelled");
  const kernel_statistics before = now();
  preparation made;
  {
    held_pool held;
    made = axpy.prepare_async();
    CHECK(made.cancel());
    CHECK(made.ready());
    made.wait();
  }
  CHECK_THROWS_AS(made.get(), error);
  CHECK(now().compiled == before.compiled);
  CHECK(axpy() == 3 * 999);
}

TEST_CASE("dropping a preparation lets it go on") {
  axpy_call axpy("prepare_async_dropped");
  const kernel_statistics before = now();
  static_cast<void>(axpy.prepare_async());
  CHECK(soon([&] { return now().compiled == before.compiled + 1; }));
  const preparation none;
  CHECK(none.ready());
  none.get();
  CHECK_FALSE(none.cancel());
}

TEST_CASE("a preparation that fails throws what the compile threw, to each who asks") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake;
  fake.set_architecture(0, 10);  // an architecture that no NVRTC supports
  const function_handle axpy = axpy_function("prepare_async_refused");
  device_array x(1024), y(1024);
  const runtime::operand inputs[] = {x.view(), y.view()};
  const runtime::scalar a = bits_of(2.0f);
  const preparation made = prepare_async(axpy, inputs, {&a, 1});
  CHECK_THROWS_AS(made.get(), device_error);
  const preparation copy = made;
  CHECK_THROWS_AS(copy.get(), device_error);
}

TEST_CASE("on CUDA a prepared call only launches") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake;
  const function_handle axpy = axpy_function("prepare_async_cuda");
  device_array x(1024), y(1024), out(1024);
  const runtime::operand inputs[] = {x.view(), y.view()};
  const runtime::operand into[] = {out.view()};
  const runtime::scalar a = bits_of(2.0f);
  prepare_async(axpy, inputs, {&a, 1}, {}, into).get();
  CHECK(fake.calls("cuLaunchKernel") == 0);
  const int loaded = fake.calls("cuLibraryLoadData");
  CHECK(loaded > 0);
  const kernel_statistics before = now();
  call(axpy, inputs, {&a, 1}, into, {});
  CHECK(fake.calls("cuLaunchKernel") == 1);
  CHECK(fake.calls("cuLibraryLoadData") == loaded);
  CHECK(now().compiled == before.compiled);
}

TEST_CASE("a call runs by a quick compile, and by the optimised one when that is there") {
  const quick_policy quick;
  axpy_call axpy("prepare_async_quick");
  const kernel_statistics before = now();
  {
    held_pool held;
    CHECK(axpy() == 3 * 999);
    CHECK(axpy() == 3 * 999);
    CHECK(now().quick == before.quick + 1);
    CHECK(now().compiled == before.compiled);
    CHECK(process_compile_pool().statistics().waiting == 1);
  }
  CHECK(soon([&] { return now().compiled == before.compiled + 1; }));
  wait_for_pool();
  const std::uint32_t replaced = thread_notices.load();
  CHECK(replaced > 0);
  CHECK(axpy() == 3 * 999);
  CHECK(now().quick == before.quick + 1);
  CHECK(now().compiled == before.compiled + 1);
  const allocation_counter counter;
  CHECK(axpy() == 3 * 999);
  CHECK(counter.count() == 0);
}

TEST_CASE("quick kernels are made once, however many threads ask for them") {
  const quick_policy quick;
  const kernel_statistics before = now();
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i)
    threads.emplace_back([&] {
      axpy_call own("prepare_async_quick_threads");
      for (int round = 0; round < 3000; ++round)
        if (own() != 3 * 999) ++wrong;
    });
  for (std::thread& each : threads) each.join();
  CHECK(wrong == 0);
  CHECK(soon([&] { return now().compiled == before.compiled + 1; }));
  CHECK(now().quick <= before.quick + 1);
}

TEST_CASE("prepare() waits for optimised kernels, whatever the policy") {
  const quick_policy quick;
  axpy_call axpy("prepare_async_prepared");
  const kernel_statistics before = now();
  {
    held_pool held;
    CHECK(axpy() == 3 * 999);
    const runtime::operand inputs[] = {axpy.x.operand(), axpy.y.operand()};
    const runtime::operand into[] = {axpy.out.operand()};
    prepare(axpy.called, inputs, {&axpy.a, 1}, {}, into);
    CHECK(now().compiled == before.compiled + 1);
    CHECK(axpy() == 3 * 999);
  }
  CHECK(now().quick == before.quick + 1);
}

TEST_CASE("quick kernels give the bits of optimised ones") {
  device::set_default(device::cpu());
  std::vector<float> values;
  for (int i = 0; i < 4099; ++i)
    values.push_back(static_cast<float>(std::sin(i)) * std::ldexp(1.0f, i % 60 - 30));
  values[5] = std::numeric_limits<float>::quiet_NaN();
  values[6] = -std::numeric_limits<float>::infinity();
  values[7] = -0.0f;
  values[8] = std::numeric_limits<float>::denorm_min();
  const auto x = array<float, 1>::from(values, {4099});
  std::vector<float> positive(4096);
  for (std::size_t i = 0; i < positive.size(); ++i)
    positive[i] = std::abs(static_cast<float>(std::cos(i))) * 9;
  const auto rows = array<float, 2>::from(positive, {64, 64});
  const auto compare = [](const auto& quick, const auto& optimised) {
    const auto a = quick.to_vector(), b = optimised.to_vector();
    REQUIRE(a.size() == b.size());
    std::size_t different = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      // the sign of a NaN depends on the order of operands that the compiler chose
      const bool both_nan = std::isnan(static_cast<float>(a[i])) && std::isnan(static_cast<float>(b[i]));
      different += !both_nan && std::memcmp(&a[i], &b[i], sizeof a[i]) != 0;
    }
    CHECK(different == 0);
  };
  // one function under two names: one kernel is compiled quickly, the other is not
  const auto both = [&](auto body, const auto& array) {
    set_compile_policy(compile_policy::quick_first);
    const auto quick = [&] {
      held_pool held;
      const kernel_statistics before = now();
      auto made = fuse("prepare_async_bits_quick", body)(array);
      CHECK(now().quick > before.quick);
      CHECK(now().compiled == before.compiled);
      return made;
    }();
    set_compile_policy(compile_policy::optimised);
    compare(quick, fuse("prepare_async_bits_optimised", body)(array));
  };
  both([](auto v) { return exp(-v * v) + 2.5f * sin(v) / (1.0f + abs(v)); }, x);
  both([](auto v) { return where(v > 0, log(v), tan(v)) * pow(abs(v), 0.3f); }, x);
  both([](auto v) { return astype<float16>(v * 1.0009765625f) + astype<float16>(v); }, x);
  both([](auto v) { return cumsum(v * 0.1f, axis<1>); }, rows);
  both([](auto v) { return exp(v - max(v, axis<1>, keepdims)) / sum(exp(v), axis<1>, keepdims); }, rows);
  both([](auto v) { return stddev(v, axis<0>); }, rows);
  both([](auto v) { return sum(v * v); }, rows);
  both([](auto v) { return transpose(v) * 3.0f + v; }, rows);
}

TEST_CASE("quick kernels are kept in no cache, and what a cache has is not compiled quickly") {
  const test::temporary_folder root;
  cache_settings settings = cache_settings_from_environment();
  settings.on_disk = true;
  settings.directory = root / "cache";
  settings.shared.clear();
  set_cache(settings);
  const quick_policy quick;
  axpy_call axpy("prepare_async_cached");
  const cache_statistics before = cache_statistics_now();
  {
    held_pool held;
    CHECK(axpy() == 3 * 999);
    CHECK(cache_statistics_now().stored == before.stored);
  }
  CHECK(soon([&] { return cache_statistics_now().stored == before.stored + 1; }));
  wait_for_pool();
  set_kernel_capacity(1);
  axpy_call other("prepare_async_cached_other");
  CHECK(other() == 3 * 999);  // the first kernel is removed here, but not from the cache
  wait_for_pool();
  const kernel_statistics compiled = now();
  std::thread([&] {
    axpy_call again("prepare_async_cached", 700);
    CHECK(again() == 3 * 699);
  }).join();
  CHECK(now().quick == compiled.quick);
  CHECK(now().compiled == compiled.compiled);
  set_kernel_capacity(4096);
  set_cache(cache_settings_from_environment());
}

TEST_CASE("a CUDA graph captures no quick kernel") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake;
  const quick_policy quick;
  const function_handle axpy = axpy_function("prepare_async_captured");
  device_array x(1024), y(1024), out(1024);
  const runtime::operand inputs[] = {x.view(), y.view()};
  const runtime::operand into[] = {out.view()};
  const runtime::scalar a = bits_of(2.0f);
  const stream own = stream::create(device::cuda(0));
  call_options options;
  options.on = &own;
  const CUstream native = static_cast<CUstream>(own.native());
  const auto captured = [&] {
    REQUIRE(fake.api().cuStreamBeginCapture_v2(native, CUstreamCaptureMode::global) == CUresult::success);
    const int before = fake.calls("cuLaunchKernel");
    bool went = true;
    try {
      call(axpy, inputs, {&a, 1}, into, {}, options);
    } catch (const device_error&) {
      went = false;
    }
    CUgraph graph = nullptr;
    fake.api().cuStreamEndCapture(native, &graph);
    CHECK(fake.calls("cuLaunchKernel") == before + (went ? 1 : 0));
    return went;
  };
  {
    held_pool held;
    call(axpy, inputs, {&a, 1}, into, {}, options);
    CHECK_FALSE(captured());
    prepare(axpy, inputs, {&a, 1}, options, into);
    CHECK(captured());
  }
  wait_for_pool();
  CHECK(captured());
}

TEST_CASE("NVRTC compiles with the options of a quick compile") {
  if (nvrtc_is_missing()) return;
  const char* const text = "extern \"C\" __global__ void quick(float* x) { x[threadIdx.x] *= 2.0f; }";
  const nvrtc_result made =
      compile_cuda(text, "quick.cu", "quick", {90, cuda_code::cubin}, quick_nvrtc_options());
  CHECK_FALSE(made.code.empty());
  CHECK(made.resources.registers > 0);
}
