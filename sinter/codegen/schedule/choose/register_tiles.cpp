#include <sinter/codegen/schedule/choose/register_tiles.hpp>

#include <sinter/codegen/base/integers.hpp>
#include <sinter/codegen/nest/nest_facts.hpp>
#include <sinter/codegen/nest/reduction_phases.hpp>
#include <sinter/codegen/schedule/choose/choose_schedule.hpp>
#include <sinter/codegen/schedule/reduction_facts.hpp>
#include <sinter/codegen/schedule/thresholds.hpp>
#include <sinter/codegen/schedule/tiling.hpp>

#include <algorithm>

namespace sinter::inline v0 {
namespace {

bool is_read_in_loop(const nest& loop_nest, const access& at) {
  return at.what == access::kind::read && moves_along_reduced_axes(loop_nest, at);
}

/// Whether a read serves all rows of a tile with a vector of lanes, and each read serves all rows or all
/// lanes: one that serves neither takes the time of the loop, tiles or not.
bool shares_reads(const nest& loop_nest) {
  const unsigned rows = axis_of_rows(loop_nest);
  bool shares_vectors = false;
  for (const access& at : loop_nest.accesses) {
    if (!is_read_in_loop(loop_nest, at) || !at.moves_along(0)) continue;
    if (at.moves_along(rows)) return false;
    shares_vectors = true;
  }
  return shares_vectors;
}

/// Bytes of the widest value that a lane computes with in the loop.
std::int64_t lane_bytes(const nest& loop_nest) {
  std::size_t bytes = 4;
  for (const instruction& at : loop_nest.body)
    if (at.per_element || is_reduction(at.op))
      bytes = std::max({bytes, size_of(facts_of(at.type).compute), size_of(facts_of(at.compute).compute)});
  return static_cast<std::int64_t>(bytes);
}

std::int64_t tiles_of(const nest& loop_nest, const target_facts& target, const schedule& chosen) {
  return count_tiles(loop_nest, chosen, tile_of(loop_nest, chosen, target.kind));
}

/// As many rows as there are, at most: a power of two.
std::uint16_t rows_of_tile(const nest& loop_nest, std::int64_t most) {
  return narrow(std::min(most, power_below(loop_nest.extents[axis_of_rows(loop_nest)])));
}

void choose_on_cpu(const nest& loop_nest, const target_facts& target, schedule& chosen) {
  if (!has_vector_values(loop_nest) || !has_contiguous_lanes(loop_nest)) return;
  const cpu_thresholds& table = cpu_thresholds_of(target);
  const register_tile& tile =
      target.vector_bytes >= table.wide_register_bytes ? table.wide_registers : table.registers;
  schedule tiled = chosen;
  tiled.vector = narrow(
      std::min<std::int64_t>(chosen.vector, tile.vectors * target.vector_bytes / lane_bytes(loop_nest)));
  tiled.rows_per_thread = rows_of_tile(loop_nest, tile.rows);
  if (loop_nest.extents[0] >= tiled.vector && count_rows(loop_nest, true) >= table.min_register_tile_extent &&
      tiled.rows_per_thread > 1 && tiles_of(loop_nest, target, tiled) >= table.min_tasks)
    chosen = tiled;
}

/// Weights of what a thread evaluates of a chunk.
std::int64_t unrolled_weight(const nest& loop_nest, const schedule& chosen) {
  std::int64_t weight = 0;
  for (const instruction& at : loop_nest.body) weight += at.per_element ? weight_of(at.op) : 0;
  return weight * chosen.vector * chosen.steps * chosen.rows_per_thread;
}

/// As many rows as leave enough blocks for the device.
void choose_on_gpu(const nest& loop_nest, const target_facts& target, schedule& chosen) {
  const gpu_thresholds& table = gpu_thresholds_of(target);
  if (count_rows(loop_nest, true) < table.columns.min_tile_extent) return;
  const std::int64_t lanes = chosen.vector * bytes_of_sums(loop_nest),
                     blocks = table.pieces.max_blocks * target.multiprocessors;
  schedule tiled = chosen;
  // a short column is one thread's: what threads across it exchange takes longer
  if (std::int64_t{chosen.threads_across} * chosen.steps >= count_rows(loop_nest, true)) {
    tiled.threads_along = narrow(std::int64_t{chosen.threads_along} * chosen.threads_across);
    tiled.threads_across = 1;
  }
  tiled.rows_per_thread = rows_of_tile(
      loop_nest, std::min(table.columns.max_tile_rows,
                          power_below(std::max<std::int64_t>(1, table.columns.max_tile_bytes / lanes))));
  const auto is_too_large = [&] {
    return tiles_of(loop_nest, target, tiled) < blocks ||
           unrolled_weight(loop_nest, tiled) > table.max_unrolled_weight ||
           bytes_of_column_exchange(loop_nest, tiled.threads_along, tiled.threads_across,
                                    std::int64_t{tiled.vector} * tiled.rows_per_thread,
                                    warp_threads(target.kind)) > table.reductions.max_static_bytes;
  };
  while (tiled.rows_per_thread > 1 && is_too_large())
    tiled.rows_per_thread = static_cast<std::uint16_t>(tiled.rows_per_thread / 2);
  if (tiled.rows_per_thread > 1) chosen = tiled;
}

}  // namespace

bool has_contiguous_lanes(const nest& loop_nest) {
  return std::ranges::none_of(loop_nest.accesses, [&](const access& at) {
    return is_read_in_loop(loop_nest, at) && at.pattern(0) == step_pattern::strided;
  });
}

bool can_have_register_tiles(const nest& loop_nest) {
  if (loop_nest.shape_generic || loop_nest.split >= 0 || has_scans(loop_nest) || loops_of(loop_nest) != 1 ||
      axis_of_rows(loop_nest) == loop_nest.rank || loop_nest.is_reduced(0) || has_many_reductions(loop_nest))
    return false;
  const bool has_plain_code = std::ranges::none_of(loop_nest.body, [](const instruction& at) {
    return has_body(at.op) || finds_position(at.op) || at.op == operation::report ||
           (at.op == operation::input && at.arity == 1);
  });
  const bool has_plain_accesses = std::ranges::all_of(loop_nest.accesses, [](const access& at) {
    return at.term_count == 0 && at.what != access::kind::gathered && at.what != access::kind::updated;
  });
  return has_plain_code && has_plain_accesses && !stores_each_element(loop_nest);
}

void choose_register_tiles(const nest& loop_nest, const target_facts& target, schedule& chosen) {
  if (!reduces_columns(chosen.order) || chosen.resident || chosen.staged ||
      !can_have_register_tiles(loop_nest) || !shares_reads(loop_nest))
    return;
  if (is_gpu(target.kind))
    choose_on_gpu(loop_nest, target, chosen);
  else
    choose_on_cpu(loop_nest, target, chosen);
}

}  // namespace sinter::inline v0
