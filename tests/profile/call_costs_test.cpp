// What costs_of() counts of calls, and the times of a stream_timer, on the CPU and by the fake driver.

#include <sinter/profile.hpp>
#include <sinter/runtime/roofline.hpp>
#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <sinter/runtime/cuda/devices.hpp>
#include <sinter/runtime/error.hpp>

#include <cstdint>
#include <thread>

#include "../support/cuda/device_array.hpp"
#include "../support/cuda/fake_cuda.hpp"
#include "../support/cuda/nvrtc_is_missing.hpp"
#include "../support/host_array.hpp"
#include "../support/needs.hpp"

namespace sinter::test {
namespace {

using runtime::call;
using runtime::operand;
using runtime::scalar;

/// a * x + y on 1,000 elements of either target: 12,000 bytes are moved.
template <class Array>
class axpy_call {
 public:
  void run(const stream* on = nullptr) {
    const operand inputs[] = {x_.operand(), y_.operand()}, into[] = {out_.operand()};
    const scalar a = bits_of(2.0f);
    runtime::call_options options;
    options.on = on;
    call(function_, inputs, {&a, 1}, into, {}, options);
  }

 private:
  runtime::function_handle function_ = axpy_function("call_costs");
  Array x_{{1000}}, y_{{1000}}, out_{{1000}};
};

class gpu_array : public device_array {
 public:
  explicit gpu_array(std::initializer_list<std::int64_t> extents) : device_array(*extents.begin()) {}
  runtime::operand operand() { return view(); }
};

bool lacks_cpu_compiler() {
  try {
    axpy_call<host_array<float>>().run();
  } catch (const device_error& missing) {
    return lacks(need::cpu_compiler, missing.what());
  }
  return false;
}

}  // namespace

TEST_CASE("costs_of counts the calls of the function it runs, and profile() does not show them") {
  if (lacks_cpu_compiler()) return;
  axpy_call<host_array<float>> axpy;
  forget_profile();
  axpy.run();
  const call_costs costs = costs_of([&] {
    axpy.run();
    axpy.run();
  });
  CHECK(costs.calls == 2);
  CHECK(costs.kernels == 2);
  CHECK(costs.bytes == 2 * 12000);
  CHECK(costs.where == device::cpu());
  CHECK(costs.native == nullptr);
  axpy.run();
  CHECK(costs.calls == 2);
  CHECK(profile().empty());
}

TEST_CASE("of nested costs the inner one counts, and calls of other threads count nowhere") {
  if (lacks_cpu_compiler()) return;
  axpy_call<host_array<float>> axpy, other;
  call_costs inner;
  const call_costs outer = costs_of([&] {
    axpy.run();
    inner = costs_of([&] { axpy.run(); });
    std::thread([&] { other.run(); }).join();
    axpy.run();
  });
  CHECK(inner.calls == 1);
  CHECK(outer.calls == 2);
}

TEST_CASE("a function that throws out of costs_of leaves nothing counted") {
  if (lacks_cpu_compiler()) return;
  axpy_call<host_array<float>> axpy;
  CHECK_THROWS_AS(costs_of([] { throw shape_error("as it may be"); }), shape_error);
  CHECK(costs_of([&] { axpy.run(); }).calls == 1);
  CHECK_FALSE(is_profiling());
}

TEST_CASE("on a GPU costs name the stream, and its timer tells what events tell") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake;
  axpy_call<gpu_array> axpy;
  const stream own = stream::create(device::cuda(0));
  axpy.run(&own);
  fake.forget_calls();
  const call_costs costs = costs_of([&] { axpy.run(&own); });
  CHECK(fake.calls("cuEventRecord") == 0);
  CHECK(costs.kernels == 1);
  CHECK(costs.bytes == 12000);
  CHECK(costs.where == device::cuda(0));
  CHECK(costs.native == own.native());

  stream_timer timer(costs.on());
  for (int i = 0; i < 2; ++i) {
    timer.begin();
    axpy.run(&own);
    CHECK(timer.seconds() == doctest::Approx(0.0015));  // what the fake driver tells of each pair
  }
  CHECK(fake.calls("cuEventRecord") == 4);
  CHECK(fake.faults() == 0);
}

TEST_CASE("the CPU's timer begins anew, and a copy moves something") {
  const stream on = stream::default_of(device::cpu());
  stream_timer timer(on);
  timer.begin();
  CHECK(timer.seconds() >= 0);
  if (lacks_cpu_compiler()) return;
  const double rate = copy_bytes_per_second(device::cpu());
  CHECK(rate > 0);
  CHECK(copy_bytes_per_second(device::cpu()) == rate);
}

}  // namespace sinter::test
