#include <sinter/codegen/base/integers.hpp>
#include <sinter/codegen/graph/array_layout.hpp>
#include <sinter/codegen/segment/sorted_rows.hpp>

#include <algorithm>

namespace sinter::inline v0 {

std::string describe(const sorted_rows& sorted) {
  return "sorts " + std::to_string(sorted.rows) + (sorted.rows == 1 ? " row of " : " rows of ") +
         std::to_string(sorted.length) + " keys of " + std::to_string(sorted.key_bits) + " bits";
}

std::int64_t rows_of_sort_chunk(const sorted_rows& sorted) {
  return std::min(sorted.rows, std::max<std::int64_t>(1, sort_chunk_elements / sorted.length));
}

sort_scratch scratch_of(const sorted_rows& sorted) {
  sort_scratch made;
  if (sorted.rows == 0 || sorted.length <= min_sort_tile) return made;
  const auto take = [&](std::int64_t count, std::size_t size) {
    const std::size_t at = made.bytes;
    made.bytes = round_up(at + static_cast<std::size_t>(count) * size, std::size_t{max_alignment});
    return at;
  };
  constexpr std::int64_t digits = 1 << max_sort_radix_bits;
  const std::int64_t copied = rows_of_sort_chunk(sorted) * sorted.length;
  const std::int64_t portions = divide_up(sorted.length, max_sort_portion - max_sort_tile);
  const std::int64_t passes = divide_up<std::int64_t>(sorted.key_bits, min_onesweep_radix_bits);
  made.keys = take(copied, sorted.key_bytes);
  made.positions = take(copied, sizeof(std::uint32_t));
  made.counters = take(portions * passes, sizeof(int));
  made.counts = take(portions * passes * digits, sizeof(std::uint32_t));
  made.lookback =
      take(divide_up(std::min(sorted.length, max_sort_portion), min_sort_tile) * digits, sizeof(int));
  return made;
}

std::size_t scratch_bytes(const sorted_rows& sorted, target_kind target) {
  return is_gpu(target) ? scratch_of(sorted).bytes : 0;
}

}  // namespace sinter::inline v0
