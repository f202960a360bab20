#include "part_loops.hpp"

#include "../limits/cpu_loops.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>

namespace sinter_bench {
namespace {

// Where the element at a position stands, which is at most pad_width before or after an axis.
std::int64_t constant_position(std::int64_t at, std::int64_t extent) {
  return at >= 0 && at < extent ? at : -1;
}
std::int64_t edge_position(std::int64_t at, std::int64_t extent) {
  return std::clamp(at, std::int64_t{0}, extent - 1);
}
std::int64_t reflected_position(std::int64_t at, std::int64_t extent) {
  return at < 0 ? -at : at < extent ? at : 2 * (extent - 1) - at;
}
std::int64_t wrapped_position(std::int64_t at, std::int64_t extent) { return (at + extent) % extent; }

namespace plain {
#define LOOP_TARGET
#include "part_loops.inc"
#undef LOOP_TARGET
}  // namespace plain

#if defined(__x86_64__)
namespace avx2 {
#define LOOP_TARGET [[gnu::target("avx2,fma")]]
#include "part_loops.inc"
#undef LOOP_TARGET
}  // namespace avx2

namespace avx512 {
#define LOOP_TARGET [[gnu::target("avx512f,avx512dq,avx512vl,avx512bw,fma")]]
#include "part_loops.inc"
#undef LOOP_TARGET
}  // namespace avx512
#endif

}  // namespace

const part_loops& best_part_loops() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw")) return avx512::all;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return avx2::all;
#endif
  return plain::all;
}

void run_part_loop(part_loop loop, const loop_arrays& of, std::int64_t count, loop_units units) {
  if (units == loop_units::summed_elements) *of.to = 0;
  // on_all_threads() splits at multiples of 64, so each row counts as 64.
  const std::size_t weight = units == loop_units::rows ? 64 : 1;
  on_all_threads(static_cast<std::size_t>(count) * weight, [&](std::size_t first, std::size_t last) {
    loop(of, static_cast<std::int64_t>(first / weight), static_cast<std::int64_t>(last / weight));
  });
}

}  // namespace sinter_bench
