#include <sinter/codegen/base/integers.hpp>
#include <sinter/codegen/nest/nest_facts.hpp>
#include <sinter/codegen/nest/normalise.hpp>
#include <sinter/codegen/nest/reduction_phases.hpp>
#include <sinter/codegen/schedule/choose/choose_columns.hpp>
#include <sinter/codegen/schedule/choose/choose_rows.hpp>
#include <sinter/codegen/schedule/choose/choose_scan.hpp>
#include <sinter/codegen/schedule/device_fill.hpp>
#include <sinter/codegen/schedule/reduction_facts.hpp>
#include <sinter/codegen/schedule/thresholds.hpp>
#include <sinter/codegen/schedule/tiling.hpp>
#include <sinter/codegen/schedule/warp_shape.hpp>
#include <sinter/codegen/segment/pieces/choose_pieces.hpp>
#include <sinter/codegen/segment/pieces/split_rows.hpp>
#include <sinter/codegen/segment/pieces/split_scans.hpp>
#include <sinter/codegen/target/cpu_piece.hpp>

#include <algorithm>
#include <bit>

namespace sinter::inline v0 {
namespace {

/// Whether a row can stay resident, so that it is read once for all phases; on the CPU, whether it stays in
/// the cache.
bool fits_the_chip(const nest& loop_nest, const target_facts& target) {
  const std::int64_t length = count_rows(loop_nest, true);
  const bool columns = is_column_order(loop_nest, target);
  if (target.kind == target_kind::cpu) {
    const cpu_thresholds& table = cpu_thresholds_of(target);
    const bool few = count_rows(loop_nest, false) < table.min_tasks;
    return length <= (columns ? table.min_column_piece_extent : few ? codegen::cpu_piece : table.cached_row);
  }
  if (columns) return length <= max_resident_column_extent(loop_nest, target);
  schedule resident;
  return choose_resident(loop_nest, std::min(power_above(length), row_lanes(loop_nest, target)), target,
                         resident);
}

/// Whether rows are read from memory once per loop over them. Rows over several axes are not split in this
/// case: on an H200, splitting them took 2.6 and 4 times as long as reading again
/// (bench/results/2026-11-22-nvidia-h200-random-kernels.md).
bool is_reread(const nest& loop_nest, const target_facts& target) {
  return std::has_single_bit(loop_nest.reduced) && !fits_the_chip(loop_nest, target);
}

/// Independent tasks of a launch on the CPU: rows, or strips of columns.
std::int64_t cpu_tasks_of(const nest& loop_nest, const schedule& chosen, const target_facts& target) {
  return reduces_columns(chosen.order)
             ? count_tiles(loop_nest, chosen, tile_of(loop_nest, chosen, target.kind))
             : count_rows(loop_nest, false);
}

std::int64_t count_blocks(const nest& loop_nest, const schedule& chosen, const target_facts& target) {
  return count_tiles(loop_nest, chosen, tile_of(loop_nest, chosen, target.kind));
}

/// Whether a nest can be computed from pieces of its rows: it has one loop over them and stores nothing in
/// it.
bool can_be_cut(const nest& loop_nest) {
  if (loop_nest.split >= 0 || count_elements(loop_nest) == 0 || loops_of(loop_nest) != 1) return false;
  if (has_sorts(loop_nest)) return false;
  if (has_separate_scans(loop_nest)) return true;
  if (has_scans(loop_nest) && !reduces_in_order(loop_nest)) return false;
  return std::none_of(loop_nest.stores.begin(), loop_nest.stores.end(), [&](const store& at) {
    return moves_along_reduced_axes(loop_nest, loop_nest.accesses[at.target]);
  });
}

/// Two chunks of a block; shorter if that would leave a device idle that has enough work.
std::int64_t min_piece_extent(const nest& loop_nest, const schedule& chosen, std::int64_t in_a_chunk,
                              std::int64_t blocks, const target_facts& target) {
  const std::int64_t pieces = count_rows(loop_nest, true) / (2 * in_a_chunk);
  if (count_work(loop_nest, target) < enough_work(target) || pieces * blocks >= blocks_to_fill(target))
    return 2 * in_a_chunk;
  const gpu_thresholds& table = gpu_thresholds_of(target);
  return reduces_rows(chosen.order) ? table.pieces.min_row_piece_extent : table.columns.min_piece_extent;
}

/// Elements of the pieces of rows along a single axis, or 0 if they are not split.
std::int64_t piece_of_one_axis(const nest& loop_nest, const schedule& chosen, const target_facts& target) {
  const gpu_piece_thresholds& table = gpu_thresholds_of(target).pieces;
  const std::int64_t length = count_rows(loop_nest, true);
  const bool rows = reduces_rows(chosen.order);
  // a scan of columns has narrow strips; wide strips compute the totals of its pieces
  const std::int64_t blocks = rows || !has_scans(loop_nest)
                                  ? count_blocks(loop_nest, chosen, target)
                                  : count_rows(loop_nest, false) / loop_nest.extents[0] *
                                        divide_up(loop_nest.extents[0], table.widest_strip);
  const std::int64_t in_a_chunk =
      rows ? chosen.threads_along * chosen.vector * chosen.steps : chosen.threads_across * chosen.steps;
  const auto pieces_for = [&](std::int64_t blocks_of_multiprocessor) {
    return std::max<std::int64_t>(1, blocks_of_multiprocessor * target.multiprocessors / blocks);
  };
  std::int64_t pieces = pieces_for(table.max_blocks);
  if (!rows || length / pieces < table.chunks_of_many * in_a_chunk)
    pieces = std::min(
        pieces_for(table.enough_blocks),
        std::max<std::int64_t>(1, length / min_piece_extent(loop_nest, chosen, in_a_chunk, blocks, target)));
  if (pieces < 2) return 0;
  std::int64_t each = round_up(divide_up(length, pieces), table.multiple);
  if (divide_up(length, each) * blocks < blocks_to_fill(target))
    each = std::max<std::int64_t>(1, length / pieces / table.multiple) * table.multiple;
  return each < length ? each : 0;
}

/// Whether a read of a reduction has its elements far from each other along axis 0: lanes along it are no
/// faster than one after the other.
bool has_distant_lanes(const nest& loop_nest) {
  return std::ranges::any_of(loop_nest.accesses, [&](const access& at) {
    return at.what == access::kind::read && !is_near_along(at, 0) && moves_along_reduced_axes(loop_nest, at);
  });
}

/// Whether the rows of the CPU have pieces for each position along axis 0: it is reduced and too short for
/// vectors, and rows go on along other axes. The pieces are columns, whose lanes lie along that axis and the
/// kept ones beside it. Where one stage would find rows in the cache again, pieces are longer.
bool cuts_across_lanes(const nest& loop_nest, const target_facts& target) {
  if (target.kind != target_kind::cpu || loop_nest.shape_generic || loop_nest.rank == max_rank) return false;
  const cpu_thresholds& table = cpu_thresholds_of(target);
  if (!has_short_runs(loop_nest, table) || has_scans(loop_nest) ||
      joint_lanes(loop_nest) < table.narrowest_column || has_distant_lanes(loop_nest))
    return false;
  const std::int64_t piece = count_rows(loop_nest, true) / std::max<std::int64_t>(1, loop_nest.extents[0]);
  return count_elements(loop_nest) >= codegen::cpu_chunk &&
         piece >= (loops_of(loop_nest) == 1 ? table.min_piece_extent_across_lanes
                                            : table.min_piece_extent_again_across_lanes);
}

/// Elements of a piece of a column on the CPU.
std::int64_t column_piece(std::int64_t length, const cpu_thresholds& table) {
  return std::max(table.min_column_piece_extent, length / table.max_column_pieces);
}

/// The cut of rows across lanes; along other axes too if there are few tasks otherwise.
row_cut cut_across_lanes(const nest& loop_nest, const target_facts& target) {
  constexpr std::uint32_t innermost = 1;
  const cpu_thresholds& table = cpu_thresholds_of(target);
  const std::int64_t length = count_rows(loop_nest, true) / loop_nest.extents[0];
  const std::int64_t tasks = count_rows(loop_nest, false) * loop_nest.extents[0] /
                             std::min(table.column_lanes, joint_lanes(loop_nest));
  if (tasks >= table.min_tasks || count_elements(loop_nest) <= 2 * codegen::cpu_piece)
    return {.piece_axes = innermost};
  return cut_into(loop_nest, column_piece(length, table), innermost);
}

row_cut cut_on_cpu(const nest& loop_nest, const schedule& chosen, const target_facts& target) {
  const cpu_thresholds& table = cpu_thresholds_of(target);
  if (cuts_across_lanes(loop_nest, target)) return cut_across_lanes(loop_nest, target);
  const std::int64_t length = count_rows(loop_nest, true), tasks = cpu_tasks_of(loop_nest, chosen, target);
  if (tasks >= table.min_tasks || count_elements(loop_nest) <= 2 * codegen::cpu_piece) return {};
  if (reduces_columns(chosen.order)) return cut_into(loop_nest, column_piece(length, table));
  if (!std::has_single_bit(loop_nest.reduced)) return cut_into(loop_nest, codegen::cpu_piece);
  const std::int64_t pieces = length / codegen::cpu_piece;
  return pieces < 2 ? row_cut{} : row_cut{0, round_up(divide_up(length, pieces), table.piece_multiple)};
}

/// Chunks of a loop over the rows, which a thread loads one after the other.
std::int64_t chunks_of_loop(const nest& loop_nest, const schedule& chosen) {
  const std::int64_t in_a_chunk = reduces_rows(chosen.order)
                                      ? std::int64_t{chosen.threads_along} * chosen.vector *
                                            (chosen.steps + chosen.shared_steps) * chosen.cluster
                                      : std::int64_t{chosen.threads_across} * chosen.steps;
  return divide_up(count_rows(loop_nest, true), in_a_chunk);
}

/// Whether a few blocks wait for memory so often that launches of more blocks take less time, however few
/// elements there are.
bool waits_in_few_blocks(const nest& loop_nest, const schedule& chosen, const target_facts& target) {
  constexpr std::int64_t chunks_of_two_pieces = 4;
  if (has_scans(loop_nest) || 2 * count_blocks(loop_nest, chosen, target) >= target.multiprocessors)
    return false;
  const std::int64_t chunks = chunks_of_loop(loop_nest, chosen);
  return chunks >= chunks_of_two_pieces && chunks * (chosen.resident ? 1 : loops_of(loop_nest)) >=
                                               gpu_thresholds_of(target).fill.waiting_chunks;
}

}  // namespace

bool leaves_device_idle(const nest& loop_nest, const schedule& chosen, const target_facts& target) {
  if (target.kind == target_kind::cpu)
    return count_elements(loop_nest) >= codegen::cpu_piece &&
           cpu_tasks_of(loop_nest, chosen, target) < cpu_thresholds_of(target).min_tasks;
  return (count_work(loop_nest, target) >= enough_work(target) ||
          waits_in_few_blocks(loop_nest, chosen, target)) &&
         !fills_device(count_blocks(loop_nest, chosen, target),
                       std::int64_t{chosen.threads_along} * chosen.threads_across, target);
}

bool has_too_few_rows(const nest& loop_nest, const schedule& chosen, const target_facts& target) {
  if (has_sorts(loop_nest)) return false;
  if (has_scans(loop_nest) ? has_separate_scans(loop_nest) || reduces_in_order(loop_nest)
                           : loops_of(loop_nest) < 2)
    return false;
  if (!leaves_device_idle(loop_nest, chosen, target)) return false;
  const std::int64_t length = count_rows(loop_nest, true);
  if (target.kind == target_kind::cpu)
    return reduces_columns(chosen.order) ? length > cpu_thresholds_of(target).max_whole_column_extent
                                         : length >= 2 * codegen::cpu_piece;  // there are two pieces
  if (length <= gpu_thresholds_of(target).pieces.max_whole_row_extent) return false;
  // resident rows are read once, which half of the device does as fast as two launches
  return !chosen.resident || 2 * count_blocks(loop_nest, chosen, target) < target.multiprocessors;
}

row_cut deviation_cut(const nest& loop_nest, const schedule& chosen, const target_facts& target) {
  if (loop_nest.reduced == 0 || has_scans(loop_nest) || !splits_deviations(loop_nest)) return {};
  const std::int64_t all = count_elements(loop_nest);
  const bool too_few = has_too_few_rows(loop_nest, chosen, target);
  if (all == 0) return {};
  if (cuts_across_lanes(loop_nest, target)) return cut_across_lanes(loop_nest, target);
  if (!too_few && !is_reread(loop_nest, target)) return {};
  const bool columns = reduces_columns(chosen.order);
  if (target.kind == target_kind::cpu)
    return cut_into(loop_nest,
                    columns ? cpu_thresholds_of(target).min_column_piece_extent : codegen::cpu_piece);
  const gpu_thresholds& table = gpu_thresholds_of(target);
  const std::int64_t enough_blocks = table.pieces.enough_blocks * target.multiprocessors;
  if (columns) {
    const std::int64_t longest = max_resident_column_extent(loop_nest, target);
    if (longest < table.columns.min_piece_extent) return {};  // pieces would not be resident
    return cut_into(loop_nest, std::clamp(count_rows(loop_nest, true) *
                                              count_blocks(loop_nest, chosen, target) / enough_blocks,
                                          table.columns.min_piece_extent, longest));
  }
  return cut_into(loop_nest,
                  std::clamp(power_below(all / enough_blocks), table.pieces.min_deviation_piece_extent,
                             table.pieces.max_deviation_piece_extent));
}

/// Whether the phases of a large nest read different arrays, some of them transposed: each has a better
/// schedule alone.
bool shares_nothing(const nest& loop_nest, const schedule& chosen, const target_facts& target) {
  if (target.kind == target_kind::cpu || loops_of(loop_nest) < 2 || has_scans(loop_nest) ||
      is_needed_again(loop_nest) ||
      count_work(loop_nest, target) < gpu_thresholds_of(target).fill.separate_work * enough_work(target))
    return false;
  const unsigned reduced = first_reduced_axis(loop_nest), kept = first_kept_axis(loop_nest);
  if (kept == loop_nest.rank) return false;
  return reduces_columns(chosen.order) ? reads_transposed(loop_nest, kept, reduced)
                                       : reads_transposed(loop_nest, reduced, kept);
}

bool is_better_ahead(const nest& loop_nest, const schedule& chosen, const target_facts& target) {
  if (loop_nest.shape_generic || deviation_cut(loop_nest, chosen, target).cuts()) return false;
  return has_too_few_rows(loop_nest, chosen, target) || shares_nothing(loop_nest, chosen, target) ||
         (loops_of(loop_nest) > 1 && cuts_across_lanes(loop_nest, target)) ||
         (has_deviations(loop_nest) && is_reread(loop_nest, target));
}

stage_reason reason_to_split(const nest& loop_nest, const schedule& chosen, const target_facts& target) {
  if (cuts_across_lanes(loop_nest, target)) return stage_reason::short_axis;
  return has_too_few_rows(loop_nest, chosen, target) ? stage_reason::few_rows : stage_reason::rereading;
}

bool reads_once(const nest& loop_nest, const schedule& chosen, const target_facts& target) {
  if (has_scans(loop_nest) && has_too_few_rows(loop_nest, chosen, target)) return false;
  return loops_of(loop_nest) < 2 || deviation_cut(loop_nest, chosen, target).cuts() ||
         (!has_too_few_rows(loop_nest, chosen, target) && fits_the_chip(loop_nest, target));
}

row_cut cut_of_rows(const nest& loop_nest, const schedule& chosen, const target_facts& target) {
  if (!can_be_cut(loop_nest)) return {};
  if (target.kind == target_kind::cpu) return cut_on_cpu(loop_nest, chosen, target);
  const gpu_thresholds& table = gpu_thresholds_of(target);
  const std::int64_t length = count_rows(loop_nest, true), blocks = count_blocks(loop_nest, chosen, target);
  // a few short rows with a cluster each are faster unsplit
  const bool rows = reduces_rows(chosen.order);
  const bool short_pieces = !rows && count_work(loop_nest, target) >= enough_work(target);
  if (length <= (short_pieces ? table.columns.min_piece_extent : table.pieces.max_whole_row_extent) ||
      chosen.cluster > 1 || blocks >= blocks_to_fill(target))
    return {};
  if (has_scans(loop_nest) && has_enough_threads(chosen, blocks, target)) return {};
  if (std::has_single_bit(loop_nest.reduced)) return {0, piece_of_one_axis(loop_nest, chosen, target)};
  if (rows) return cut_into(loop_nest, std::min(length / 2, table.pieces.piece_of_several_axes));
  return cut_into(
      loop_nest,
      std::max(table.columns.min_piece_extent,
               std::min(length / 2, length * blocks / (table.pieces.max_blocks * target.multiprocessors))));
}

namespace {

/// The cut with pieces as many times longer or shorter as the choice says, if it has a length.
row_cut with_choice(const nest& loop_nest, row_cut cut, const cut_choice& choice) {
  // shorter pieces than this are not worth their results
  constexpr std::int64_t least_extent = 64;
  if (choice.whole) return {};
  if (cut.length == 0 || choice.doublings == 0) return cut;
  const std::uint32_t inner = loop_nest.reduced & ~cut.piece_axes;
  const std::int64_t extent = loop_nest.extents[static_cast<std::size_t>(std::bit_width(inner)) - 1];
  const bool is_one_axis = std::has_single_bit(inner);
  if (choice.doublings > 0) {
    const std::int64_t shorter = cut.length >> choice.doublings;
    cut.length = is_one_axis ? std::min(cut.length, round_up(std::max(shorter, least_extent), least_extent))
                             : std::max<std::int64_t>(shorter, 1);
  } else {
    // no longer than the axis, so that nothing overflows
    for (int i = 0; i > choice.doublings && cut.length < extent; --i) cut.length *= 2;
  }
  if (cut.length >= extent) cut.length = 0;
  return cut;
}

}  // namespace

piece_choice choose_pieces(const nest& loop_nest, const schedule& chosen, const target_facts& target,
                           const cut_choice& choice) {
  // pieces need one more axis
  if (loop_nest.shape_generic || loop_nest.reduced == 0 || loop_nest.rank == max_rank || is_empty(loop_nest))
    return {};
  if (const row_cut cut = deviation_cut(loop_nest, chosen, target); cut.cuts())
    return {with_choice(loop_nest, cut, choice), reason_to_split(loop_nest, chosen, target)};
  return {with_choice(loop_nest, cut_of_rows(loop_nest, chosen, target), choice),
          cuts_across_lanes(loop_nest, target) ? stage_reason::short_axis : stage_reason::few_rows};
}

}  // namespace sinter::inline v0
