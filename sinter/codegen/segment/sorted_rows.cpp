#include <sinter/codegen/base/integers.hpp>
#include <sinter/codegen/graph/array_layout.hpp>
#include <sinter/codegen/segment/sorted_rows.hpp>

namespace sinter::inline v0 {
namespace {

/// Of a radix sort in digits of 8 bits: the counts of all digits of a key, a counter of tiles for each digit,
/// and for each tile a count of every digit value, which the tiles after it look back at.
constexpr std::size_t digit_values = 256, max_digits = 8, bytes_of_count = 4;
/// Elements of the smallest tile of one pass over all of a long row.
constexpr std::int64_t least_tile = 1024;

}  // namespace

std::string describe(const sorted_rows& sorted) {
  return "sorts " + std::to_string(sorted.rows) + (sorted.rows == 1 ? " row of " : " rows of ") +
         std::to_string(sorted.length) + " keys of " + std::to_string(sorted.key_bits) + " bits";
}

std::size_t scratch_bytes(const sorted_rows& sorted, target_kind target) {
  if (!is_gpu(target)) return 0;
  const auto elements = static_cast<std::size_t>(sorted.rows * sorted.length);
  const auto tiles = static_cast<std::size_t>(divide_up(sorted.length, least_tile));
  const std::size_t keys = round_up(elements * sorted.key_bytes, max_alignment),
                    positions = round_up(elements * sizeof(std::uint32_t), max_alignment),
                    counts = round_up(max_digits * (digit_values + 1) * bytes_of_count, max_alignment),
                    looked_back = round_up(tiles * digit_values * bytes_of_count, max_alignment);
  return keys + positions + 2 * counts + looked_back;
}

}  // namespace sinter::inline v0
