#include <doctest/doctest.h>

#include <algorithm>
#include <thread>
#include <vector>

#include <sinter/runtime/cuda/nvrtc.hpp>
#include <sinter/runtime/error.hpp>

#include "../support/needs.hpp"

using namespace sinter;
using namespace sinter::runtime;

namespace {

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

// Uses the features that the emitter relies on: vector loads, cache hints, shuffles, maths, shared memory.
constexpr const char* good_source = R"(
extern "C" __global__ void __launch_bounds__(256) k(const float4* x, float* y, int n) {
  __shared__ float partial[8];
  float4 v = __ldcs(x + threadIdx.x);
  float s = expf(v.x) + v.y * v.z + v.w;
  for (int lane = 16; lane; lane >>= 1) s += __shfl_xor_sync(~0u, s, lane);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = s;
  __syncthreads();
  if (threadIdx.x < n) __stcs(y + threadIdx.x, partial[threadIdx.x % 8]);
}
)";

}  // namespace

TEST_SUITE("cuda nvrtc") {
  TEST_CASE("a kernel compiles to a cubin for each architecture, without a GPU") {
    if (test::lacks_nvrtc()) return;
    const std::vector<int> known = supported_architectures();
    for (const int architecture : {80, 90, 120}) {
      if (std::find(known.begin(), known.end(), architecture) == known.end()) continue;
      CAPTURE(architecture);
      const nvrtc_result made = compile_cuda(good_source, "k.cu", "k", {architecture});
      CHECK(made.code.substr(1, 3) == "ELF");
      CHECK(made.resources.registers > 0);
      CHECK(made.resources.registers < 256);
      CHECK(made.resources.spill_store_bytes == 0);
      CHECK(made.resources.spill_load_bytes == 0);
      CHECK(made.resources.shared_bytes >= 32);
      CHECK(made.resources.stack_bytes == 0);
    }
  }

  TEST_CASE("PTX and LTO-IR can be had too") {
    if (test::lacks_nvrtc()) return;
    const nvrtc_result ptx = compile_cuda(good_source, "k.cu", "k", {90, cuda_code::ptx});
    CHECK(contains(ptx.code, ".visible .entry k("));
    CHECK(ptx.resources == kernel_resources{});
    CHECK_FALSE(compile_cuda(good_source, "k.cu", "k", {90, cuda_code::lto_ir}).code.empty());
  }

  TEST_CASE("the same text makes the same code") {
    if (test::lacks_nvrtc()) return;
    CHECK(compile_cuda(good_source, "k.cu", "k", {90}).code ==
          compile_cuda(good_source, "k.cu", "k", {90}).code);
  }

  TEST_CASE("spills are seen") {
    if (test::lacks_nvrtc()) return;
    constexpr const char* hungry = R"(
extern "C" __global__ void k(const float* x, float* y) {
  float v[96];
  #pragma unroll
  for (int i = 0; i < 96; ++i) v[i] = x[threadIdx.x + 32 * i];
  __syncthreads();
  float s = 0;
  #pragma unroll
  for (int i = 0; i < 96; ++i) s += v[i] * v[95 - i] + v[(i * 7) % 96];
  #pragma unroll
  for (int i = 0; i < 96; ++i) y[threadIdx.x + 32 * i] = v[i] / s;
})";
    const std::string few[] = {"--maxrregcount=32"};
    const nvrtc_result made = compile_cuda(hungry, "k.cu", "k", {90}, few);
    CHECK(made.resources.registers == 32);
    CHECK(made.resources.spill_store_bytes > 0);
    CHECK(made.resources.spill_load_bytes > 0);
    CHECK(made.resources.stack_bytes > 0);
  }

  TEST_CASE("nothing is contracted unless the text says so, or the caller") {
    if (test::lacks_nvrtc()) return;
    constexpr const char* sum_of_product = R"(
extern "C" __global__ void k(float* x) { x[0] = x[1] * x[2] + x[3]; })";
    CHECK_FALSE(contains(compile_cuda(sum_of_product, "k.cu", "k", {90, cuda_code::ptx}).code, "fma.rn.f32"));
    const std::string contract[] = {"--fmad=true"};
    CHECK(contains(compile_cuda(sum_of_product, "k.cu", "k", {90, cuda_code::ptx}, contract).code,
                   "fma.rn.f32"));
  }

  TEST_CASE("a compile error carries source, log and line") {
    if (test::lacks_nvrtc()) return;
    constexpr const char* bad = "extern \"C\" __global__ void k(float* x) {\n  x[0] = undeclared;\n}\n";
    try {
      compile_cuda(bad, "masked.cu", "k", {90});
      FAIL("it compiled");
    } catch (const compile_error& thrown) {
      CHECK(thrown.source() == bad);
      CHECK(contains(thrown.log(), "masked.cu(2)"));
      CHECK(contains(thrown.what(), "masked.cu(2): error: identifier \"undeclared\" is undefined"));
      CHECK(contains(thrown.what(), "sm_90"));
    }
  }

  TEST_CASE("an option or architecture that does not exist is named") {
    if (test::lacks_nvrtc()) return;
    const std::string wrong[] = {"--no-such-option"};
    try {
      compile_cuda(good_source, "k.cu", "k", {90}, wrong);
      FAIL("it compiled");
    } catch (const compile_error& thrown) {
      CHECK(contains(thrown.what(), "--no-such-option"));
    }
    // A rejected option of the caller does not affect later compiles' reports.
    CHECK(compile_cuda(good_source, "k.cu", "k", {90}).resources.registers > 0);
    try {
      compile_cuda(good_source, "k.cu", "k", {19});
      FAIL("it compiled");
    } catch (const device_error& thrown) {
      CHECK(contains(thrown.what(), "compute capability 1.9"));
    }
  }

  TEST_CASE("deeply nested text compiles on any thread's stack") {
    if (test::lacks_nvrtc()) return;
    std::string nested = "x[0]";
    for (int i = 0; i < 2000; ++i) nested = "(" + nested + "*x[1])";
    const std::string source = "extern \"C\" __global__ void k(float* x) { x[0] = " + nested + "; }";
    std::thread([&] { CHECK_NOTHROW(compile_cuda(source, "k.cu", "k", {90, cuda_code::ptx})); }).join();
  }

  TEST_CASE("two threads may compile at once") {
    if (test::lacks_nvrtc()) return;
    std::vector<int> registers(2, 0);
    std::vector<std::thread> threads;
    for (int& each : registers)
      threads.emplace_back(
          [&each] { each = compile_cuda(good_source, "k.cu", "k", {90}).resources.registers; });
    for (std::thread& each : threads) each.join();
    CHECK(registers[0] > 0);
    CHECK(registers[0] == registers[1]);
  }

  TEST_CASE("without NVRTC the reason says what to install") {
    nvrtc_api table;
    std::string why;
    const std::string names[] = {"/nonexistent"};
    CHECK_FALSE(load_nvrtc(names, table, why));
    CHECK(contains(why, "/nonexistent"));
    CHECK(contains(why, "install the CUDA toolkit's NVRTC"));
    CHECK(contains(why, "SINTER_NVRTC"));
    const std::string other[] = {"libc.so.6"};
    CHECK_FALSE(load_nvrtc(other, table, why));
    CHECK(contains(why, "no usable NVRTC"));
    if (nvrtc() == nullptr) CHECK_THROWS_AS(compile_cuda("", "k.cu", "k", {90}), device_error);
  }

  TEST_CASE("the version is known") {
    if (test::lacks_nvrtc()) return;
    CHECK(nvrtc_version() >= 12000);
  }
}

