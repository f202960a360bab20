#pragma once
// How many blocks of a kernel a multiprocessor of a GPU holds at the same time, and what bounds them.

#include <sinter/codegen/target/target.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace sinter::inline v0 {

/// What a block of a compiled kernel takes of its multiprocessor.
struct block_use {
  std::int64_t threads = 1;
  std::int64_t registers = 0;     ///< of a thread
  std::int64_t shared_bytes = 0;  ///< static and dynamic
};

/// What a multiprocessor has for its blocks.
enum class occupancy_limit : std::uint8_t { threads, blocks, registers, shared_memory };
inline constexpr std::size_t occupancy_limits = 4;

struct occupancy {
  std::int64_t blocks = 0;                                    ///< 0: a block does not fit
  std::int64_t warps = 0, max_warps = 0;                      ///< of these blocks, and that could be
  std::array<std::int64_t, occupancy_limits> blocks_by = {};  ///< that each limit alone would allow

  bool is_limited_by(occupancy_limit what) const {
    return blocks_by[static_cast<std::size_t>(what)] == blocks;
  }
};

/// The occupancy by the rules of cuda_occupancy.h. Kernels of clusters may have less: a cluster's blocks
/// start together. Only for GPUs.
occupancy occupancy_of(const block_use& use, const target_facts& target);

/// As text: "5 blocks of 256 threads, 40 of 64 warps (62%), limited by registers".
std::string describe(const occupancy& of, const block_use& use);

}  // namespace sinter::inline v0
