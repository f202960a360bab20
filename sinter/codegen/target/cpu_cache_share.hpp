#pragma once
// What threads can count on of a last-level cache that they share with others.

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>

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
inline constexpr std::uint64_t max_thread_cache_bytes = std::uint64_t{8} << 20;

/// Bytes that `threads` threads can count on: their share, with as many caches as have room for them.
constexpr std::uint64_t cpu_cache_share(const shared_cache& cache, unsigned threads) {
  return std::min(cache.bytes * threads / cache.sharers, max_thread_cache_bytes * threads);
}

/// How many numbers a list like "0-3,8,10-11" has, as Linux writes which processors share a cache.
inline unsigned count_listed(std::string_view list) {
  unsigned count = 0;
  for (const char *at = list.data(), *const end = at + list.size(); at < end; ++at) {
    unsigned first = 0, last = 0;
    at = std::from_chars(at, end, first).ptr;
    last = first;
    if (at != end && *at == '-') at = std::from_chars(at + 1, end, last).ptr;
    count += last - first + 1;
  }
  return count;
}

}  // namespace sinter::inline v0
