#include "cuda_limits.hpp"

#include <sinter/runtime/cuda/check.hpp>
#include <sinter/runtime/cuda/devices.hpp>
#include <sinter/runtime/cuda/driver.hpp>
#include <sinter/runtime/cuda/launch.hpp>
#include <sinter/runtime/cuda/nvrtc.hpp>
#include <sinter/runtime/cuda/stream.hpp>
#include <sinter/runtime/device.hpp>
#include <sinter/runtime/object/cuda_module.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

namespace sinter_bench {
namespace {

using namespace sinter::runtime;

// The twin of fill_random's loop in random_data.cpp. The sum of four uniforms stands for a normal number: no
// special functions, and the same values on every device.
constexpr const char* fill_text = R"(
__device__ unsigned int mixed(unsigned long long index, unsigned int seed) {
  unsigned long long h = index * 0x9e3779b97f4a7c15ull + (unsigned long long)seed * 0xbf58476d1ce4e5b9ull;
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9ull;
  h = (h ^ (h >> 27)) * 0x94d049bb133111ebull;
  return (unsigned int)((h ^ (h >> 31)) >> 32);
}
extern "C" __global__ void fill(void* to, long long count, int type, int distribution, unsigned int seed) {
  const long long step = (long long)gridDim.x * blockDim.x;
  for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < count; i += step) {
    const unsigned int a = mixed((unsigned long long)i, seed);
    if (type == 2) {
      ((unsigned char*)to)[i] = (unsigned char)(a & 1u);
      continue;
    }
    float value;
    if (distribution == 1) {
      value = 0.5f + (float)(a >> 8) * 0x1p-24f;
    } else {
      const unsigned int b = mixed((unsigned long long)i, seed + 0x5851f42du);
      const int sum = (int)(a & 0xffffu) + (int)(a >> 16) + (int)(b & 0xffffu) + (int)(b >> 16) - 131070;
      value = (float)sum * (1.7320508f / 65536.0f);
    }
    if (type == 1) {
      const unsigned int bits = __float_as_uint(value);
      ((unsigned short*)to)[i] = (unsigned short)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
    } else if (type == 3) {
      unsigned short half;
      asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(value));
      ((unsigned short*)to)[i] = half;
    } else {
      ((float*)to)[i] = value;
    }
  }
}
)";

const driver_api& ready_driver() {
  const driver_api& api = require_driver();
  check(api.cuCtxSetCurrent(primary_context(0)), "choosing device 0");
  return api;
}

CUdeviceptr address(const void* pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }

/// Memory from the driver itself, outside the measurements; never freed.
CUdeviceptr allocate(std::size_t bytes) {
  CUdeviceptr made = 0;
  check(ready_driver().cuMemAlloc_v2(&made, bytes), "allocating the buffers of the copy");
  return made;
}

struct copy_buffers {
  CUdeviceptr from = 0, to = 0;
  std::size_t bytes = 0;
};

const copy_buffers& buffers_of_copies() {
  static const copy_buffers only = [] {
    copy_buffers made;
    made.bytes = std::size_t{4} << 30;
    // Workloads need up to 4 GiB besides the two buffers of the copy.
    while (made.bytes > cuda_device(0).memory_bytes / 8) made.bytes /= 2;
    made.bytes >>= std::min(current_settings().shrink, 8);
    made.from = allocate(made.bytes);
    made.to = allocate(made.bytes);
    cuda_fill(reinterpret_cast<void*>(made.from), made.bytes / 4, sinter::element_type::float32, 0, 77);
    cuda_wait();
    return made;
  }();
  return only;
}

}  // namespace

bool has_cuda() { return why_no_cuda().empty(); }

std::string why_no_cuda() {
  static const std::string reason = [] {
    std::string found = sinter::cuda_absence_reason();
    return found.empty() && nvrtc() == nullptr ? nvrtc_absence_reason() : found;
  }();
  return reason;
}

void cuda_wait() { synchronize(CUstream{nullptr}, 0); }

void cuda_choose_context(bool any) {
  check(require_driver().cuCtxSetCurrent(any ? primary_context(0) : nullptr), "choosing a context");
}

side cuda_copy(double traffic) {
  const copy_buffers& buffers = buffers_of_copies();
  const std::size_t bytes =
      std::clamp(static_cast<std::size_t>(traffic / 2), std::size_t{256}, buffers.bytes) / 256 * 256;
  const driver_api* const api = &ready_driver();
  side copy;
  copy.call = [api, &buffers, bytes] {
    check(api->cuMemcpyDtoDAsync_v2(buffers.to, buffers.from, bytes, nullptr), "copying on the device");
  };
  copy.wait = cuda_wait;
  copy.bytes = 2 * static_cast<double>(bytes);
  return copy;
}

side large_cuda_copy() { return cuda_copy(2 * static_cast<double>(buffers_of_copies().bytes)); }

void cuda_fill(void* to, std::size_t count, sinter::element_type type, int distribution, std::uint32_t seed) {
  const driver_api& api = ready_driver();
  static const CUkernel kernel = [] {
    const std::string code = compile_cuda(fill_text, "fill.cu", "fill", {cuda_device(0).architecture()}).code;
    static cuda_module* const module = new cuda_module(code);  // its kernel is used until the process ends
    return module->kernel("fill", primary_context(0));
  }();
  auto elements = static_cast<long long>(count);
  int kind = type == sinter::element_type::boolean    ? 2
             : type == sinter::element_type::bfloat16 ? 1
             : type == sinter::element_type::float16  ? 3
                                                      : 0;
  void* arguments[] = {&to, &elements, &kind, &distribution, &seed};
  launch_shape shape;
  shape.block_x = 256;
  shape.grid_x = static_cast<unsigned>(cuda_device(0).multiprocessors) * 16;
  launch_kernel(api, kernel, shape, nullptr, arguments, "fill");
}

void cuda_set_bytes(void* to, std::size_t bytes, unsigned char value) {
  check(ready_driver().cuMemsetD8Async(address(to), value, bytes, nullptr), "setting bytes");
}

void cuda_read(void* to, const void* from, std::size_t bytes) {
  check(ready_driver().cuMemcpyDtoHAsync_v2(to, address(from), bytes, nullptr), "reading from the device");
  cuda_wait();
}

std::string cuda_driver_version() {
  const int version = require_driver().version;
  std::string text = fmt::format("CUDA {}.{}", version / 1000, version % 1000 / 10);
  // The driver API does not report the driver's version; a file that its kernel module writes does.
  std::ifstream file("/proc/driver/nvidia/version");
  std::string word;
  while (file >> word)
    if (word.find_first_not_of("0123456789.") == std::string::npos && word.find('.') != std::string::npos)
      return word + " (" + text + ")";
  return text;
}

std::string nvrtc_version_text() {
  const int version = nvrtc_version();
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

}  // namespace sinter_bench
