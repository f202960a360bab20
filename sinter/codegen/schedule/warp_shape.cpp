#include <sinter/codegen/base/integers.hpp>
#include <sinter/codegen/nest/reduction_phases.hpp>
#include <sinter/codegen/schedule/thresholds.hpp>
#include <sinter/codegen/schedule/warp_shape.hpp>
#include <sinter/codegen/target/cuda_limits.hpp>

#include <algorithm>
#include <cstdlib>

namespace sinter::inline v0 {
namespace {

std::int64_t bytes_apart(const access& at, unsigned axis) {
  return std::llabs(at.strides[axis]) * static_cast<std::int64_t>(size_of(at.type));
}

/// Cache lines of `count` elements that lie `bytes` apart.
std::int64_t lines_of(std::int64_t count, std::int64_t bytes) {
  return bytes >= gpu_cache_line_bytes
             ? count
             : divide_up(count * std::max<std::int64_t>(1, bytes), gpu_cache_line_bytes);
}

/// Lines that a warp's loads of its elements touch, for each load again.
std::int64_t lines_of_warp(const access& at, unsigned along, unsigned across, std::int64_t vector,
                           std::int64_t threads_along, std::int64_t threads_across) {
  const std::int64_t far = bytes_apart(at, along), near = bytes_apart(at, across);
  if (far == 0) return near == 0 ? 1 : lines_of(threads_across, near);
  if (at.strides[along] == 1) return lines_of(threads_along * vector, far) * (near == 0 ? 1 : threads_across);
  const std::int64_t in_a_load = near == 0 ? 1 : lines_of(threads_across, near);
  return vector * lines_of(threads_along, far * vector) * in_a_load;
}

bool is_moved_for_each_element(const nest& loop_nest, const access& at) {
  return at.what != access::kind::position && moves_along_reduced_axes(loop_nest, at);
}

}  // namespace

bool is_transposed(const access& at, unsigned along, unsigned across) {
  return at.what == access::kind::read && at.strides[across] != 0 && bytes_apart(at, across) < sector_bytes &&
         bytes_apart(at, along) >= sector_bytes;
}

bool reads_transposed(const nest& loop_nest, unsigned along, unsigned across) {
  return std::ranges::any_of(loop_nest.accesses,
                             [&](const access& at) { return is_transposed(at, along, across); });
}

std::int64_t warp_threads_along(const nest& loop_nest, unsigned along, unsigned across, std::int64_t vector,
                                std::int64_t most, const target_facts& target) {
  const std::int64_t warp = warp_threads(target.kind);
  std::int64_t bytes = 0;
  for (const access& at : loop_nest.accesses)
    if (is_moved_for_each_element(loop_nest, at))
      bytes += warp * vector * static_cast<std::int64_t>(size_of(at.type));
  const std::int64_t enough = bytes / gpu_thresholds_of(target).reductions.bytes_of_a_lookup;
  std::int64_t best = 1, fewest = 0;
  for (std::int64_t threads = std::min(most, warp); threads >= 1; threads /= 2) {
    std::int64_t lines = 0;
    for (const access& at : loop_nest.accesses)
      if (is_moved_for_each_element(loop_nest, at))
        lines += lines_of_warp(at, along, across, vector, threads, warp / threads);
    if (fewest != 0 && lines >= fewest) continue;
    fewest = lines;
    best = threads;
    if (lines <= enough) break;
  }
  return best;
}

}  // namespace sinter::inline v0
