#include <sinter/codegen/arguments.hpp>
#include <sinter/codegen/choose_columns.hpp>
#include <sinter/codegen/choose_pieces.hpp>
#include <sinter/codegen/choose_rows.hpp>
#include <sinter/codegen/choose_scan.hpp>
#include <sinter/codegen/integers.hpp>
#include <sinter/codegen/normalise.hpp>
#include <sinter/codegen/reduction.hpp>
#include <sinter/codegen/reduction_facts.hpp>
#include <sinter/codegen/split_rows.hpp>
#include <sinter/codegen/split_scans.hpp>

#include <algorithm>
#include <bit>

namespace sinter {
namespace {

// Blocks a multiprocessor that pieces of rows are made for; more where each still has many turns.
constexpr std::int64_t enough_blocks = 4, most_blocks = 8, turns_of_many = 8;
constexpr std::int64_t shortest_split = 256;  // in the time of a launch a block has walked as many elements
constexpr std::int64_t longest_row_of_a_block = 1 << 15;
constexpr std::int64_t host_piece_length = 1 << 15, fewest_host_rows = 16;
constexpr std::int64_t host_cached_row = 1 << 18;  // elements that are still near when they are read again
constexpr std::int64_t host_column_piece = 128;    // more rows of a power of two evict each other
constexpr std::int64_t shortest_deviation_piece = 1 << 11, longest_deviation_piece = 1 << 13;
constexpr std::int64_t whole_vectors = 64;  // pieces are a multiple of it

/// Whether a row fits the chip, so that it is read once however many phases need it; on the CPU whether it is
/// still in the cache.
bool fits_the_chip(const nest& bound, const target_facts& target) {
  const std::int64_t length = count_rows(bound, true);
  if (target.kind == target_kind::host)
    return length <= (is_column_walk(bound, target.kind)            ? host_column_piece
                      : count_rows(bound, false) < fewest_host_rows ? host_piece_length
                                                                    : host_cached_row);
  if (is_column_walk(bound, target.kind)) return length <= longest_kept_column(bound, target);
  schedule kept;
  return choose_kept(bound, std::min(power_above(length), row_lanes(bound, target)), target, kept);
}

/// Into how many pieces each row is better cut; 1: none.
std::int64_t count_row_pieces(const nest& bound, const schedule& chosen, const target_facts& target) {
  const std::int64_t length = count_rows(bound, true), rows = count_rows(bound, false);
  if (finds_positions(bound) || rows == 0 || !std::has_single_bit(bound.reduced) || loops_of(bound) != 1 ||
      bound.split >= 0)
    return 1;
  if (has_scans(bound) && !has_separate_scans(bound)) return 1;
  for (const store& at : bound.stores)
    if (!has_scans(bound) && walks_reduced_axes(bound, bound.accesses[at.target])) return 1;
  if (target.kind == target_kind::host)
    return rows >= fewest_host_rows || is_column_walk(bound, target.kind)
               ? 1
               : std::max<std::int64_t>(1, length / host_piece_length);
  if (length <= shortest_split) return 1;
  // few rows of a reduction that are a block or cluster each are quicker so; a scan's threads say nothing
  if (!has_scans(bound) && (chosen.cluster > 1 || chosen.threads_along >= most_threads / 2)) return 1;
  const std::int64_t blocks = count_tiles(bound, chosen, tile_of(bound, chosen, target.kind));
  if (blocks >= 2 * target.multiprocessors || (has_scans(bound) && fills_device(chosen, blocks, target)))
    return 1;
  const std::int64_t in_a_turn = chosen.order == walk::column_reduction
                                     ? chosen.threads_across * chosen.steps
                                     : chosen.threads_along * chosen.vector * chosen.steps;
  const auto pieces_for = [&](std::int64_t blocks_of_multiprocessor) {
    return std::max<std::int64_t>(1, blocks_of_multiprocessor * target.multiprocessors / blocks);
  };
  const std::int64_t many = pieces_for(most_blocks);
  if (chosen.order == walk::row_reduction && length / many >= turns_of_many * in_a_turn) return many;
  return std::min(pieces_for(enough_blocks), std::max<std::int64_t>(1, length / (2 * in_a_turn)));
}

}  // namespace

bool has_too_few_rows(const nest& bound, const target_facts& target) {
  if (has_scans(bound) ? has_separate_scans(bound) : loops_of(bound) < 2) return false;
  const std::int64_t rows = count_rows(bound, false), length = count_rows(bound, true);
  if (target.kind == target_kind::host) return rows < fewest_host_rows && length > host_piece_length;
  if (length <= longest_row_of_a_block) return false;
  schedule kept;
  const bool fits = !is_column_walk(bound, target.kind) && !has_scans(bound) &&
                    choose_kept(bound, row_lanes(bound, target), target, kept);
  return fits ? 2 * rows * kept.cluster < target.multiprocessors : rows < 2 * target.multiprocessors;
}

std::int64_t deviation_pieces(const nest& bound, const target_facts& target) {
  if (bound.reduced == 0 || has_scans(bound) || !splits_deviations(bound)) return 0;
  const std::int64_t all = count_rows(bound, false) * count_rows(bound, true);
  if (all == 0 || (fits_the_chip(bound, target) && !has_too_few_rows(bound, target))) return 0;
  if (target.kind == target_kind::host)
    return is_column_walk(bound, target.kind) ? host_column_piece : host_piece_length;
  if (is_column_walk(bound, target.kind)) return longest_kept_column(bound, target);
  return std::clamp<std::int64_t>(power_below(all / (4 * target.multiprocessors)), shortest_deviation_piece,
                                  longest_deviation_piece);
}

bool is_better_ahead(const nest& bound, const target_facts& target) {
  if (deviation_pieces(bound, target) > 0) return false;
  return has_too_few_rows(bound, target) ||
         (has_deviations(bound) && std::has_single_bit(bound.reduced) && !fits_the_chip(bound, target));
}

bool reads_once(const nest& bound, const target_facts& target) {
  if (has_scans(bound) && has_too_few_rows(bound, target)) return false;
  return loops_of(bound) < 2 || deviation_pieces(bound, target) > 0 ||
         (std::has_single_bit(bound.reduced) && !has_too_few_rows(bound, target) &&
          fits_the_chip(bound, target));
}

std::int64_t row_pieces(const nest& bound, const schedule& chosen, const target_facts& target) {
  const std::int64_t pieces = count_row_pieces(bound, chosen, target), length = count_rows(bound, true);
  if (pieces < 2) return 0;
  // what one piece holds is not split: its pieces would be as long a row again
  const std::int64_t each = round_up(divide_up(length, pieces), whole_vectors);
  return each < length ? each : 0;
}

}  // namespace sinter
