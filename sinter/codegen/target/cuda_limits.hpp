#pragma once
// What NVIDIA GPUs of all models have in common. What differs between models is in target_facts.

#include <cstddef>
#include <cstdint>

namespace sinter::inline v0 {

/// Most threads of a block (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability").
inline constexpr std::int64_t max_block_threads = 1024;
/// Bytes of the widest load or store of one thread (the same guide, "Device Memory Accesses").
inline constexpr std::uint32_t access_bytes = 16;
/// 32-bit registers of a multiprocessor, which its threads share, on every architecture since 5.0.
inline constexpr std::int64_t multiprocessor_registers = 65536, register_bytes = 4;
/// Registers are given to threads in units, at most so many; and blocks of a multiprocessor (CUDA C++
/// Programming Guide, "Technical Specifications per Compute Capability"; of 255 registers the last unit is
/// not whole).
inline constexpr std::int64_t register_allocation_unit = 8, max_thread_registers = 248,
                              max_multiprocessor_blocks = 32;
/// Registers are given to warps in units of so many, and each of a multiprocessor's partitions has its part
/// of them; a thread has at most so many (cuda_occupancy.h of the CUDA toolkit).
inline constexpr std::int64_t warp_register_unit = 256, multiprocessor_partitions = 4,
                              max_compiled_registers = 255;
/// Bytes of a cache line, and of the sectors in which it is filled (the same guide, "Device Memory
/// Accesses").
inline constexpr std::int64_t gpu_cache_line_bytes = 128, sector_bytes = 32;
/// Bytes of shared memory that a block has without asking for more.
inline constexpr std::uint32_t default_shared_bytes = 48 * 1024;
/// Bytes of shared memory that the system keeps for itself in each block, from compute capability 8.0 on; and
/// banks of shared memory, with the bytes of a word (CUDA C++ Programming Guide, "Shared Memory").
inline constexpr std::uint32_t reserved_shared_bytes = 1024;
inline constexpr int first_with_reserved_shared = 80;
/// Bytes in units of which blocks are given shared memory, from that compute capability on and before
/// (cuda_occupancy.h of the CUDA toolkit).
inline constexpr std::int64_t shared_memory_unit = 128, first_shared_memory_unit = 256;
inline constexpr std::size_t shared_banks = 32;
inline constexpr std::int64_t bank_bytes = 4;
/// The first architecture whose threads copy from memory to shared memory and go on meanwhile (cp.async).
inline constexpr int first_with_asynchronous_copies = 80;

}  // namespace sinter::inline v0
