#include <sinter/codegen/schedule/choose/private_updates.hpp>

#include <sinter/codegen/base/integers.hpp>
#include <sinter/codegen/nest/nest_facts.hpp>
#include <sinter/codegen/schedule/thresholds.hpp>
#include <sinter/codegen/schedule/tiling.hpp>

#include <algorithm>
#include <bit>

namespace sinter::inline v0 {
std::int64_t bytes_of_copy(const nest& loop_nest, std::int64_t elements, target_kind target) {
  const store& made = loop_nest.stores[0];
  return elements * (is_gpu(target) && counts_updates(loop_nest, made)
                         ? std::int64_t{sizeof(std::uint32_t)}
                         : static_cast<std::int64_t>(size_of(loop_nest.accesses[made.target].type)));
}

std::uint16_t private_elements(const nest& loop_nest, const target_facts& target) {
  const std::int64_t updated = elements_updated(loop_nest);
  if (updated < 1 || updated > max_private_elements) return 0;
  const auto elements = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(updated)));
  const update_thresholds& table =
      is_gpu(target.kind) ? gpu_thresholds_of(target).updates.copies : cpu_thresholds_of(target).copies;
  if (bytes_of_copy(loop_nest, elements, target.kind) > table.max_bytes) return 0;
  const bool is_worth = count_rows(loop_nest, false) >= table.min_updates * elements;
  return is_worth ? static_cast<std::uint16_t>(elements) : std::uint16_t{0};
}

void choose_blocks_of_copies(const nest& loop_nest, const target_facts& target, schedule& chosen) {
  const bool two = loop_nest.rank >= 2 && chosen.order == loop_order::rows;
  const std::int64_t threads = gpu_thresholds_of(target).updates.threads;
  chosen.threads_across =
      two ? std::min(chosen.threads_across, static_cast<std::uint16_t>(threads)) : std::uint16_t{1};
  chosen.threads_along = static_cast<std::uint16_t>(threads / chosen.threads_across);
}

std::int64_t tiles_of_block(const nest& loop_nest, const schedule& chosen, std::int64_t tiles,
                            const target_facts& target) {
  const gpu_update_thresholds& table = gpu_thresholds_of(target).updates;
  const std::int64_t updates = count_rows(loop_nest, false);
  // a block counts in 32 bits
  const std::int64_t least = divide_up(updates, std::int64_t{1} << 31);
  const std::int64_t most = std::int64_t{target.multiprocessors} * table.blocks_of_multiprocessor;
  const std::int64_t worth = updates / (table.updates_of_block * chosen.private_updates);
  const std::int64_t blocks =
      std::clamp(std::max(least, std::min(worth, most)), std::int64_t{1}, std::max<std::int64_t>(1, tiles));
  return divide_up(tiles, blocks);
}

}  // namespace sinter::inline v0
