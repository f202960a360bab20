// How many blocks a multiprocessor holds, and what bounds them: compared with NVIDIA's own calculator where
// the toolkit's headers are.

#include <doctest/doctest.h>

#include "../support/needs.hpp"

#include <sinter/codegen/kernel/occupancy.hpp>
#include <sinter/codegen/target/cuda_limits.hpp>
#include <sinter/codegen/target/known_devices.hpp>

#if __has_include(<cuda_occupancy.h>)
#include <cuda_occupancy.h>
#endif

#include <algorithm>
#include <climits>
#include <cstdint>
#include <string>

namespace sinter::test {
namespace {

target_facts gpu_of(int architecture) { return facts_of(known_device{"", architecture, 1, 1, 1}); }

std::string told(const block_use& use, int architecture) {
  return describe(occupancy_of(use, gpu_of(architecture)), use);
}

#if __has_include(<cuda_occupancy.h>)

cudaOccDeviceProp properties_of(int architecture) {
  const target_facts target = gpu_of(architecture);
  const std::size_t reserved = architecture >= first_with_reserved_shared ? reserved_shared_bytes : 0;
  cudaOccDeviceProp made;
  made.computeMajor = architecture / 10;
  made.computeMinor = architecture % 10;
  made.maxThreadsPerBlock = static_cast<int>(max_block_threads);
  made.maxThreadsPerMultiprocessor = static_cast<int>(target.threads_per_multiprocessor);
  made.regsPerBlock = made.regsPerMultiprocessor = static_cast<int>(multiprocessor_registers);
  made.warpSize = 32;
  made.sharedMemPerBlock = default_shared_bytes;
  made.sharedMemPerBlockOptin = target.shared_bytes_per_block;
  made.sharedMemPerMultiprocessor = target.shared_bytes_per_block + reserved;
  made.reservedSharedMemPerBlock = reserved;
  made.numSms = 1;
  return made;
}

/// What the header says of a kernel that may have all shared memory that there is.
cudaOccResult expected_of(const block_use& use, const cudaOccDeviceProp& properties) {
  cudaOccFuncAttributes kernel;
  kernel.maxThreadsPerBlock = INT_MAX;
  kernel.numRegs = static_cast<int>(use.registers);
  kernel.sharedSizeBytes = 0;
  kernel.partitionedGCConfig = PARTITIONED_GC_OFF;
  kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  kernel.maxDynamicSharedSizeBytes = properties.sharedMemPerBlockOptin;
  kernel.numBlockBarriers = 1;
  const cudaOccDeviceState state;
  cudaOccResult made{};
  REQUIRE(cudaOccMaxActiveBlocksPerMultiprocessor(
              &made, &properties, &kernel, &state, static_cast<int>(use.threads),
              static_cast<std::size_t>(use.shared_bytes)) == CUDA_OCC_SUCCESS);
  return made;
}

bool agree(const occupancy& ours, const cudaOccResult& expected) {
  const auto limits = [&](unsigned factor, occupancy_limit what) {
    return ((expected.limitingFactors & factor) != 0) == ours.is_limited_by(what);
  };
  return ours.blocks == expected.activeBlocksPerMultiprocessor &&
         limits(OCC_LIMIT_WARPS, occupancy_limit::threads) &&
         limits(OCC_LIMIT_BLOCKS, occupancy_limit::blocks) &&
         limits(OCC_LIMIT_REGISTERS, occupancy_limit::registers) &&
         limits(OCC_LIMIT_SHARED_MEMORY, occupancy_limit::shared_memory);
}

#endif

}  // namespace

TEST_CASE("the scarcest of threads, blocks, registers and shared memory bounds the blocks") {
  CHECK(told({.threads = 256, .registers = 32}, 90) ==
        "8 blocks of 256 threads, 64 of 64 warps (100%), "
        "limited by threads and registers");
  CHECK(told({.threads = 256, .registers = 40}, 90) ==
        "6 blocks of 256 threads, 48 of 64 warps (75%), limited by registers");
  CHECK(told({.threads = 32, .registers = 16}, 86) ==
        "16 blocks of 32 threads, 16 of 48 warps (33%), limited by blocks");
  CHECK(told({.threads = 128, .registers = 32, .shared_bytes = 100 << 10}, 90) ==
        "2 blocks of 128 threads, 8 of 64 warps (12%), limited by shared memory");
  CHECK(told({.threads = 1024, .registers = 128}, 90) ==
        "0 blocks of 1024 threads, 0 of 64 warps (0%), limited by registers");
}

TEST_CASE("the occupancy is that of NVIDIA's calculator") {
#if __has_include(<cuda_occupancy.h>)
  for (const int architecture : {75, 80, 86, 87, 89, 90, 100, 103, 110, 120, 121}) {
    const cudaOccDeviceProp properties = properties_of(architecture);
    const target_facts target = gpu_of(architecture);
    int differences = 0;
    for (std::int64_t threads = 1; threads <= max_block_threads + 32; threads += threads < 64 ? 21 : 31)
      for (std::int64_t registers = 0; registers <= 256; registers += registers < 128 ? 3 : 8)
        for (std::int64_t shared = 0; shared <= (228 << 10); shared = shared * 3 / 2 + 97) {
          const block_use use{threads, registers, shared};
          if (agree(occupancy_of(use, target), expected_of(use, properties)) || ++differences > 3) continue;
          FAIL_CHECK("architecture ", architecture, ", ", threads, " threads, ", registers, " registers, ",
                     shared, " bytes: ", told(use, architecture));
        }
    CHECK(differences == 0);
  }
#else
  lacks(need::cuda_headers, "cuda_occupancy.h of the toolkit is not on the include path");
#endif
}

}  // namespace sinter::test
