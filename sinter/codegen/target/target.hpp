#pragma once
// Facts about the machine for which the lowering pass emits text.

#include <sinter/codegen/target/cuda_limits.hpp>

#include <cstdint>
#include <string>

namespace sinter::inline v0 {

enum class target_kind : std::uint8_t { cuda, cpu };

/// What follows from the kind of a target alone, which is in every kernel's description: schedules and texts
/// depend on it. Targets with warps of different widths are different kinds.
struct target_kind_facts {
  /// Threads that execute together and exchange registers: those of a warp (CUDA C++ Programming Guide, "SIMT
  /// Architecture"); 1 on the CPU.
  std::int64_t warp_threads;
  /// A kernel is a grid of blocks, whose threads have registers of their own and share memory on the chip.
  bool is_gpu;
};
constexpr target_kind_facts facts_of(target_kind kind) {
  switch (kind) {
    case target_kind::cuda:
      return {.warp_threads = 32, .is_gpu = true};
    case target_kind::cpu:
      break;
  }
  return {.warp_threads = 1, .is_gpu = false};
}
constexpr std::int64_t warp_threads(target_kind kind) { return facts_of(kind).warp_threads; }
constexpr bool is_gpu(target_kind kind) { return facts_of(kind).is_gpu; }

/// Facts about a target: a committed table plus queried attributes, never a measurement.
struct target_facts {
  target_kind kind = target_kind::cpu;
  int architecture = 0;     ///< CUDA: 10 * major + minor of the compute capability
  int multiprocessors = 1;  ///< CUDA: multiprocessors; CPU: hardware threads
  std::uint32_t threads_per_multiprocessor = 2048;
  std::uint32_t shared_bytes_per_block = default_shared_bytes;  ///< CUDA: opt-in limit
  std::uint32_t cluster_blocks = 1;       ///< CUDA: most blocks of a cluster; 1: no clusters
  std::uint64_t cache_bytes = 32u << 20;  ///< last-level cache; of the CPU's, cpu_cache_share()
  std::uint32_t vector_bytes = 16;        ///< widest load of one thread (CUDA), one register (CPU)
  /// CUDA: bytes of parameters that a launch takes: 32,764 with driver and NVRTC 12.1 and compute capability
  /// 7.0 or later, else 4,096 (CUDA C++ Programming Guide, "__global__ function parameters").
  std::uint32_t parameter_bytes = 32764;

  /// CUDA: a kernel can start before the previous one is done, and wait on the device (compute capability 9.0
  /// or later; in captured graphs with driver 12.3 or later).
  bool overlaps_launches = false;

  bool operator==(const target_facts&) const = default;
};

}  // namespace sinter::inline v0
