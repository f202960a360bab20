#include "body_kernels.hpp"
#include "cpu_loops.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace sinter_bench {
namespace {

struct body_loops {
  void (*mandelbrot)(const float* along, float across, std::int64_t width, int* steps);
  void (*march)(const float* along, float across, std::int64_t width, float* distances);
};

namespace plain {
void mandelbrot(const float* along, float across, std::int64_t width, int* steps) {
  for (std::int64_t i = 0; i < width; ++i) {
    float x = 0, y = 0;
    int n = 0;
    for (; n < mandelbrot_steps && x * x + y * y < 4; ++n) {
      const float next = x * x - y * y + along[i];
      y = std::fma(2 * x, y, across);
      x = next;
    }
    steps[i] = n;
  }
}
void march(const float* along, float across, std::int64_t width, float* distances) {
  for (std::int64_t i = 0; i < width; ++i) {
    const float u = along[i], v = across, length = std::sqrt(std::fma(u, u, std::fma(v, v, 1.0f)));
    const float dx = u / length, dy = v / length, dz = 1 / length;
    float t = 0, d = 1;
    for (int n = 0; n < march_steps && d > 1e-3f && t < 20; ++n) {
      const float px = t * dx, py = t * dy, pz = t * dz - 4;
      d = std::fmin(std::sqrt(std::fma(px, px, std::fma(py, py, pz * pz))) - 1, py + 1);
      t += d;
    }
    distances[i] = t;
  }
}
constexpr body_loops all{mandelbrot, march};
}  // namespace plain

#if defined(__x86_64__)
namespace avx2 {
#define LOOP_TARGET [[gnu::target("avx2,fma")]]
#define LOOP_LANES 8
#define LOOP_FMA(a, b, c) (static_cast<lanes_f>(_mm256_fmadd_ps((__m256)(a), (__m256)(b), (__m256)(c))))
#define LOOP_SQRT(a) (static_cast<lanes_f>(_mm256_sqrt_ps((__m256)(a))))
#define LOOP_ANY(mask) (_mm256_movemask_ps((__m256)(mask)) != 0)
#include "body_loops.inc"
#undef LOOP_TARGET
#undef LOOP_LANES
#undef LOOP_FMA
#undef LOOP_SQRT
#undef LOOP_ANY
constexpr body_loops all{mandelbrot, march};
}  // namespace avx2

namespace avx512 {
#define LOOP_TARGET [[gnu::target("avx512f,avx512dq,fma")]]
#define LOOP_LANES 16
#define LOOP_FMA(a, b, c) (static_cast<lanes_f>(_mm512_fmadd_ps((__m512)(a), (__m512)(b), (__m512)(c))))
#define LOOP_SQRT(a) (static_cast<lanes_f>(_mm512_maskz_sqrt_ps(0xffff, (__m512)(a))))
#define LOOP_ANY(mask) (_mm512_movepi32_mask((__m512i)(mask)) != 0)
#include "body_loops.inc"
constexpr body_loops all{mandelbrot, march};
}  // namespace avx512
#endif

const body_loops& best_body_loops() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) return avx512::all;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return avx2::all;
#endif
  return plain::all;
}

/// Rows of the image in shares of a few, so that rows with much to do do not make one thread late.
template <class Row>
side on_rows(const image_arrays& of, Row row) {
  side made;
  made.call = [of, row] {
    std::atomic<std::int64_t> next{0};
    on_all_threads(64 * 1024, [&](std::size_t, std::size_t) {
      constexpr std::int64_t share = 8;
      for (std::int64_t first; (first = next.fetch_add(share)) < of.height;)
        for (std::int64_t y = first; y < std::min(first + share, of.height); ++y) row(y);
    });
  };
  return made;
}

}  // namespace

side cpu_mandelbrot_by_hand(const image_arrays& of, int* steps) {
  return on_rows(of, [of, steps](std::int64_t y) {
    best_body_loops().mandelbrot(of.along, of.across[y], of.width, steps + y * of.width);
  });
}

side cpu_march_by_hand(const image_arrays& of, float* distances) {
  return on_rows(of, [of, distances](std::int64_t y) {
    best_body_loops().march(of.along, of.across[y], of.width, distances + y * of.width);
  });
}

}  // namespace sinter_bench
