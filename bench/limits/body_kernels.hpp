#pragma once
// Loops with early exit written by hand, for one function each: CUDA kernels of one thread for each element,
// and loops on vectors with masks over all threads of the CPU.

#include "../comparison.hpp"

#include <cstdint>

namespace sinter_bench {

/// Two rows that span an image, and the image.
struct image_arrays {
  const float* along = nullptr;   ///< `width` numbers
  const float* across = nullptr;  ///< `height` numbers
  std::int64_t width = 0, height = 0;
};

inline constexpr int mandelbrot_steps = 256;
/// Steps of z = z * z + along + i across, from 0, until |z| >= 2 or there are mandelbrot_steps.
side cuda_mandelbrot_by_hand(const image_arrays& of, int* steps);
side cpu_mandelbrot_by_hand(const image_arrays& of, int* steps);

inline constexpr int march_steps = 128;
/// How far a ray through (along, across, 1) goes until it meets a sphere above a floor, by steps of the
/// distance to the nearest of both, up to 20 or march_steps steps.
side cuda_march_by_hand(const image_arrays& of, float* distances);
side cpu_march_by_hand(const image_arrays& of, float* distances);

}  // namespace sinter_bench
