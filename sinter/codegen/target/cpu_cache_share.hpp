#pragma once
// What threads can count on of a last-level cache that they share with others.

#include <algorithm>
#include <cstdint>

namespace sinter::inline v0 {

/// A cache, and how many processors use it. In a virtual machine both describe the host: others may use it,
/// too.
struct shared_cache {
  std::uint64_t bytes = 0;
  unsigned sharers = 1;
};

/// The most that one thread counts on: copies whose lines a cache of 32 MiB would hold take less time past it
/// from here on, on one thread and on two
/// (bench/results/2026-11-25-two-core-x86-64-memory-bound.md).
inline constexpr std::uint64_t most_cache_of_a_thread = std::uint64_t{8} << 20;

/// Bytes that `threads` threads can count on: their share, with as many caches as have room for them.
constexpr std::uint64_t cpu_cache_share(const shared_cache& cache, unsigned threads) {
  return std::min(cache.bytes * threads / cache.sharers, most_cache_of_a_thread * threads);
}

}  // namespace sinter::inline v0
