#include <sinter/runtime/cpu/flush_caches.hpp>

#include <sinter/runtime/cpu/executor.hpp>

#include <cstdint>
#include <vector>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace sinter::inline v0::runtime {
namespace {

// Larger than last-level caches, whose size is of no matter here; 256 MiB take some 20 ms.
constexpr std::size_t longest = std::size_t{256} << 20;
constexpr std::size_t line = 64, grain = std::size_t{1} << 20;

#if defined(__x86_64__)
void flush(const cached_range& range) {
  run_ranges(range.bytes, grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t at = begin; at < end; at += line) _mm_clflush(range.data + at);
    if (end > begin) _mm_clflush(range.data + end - 1);
    _mm_mfence();
  });
}
#else
/// Reads other memory, as much as caches may hold.
void read_other_memory() {
  static const std::vector<std::uint64_t> other(longest / 4 / sizeof(std::uint64_t), 1);
  run_ranges(other.size(), grain, [](std::size_t begin, std::size_t end) {
    std::uint64_t sum = 0;
    for (std::size_t at = begin; at < end; at += line / sizeof sum) sum += other[at];
    volatile std::uint64_t kept = sum;
    static_cast<void>(kept);
  });
}
#endif

}  // namespace

void flush_caches(std::span<const cached_range> ranges) {
  std::size_t bytes = 0;
  for (const cached_range& each : ranges) bytes += each.bytes;
  if (bytes >= longest) return;
#if defined(__x86_64__)
  for (const cached_range& each : ranges) flush(each);
#else
  read_other_memory();
#endif
}

}  // namespace sinter::inline v0::runtime