TEST_SUITE("ptxas log") {
  constexpr const char* log =
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function 'first' for 'sm_90'\n"
      "ptxas info    : Function properties for first\n"
      "ptxas         .     16 bytes stack frame, 12 bytes spill stores, 8 bytes spill loads\n"
      "ptxas info    : Used 20 registers, used 1 barriers, 16 bytes cumulative stack size\n"
      "ptxas info    : Compile time = 5.994 ms\n"
      "ptxas info    : Compiling entry function 'first_part' for 'sm_90'\n"
      "ptxas info    : Function properties for helper\n"
      "    400 bytes stack frame, 300 bytes spill stores, 200 bytes spill loads\n"
      "ptxas info    : Function properties for first_part\n"
      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 255 registers, 1024 bytes smem, 380 bytes cmem[0]\n";

  TEST_CASE("each kernel's own numbers are read") {
    CHECK(parse_ptxas_log(log, "first") == kernel_resources{20, 12, 8, 0, 16});
    CHECK(parse_ptxas_log(log, "first_part") == kernel_resources{255, 0, 0, 1024, 0});
  }

  TEST_CASE("a kernel that the log does not speak of has none") {
    CHECK(parse_ptxas_log(log, "second") == kernel_resources{});
    CHECK(parse_ptxas_log("", "first") == kernel_resources{});
  }
}
