#include "body_kernels.hpp"

#include "cuda_limits.hpp"

#include <sinter/runtime/cuda/check.hpp>
#include <sinter/runtime/cuda/devices.hpp>
#include <sinter/runtime/cuda/driver.hpp>
#include <sinter/runtime/cuda/launch.hpp>
#include <sinter/runtime/cuda/nvrtc.hpp>
#include <sinter/runtime/object/cuda_module.hpp>

namespace sinter_bench {
namespace {

using namespace sinter::runtime;

// As Sinter's default arithmetic: IEEE division and square root, and nothing contracted but what fmaf says.
constexpr const char* mandelbrot_text = R"(
extern "C" __global__ void __launch_bounds__(256) by_hand(const float* __restrict__ along,
    const float* __restrict__ across, int width, int* __restrict__ steps) {
  const int column = blockIdx.x * 256 + threadIdx.x, row = blockIdx.y;
  if (column >= width) return;
  const float re = along[column], im = across[row];
  float x = 0, y = 0;
  int n = 0;
  while (n < 256) {
    const float xx = x * x, yy = y * y;
    if (!(xx + yy < 4)) break;
    y = fmaf(2 * x, y, im);
    x = xx - yy + re;
    ++n;
  }
  steps[row * (long long)width + column] = n;
}
)";

constexpr const char* march_text = R"(
extern "C" __global__ void __launch_bounds__(256) by_hand(const float* __restrict__ along,
    const float* __restrict__ across, int width, float* __restrict__ distances) {
  const int column = blockIdx.x * 256 + threadIdx.x, row = blockIdx.y;
  if (column >= width) return;
  const float u = along[column], v = across[row];
  const float length = sqrtf(fmaf(u, u, fmaf(v, v, 1)));
  const float dx = u / length, dy = v / length, dz = 1 / length;
  float t = 0, d = 1;
  int n = 0;
  while (d > 1e-3f && t < 20 && n < 128) {
    const float px = t * dx, py = t * dy, pz = t * dz - 4;
    d = fminf(sqrtf(fmaf(px, px, fmaf(py, py, pz * pz))) - 1, py + 1);
    t += d;
    ++n;
  }
  distances[row * (long long)width + column] = t;
}
)";

CUkernel kernel_of(const char* text) {
  const std::string code = compile_cuda(text, "by_hand", "by_hand", {cuda_device(0).architecture()}).code;
  auto* const module = new cuda_module(code);  // its kernel is used until the process ends
  return module->kernel("by_hand", primary_context(0));
}

template <class Result>
side launched(CUkernel kernel, const image_arrays& of, Result* result) {
  side made;
  made.call = [=]() mutable {
    int width = static_cast<int>(of.width);
    const float *along = of.along, *across = of.across;
    void* arguments[] = {&along, &across, &width, &result};
    launch_shape shape;
    shape.block_x = 256;
    shape.grid_x = static_cast<unsigned>((of.width + 255) / 256);
    shape.grid_y = static_cast<unsigned>(of.height);
    launch_kernel(require_driver(), kernel, shape, nullptr, arguments, "by_hand");
  };
  made.wait = cuda_wait;
  return made;
}

}  // namespace

side cuda_mandelbrot_by_hand(const image_arrays& of, int* steps) {
  cuda_choose_context(true);
  static const CUkernel kernel = kernel_of(mandelbrot_text);
  return launched(kernel, of, steps);
}

side cuda_march_by_hand(const image_arrays& of, float* distances) {
  cuda_choose_context(true);
  static const CUkernel kernel = kernel_of(march_text);
  return launched(kernel, of, distances);
}

}  // namespace sinter_bench
