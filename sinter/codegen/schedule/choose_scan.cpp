#include <sinter/codegen/base/integers.hpp>
#include <sinter/codegen/nest/reduction_phases.hpp>
#include <sinter/codegen/schedule/choose_scan.hpp>
#include <sinter/codegen/schedule/tiling.hpp>

#include <algorithm>

namespace sinter {
namespace {

// Within a turn threads wait for each other, so a turn is as much of a row as registers hold without effort.
constexpr std::int64_t row_of_a_warp = 1024, steps_in_a_warp = 8, steps_in_a_block = 4;
constexpr std::int64_t elements_of_a_thread = 16;
constexpr std::int64_t block = 256, largest_block = 1024;
constexpr std::int64_t threads_to_fill = 768;  // of a multiprocessor: three quarters of one largest block
constexpr std::int64_t most_shared = 24 * 1024;

/// Bytes of the elements that are scanned side by side, in all phases.
std::int64_t bytes_of_scans(const nest& bound) {
  std::int64_t bytes = 0;
  for (const instruction& at : bound.body)
    if (is_scan(at.op)) bytes += static_cast<std::int64_t>(size_of(facts(at.type).compute));
  return bytes * bound.phases;
}

void widen_rows(const nest& bound, const target_facts& target, unsigned attempt, schedule& chosen) {
  const std::int64_t whole = power_above(count_rows(bound, true)), rows = count_rows(bound, false);
  const bool few = attempt == 0 && rows * block < largest_block * target.multiprocessors;
  const std::int64_t most = few ? largest_block : block;
  const bool warp = whole <= row_of_a_warp;
  const std::int64_t wanted = warp ? std::min<std::int64_t>(32, whole / steps_in_a_warp)
                                   : std::min(whole / elements_of_a_thread, most);
  const std::int64_t threads =
      std::clamp<std::int64_t>(wanted, 1, std::max<std::int64_t>(1, whole / chosen.vector));
  const std::int64_t most_steps = attempt != 0 ? 1 : warp ? steps_in_a_warp : steps_in_a_block;
  chosen.cluster = chosen.rows_per_thread = 1;
  chosen.threads_along = static_cast<std::uint16_t>(threads);
  chosen.threads_across = static_cast<std::uint16_t>(std::max<std::int64_t>(1, block / 2 / threads));
  chosen.steps =
      static_cast<std::uint16_t>(std::clamp<std::int64_t>(whole / (threads * chosen.vector), 1, most_steps));
}

/// Narrower strips and more threads along them, until there are enough.
void narrow_columns(const nest& bound, const target_facts& target, schedule& chosen) {
  const auto blocks = [&] { return count_tiles(bound, chosen, tile_of(bound, chosen, target.kind)); };
  while (chosen.vector > 1 && blocks() < 2 * target.multiprocessors) chosen.vector /= 2;
  if (chosen.vector == 1) chosen.scalar_loads = false;
  const std::int64_t length = count_rows(bound, true);
  while (blocks() < 2 * target.multiprocessors &&
         chosen.threads_along * chosen.threads_across < largest_block &&
         chosen.threads_across * chosen.steps < length)
    chosen.threads_across = static_cast<std::uint16_t>(2 * chosen.threads_across);
  const auto shared = [&] {
    return 2 * bytes_of_scans(bound) * chosen.threads_along * chosen.threads_across * chosen.vector;
  };
  while (chosen.threads_across > 1 && shared() > most_shared)
    chosen.threads_across = static_cast<std::uint16_t>(chosen.threads_across / 2);
}

}  // namespace

void adapt_to_scans(const nest& bound, const target_facts& target, unsigned attempt, schedule& chosen) {
  if (target.kind == target_kind::host || chosen.kept) return;
  if (chosen.order == walk::column_reduction)
    narrow_columns(bound, target, chosen);
  else
    widen_rows(bound, target, attempt, chosen);
}

bool has_enough_threads(const schedule& chosen, std::int64_t blocks, const target_facts& target) {
  return blocks * chosen.threads_along * chosen.threads_across >= threads_to_fill * target.multiprocessors;
}

}  // namespace sinter
