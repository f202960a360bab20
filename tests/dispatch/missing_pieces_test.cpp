// A program on a machine without a driver, NVRTC or nvJitLink: the messages it gets, and that everything else
// works. Which piece is missing is fixed before the process starts: ctest sets the environment of each case
// (CMakeLists.txt); other runs skip them.

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include <sinter/runtime/cuda/devices.hpp>
#include <sinter/runtime/cuda/nvrtc.hpp>
#include <sinter/runtime/object/linker.hpp>
#include <sinter/sinter.hpp>

#include "../support/cuda/device_array.hpp"
#include "../support/cuda/fake_cuda.hpp"
#include "../support/host_array.hpp"
#include "../support/needs.hpp"

using namespace sinter;

namespace {

bool is_missing(const char* variable) {
  const char* const set = std::getenv(variable);
  return set != nullptr && std::string(set) == "/nonexistent";
}

void check_that_the_cpu_works() {
  const auto x = array<float, 1>::from(std::vector<float>{1, 2, 3}, {3}, device::cpu());
  CHECK(fuse([](auto v) { return v * 2 + 1; })(x).to_vector() == std::vector<float>{3, 5, 7});
}

template <class Called>
std::string refusal(const Called& called) {
  try {
    called();
  } catch (const error& thrown) {
    return thrown.what();
  }
  return "nothing was thrown";
}

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("without a driver a CUDA device is refused with what to install, and the CPU goes on" *
          doctest::skip()) {
  REQUIRE(is_missing("SINTER_CUDA_DRIVER"));
  const std::string told = refusal([] { array<float, 1>({4}, device::cuda(0)); });
  CHECK(contains(told, "/nonexistent"));
  CHECK(contains(told, "driver"));
  CHECK(runtime::cuda_device_count() == 0);
  CHECK(contains(refusal([] { stream::create(device::cuda(0)); }), "driver"));
  check_that_the_cpu_works();
}

TEST_CASE("without NVRTC a call on a GPU is refused with what to install, and the CPU goes on" *
          doctest::skip()) {
  REQUIRE(is_missing("SINTER_NVRTC"));
  fake_cuda fake;
  const runtime::function_handle axpy = axpy_function("missing_nvrtc");
  device_array x(64), y(64), out(64);
  const runtime::operand inputs[] = {x.view(), y.view()}, into[] = {out.view()};
  const runtime::scalar a = bits_of(2.0f);
  for (int attempt = 0; attempt < 2; ++attempt) {
    const std::string told = refusal([&] { runtime::call(axpy, inputs, {&a, 1}, into, {}); });
    CHECK(contains(told, "NVRTC"));
    CHECK(contains(told, "SINTER_NVRTC"));
  }
  CHECK(fake.calls("cuLaunchKernel") == 0);
  check_that_the_cpu_works();
}

TEST_CASE("without nvJitLink linking is refused with what to install, and compiling goes on" *
          doctest::skip()) {
  REQUIRE(is_missing("SINTER_NVJITLINK"));
  const object_code ptx = object_code::from_bytes(".version 8.0 .target sm_80 .address_size 64");
  for (int attempt = 0; attempt < 2; ++attempt) {
    const std::string told = refusal([&] { sinter::link({&ptx, 1}); });
    CHECK(contains(told, "nvJitLink"));
    CHECK(contains(told, "/nonexistent"));
    CHECK(contains(told, "SINTER_NVJITLINK"));
  }
  if (runtime::nvrtc() != nullptr)
    CHECK_FALSE(runtime::compile_cuda("extern \"C\" __global__ void k() {}", "k.cu", "k", {90}).code.empty());
  check_that_the_cpu_works();
}

TEST_CASE("a foreign stream is borrowed: work goes to it and it is not destroyed") {
  if (test::lacks_nvrtc()) return;
  fake_cuda fake;
  const stream theirs = stream::create(device::cuda(0));
  {
    const stream borrowed = stream::from_native(device::cuda(0), theirs.native());
    CHECK(borrowed.native() == theirs.native());
    const runtime::function_handle axpy = axpy_function("foreign_stream");
    device_array x(64), y(64), out(64);
    const runtime::operand inputs[] = {x.view(), y.view()}, into[] = {out.view()};
    const runtime::scalar a = bits_of(2.0f);
    runtime::call_options options;
    options.on = &borrowed;
    runtime::call(axpy, inputs, {&a, 1}, into, {}, options);
    CHECK(fake.calls("cuLaunchKernel") == 1);
  }
  CHECK(fake.calls("cuStreamDestroy_v2") == 0);
}
