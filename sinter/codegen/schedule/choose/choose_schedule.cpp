#include <sinter/codegen/schedule/choose/choose_reduction.hpp>
#include <sinter/codegen/schedule/choose/choose_schedule.hpp>
#include <sinter/codegen/schedule/choose/order_axes.hpp>
#include <sinter/codegen/schedule/choose/private_updates.hpp>

#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/nest/nest_bodies.hpp>
#include <sinter/codegen/nest/nest_facts.hpp>
#include <sinter/codegen/nest/reduction_phases.hpp>
#include <sinter/codegen/schedule/thresholds.hpp>
#include <sinter/codegen/schedule/tiling.hpp>
#include <sinter/codegen/target/cpu_piece.hpp>
#include <sinter/codegen/target/cuda_limits.hpp>

#include <algorithm>

namespace sinter::inline v0 {
namespace {

/// Bytes of the widest element that is read or written as a vector; 0 if none is.
std::uint32_t widest_element(const nest& loop_nest) {
  std::size_t widest = 0;
  for (const access& at : loop_nest.accesses)
    if (at.what != access::kind::position && at.strides[0] == 1) widest = std::max(widest, size_of(at.type));
  return static_cast<std::uint32_t>(widest);
}

/// The number of operations in the body that call functions of many instructions.
std::ptrdiff_t function_calls(const nest& loop_nest) {
  return std::count_if(loop_nest.body.begin(), loop_nest.body.end(), [](const instruction& at) {
    return unrestricted(facts_of(at.op).rule) == type_rule::floating ||
           facts_of(at.op).rule == type_rule::quotient;
  });
}

/// Whether a read is contiguous along another axis than axis 0.
bool has_transposed_read(const nest& loop_nest) {
  return std::any_of(loop_nest.accesses.begin(), loop_nest.accesses.end(), [&](const access& at) {
    return at.what == access::kind::read && pattern_of(at.strides[0]) == step_pattern::strided &&
           std::find(at.strides.begin(), at.strides.begin() + loop_nest.rank, 1) !=
               at.strides.begin() + loop_nest.rank;
  });
}

/// Whether every operand is reused along some axis, so that caches serve it and only the result uses memory
/// bandwidth.
bool reuses_every_read(const nest& loop_nest) {
  return std::all_of(loop_nest.accesses.begin(), loop_nest.accesses.end(), [&](const access& at) {
    return at.what != access::kind::read || std::find(at.strides.begin(), at.strides.begin() + loop_nest.rank,
                                                      0) != at.strides.begin() + loop_nest.rank;
  });
}
bool writes_linearly(const nest& loop_nest) {
  return std::all_of(loop_nest.stores.begin(), loop_nest.stores.end(),
                     [&](const store& at) { return is_linear(loop_nest.accesses[at.target], loop_nest); });
}

/// Whether the lanes of a row need many scattered loads that serve every row, such as those of y in x[:,
/// newaxis] - y with points as elements. A thread then has several rows.
bool shares_scattered_loads(const nest& loop_nest) {
  return std::any_of(loop_nest.accesses.begin(), loop_nest.accesses.end(), [](const access& at) {
    return at.what == access::kind::read && pattern_of(at.strides[0]) == step_pattern::strided &&
           at.strides[1] == 0;
  });
}

void take_shape(const block_shape& shape, schedule& chosen) {
  chosen.threads_along = narrow(shape.threads_along);
  chosen.threads_across = narrow(shape.threads_across);
  chosen.rows_per_thread = narrow(shape.rows_per_thread);
  chosen.steps = narrow(shape.steps);
}

/// Tiles as large as shared memory and a block's threads allow.
void choose_tiles(const nest& loop_nest, std::uint32_t widest, const gpu_tile_thresholds& table,
                  schedule& chosen) {
  const std::int64_t vector = chosen.vector;
  std::int64_t tile = std::max(table.min_side, table.side_bytes / widest);
  tile = std::min(tile, vector == 1 ? table.max_side_of_elements : table.max_side_of_vectors);
  while (staged_bytes(loop_nest, tile) > default_shared_bytes && tile > table.min_side) tile /= 2;
  const std::int64_t along = std::min(tile / vector, table.threads);
  const std::int64_t across = std::min(tile, std::max(table.threads / along, tile / table.rows_per_thread));
  chosen.tile = narrow(tile);
  chosen.threads_along = narrow(along);
  chosen.threads_across = narrow(across);
  chosen.rows_per_thread = narrow(tile / across);
}

/// Threads and loads of the rows order.
void choose_rows_order(const nest& loop_nest, bool window, bool shared, const gpu_pointwise_thresholds& table,
                       schedule& chosen) {
  const bool by_elements = chosen.vector == 1;
  if (loop_nest.rank < 2) {
    take_shape(by_elements ? table.one_axis_of_elements : table.one_axis_of_vectors, chosen);
    const std::ptrdiff_t calls = function_calls(loop_nest);
    if (!by_elements && calls >= table.min_balanced_calls && calls <= table.max_balanced_calls)
      chosen.steps = narrow(table.balanced_steps);
    return;
  }
  const block_shape& tall = table.rows_of_window_elements;
  const bool has_tall_windows =
      window && by_elements && loop_nest.extents[1] >= tall.threads_across * tall.rows_per_thread;
  take_shape(has_tall_windows ? tall
             : window         ? table.rows_of_windows
             : by_elements    ? table.rows_of_elements
                              : table.rows_of_vectors,
             chosen);
  if (!window && !by_elements && shared) chosen.rows_per_thread = narrow(table.rows_of_shared_loads);
}

/// Blocks that suit long rows and short ones.
void choose_shape_generic_order(const nest& loop_nest, const gpu_shape_generic_thresholds& table,
                                unsigned attempt, schedule& chosen) {
  const std::uint16_t loads = loads_of_generic(loop_nest, table, attempt);
  if (loop_nest.rank < 2) {
    chosen.threads_along = narrow(table.one_axis_threads);
    chosen.steps = loads;
    return;
  }
  chosen.threads_along = narrow(table.threads_along);
  chosen.threads_across = narrow(table.threads_across);
  chosen.rows_per_thread = loads;
}

/// Whether some read is of rows at indices: as they lie in memory, if rows are not packed.
bool gathers_rows(const nest& loop_nest) {
  return std::ranges::any_of(loop_nest.terms,
                             [](const access_term& term) { return term.rule == position_rule::index; });
}

/// Several rows for each thread, whose indices and elements are all under way before any is stored.
void choose_gathered_rows(const nest& loop_nest, const gpu_pointwise_thresholds& table, schedule& chosen) {
  const std::int64_t row = loop_nest.extents[0];
  take_shape(row < table.min_middle_gathered_row ? table.short_gathered_rows
             : row < table.short_row             ? table.middle_gathered_rows
                                                 : table.long_gathered_rows,
             chosen);
}

/// After a kernel spilled: fewer elements in flight per thread.
void choose_again(schedule& chosen) {
  chosen.steps = 1;
  if (chosen.order == loop_order::rows) chosen.rows_per_thread = 1;
  if (chosen.order != loop_order::tiled) chosen.vector = narrow(std::max(1, chosen.vector / 2));
  chosen.whole_rows = chosen.whole_rows && chosen.vector > 1;
}

schedule choose_cuda(const nest& loop_nest, std::span<const array_layout> inputs,
                     std::span<const array_layout> outputs, const target_facts& target, unsigned attempt) {
  const gpu_thresholds& all = gpu_thresholds_of(target);
  const gpu_pointwise_thresholds& table = all.pointwise;
  schedule chosen;
  const bool known = !loop_nest.shape_generic;  // otherwise no extent, stride or alignment decides
  const bool tiled = known && transposed_axis(loop_nest, all.tiles.min_axis_extent).has_value() &&
                     staged_bytes(loop_nest, all.tiles.min_side) <= default_shared_bytes;
  const std::uint32_t widest = widest_element(loop_nest);
  std::uint32_t vector = !known || widest == 0 ? 1 : std::max(1u, target.vector_bytes / widest);
  const bool gathers = known && loop_nest.rank >= 2 && gathers_rows(loop_nest) &&
                       loop_nest.extents[0] >= table.min_gathered_row;
  const bool reused =
      known && loop_nest.rank >= 2 && !gathers && reuses_every_read(loop_nest) && writes_linearly(loop_nest);
  // one kernel for all sizes of a transposed operand without a tile, and for all short rows
  const bool whole = reused && keeps_rows_whole(loop_nest, vector, inputs, outputs);
  const bool shared = whole && loop_nest.extents[0] >= table.short_row && shares_scattered_loads(loop_nest);
  const bool shares_windows = has_window(loop_nest) && loop_nest.extents[0] >= table.min_window_row_extent;
  const bool flat = known && loop_nest.rank >= 2 && loop_nest.extents[0] < min_wide_extent && !shared &&
                    !shares_windows && !gathers &&
                    (loop_nest.extents[0] < table.short_row || has_transposed_read(loop_nest) || whole);
  chosen.order = tiled ? loop_order::tiled : flat ? loop_order::flat : loop_order::rows;
  // limits a layout to three kernels
  if (reused && chosen.order == loop_order::rows && !shared) vector = 1;
  const bool window = has_window(loop_nest) && chosen.order == loop_order::rows;
  if (window) vector = std::min(vector, static_cast<std::uint32_t>(table.window_vector));
  // elements that a term moves are loaded one by one, those of a warp side by side
  if (std::ranges::any_of(loop_nest.accesses, &access::contiguous_inside)) vector = 1;
  if (!all_vectorisable(loop_nest, chosen.order, vector, inputs, outputs)) vector = 1;
  chosen.vector = narrow(vector);
  if (chosen.order == loop_order::tiled) {
    choose_tiles(loop_nest, widest, all.tiles, chosen);
  } else if (chosen.order == loop_order::flat) {
    chosen.threads_along = narrow(reused ? table.flat_threads_of_reused : table.flat_threads);
    // only for long rows: short rows have one kernel for every length
    chosen.whole_rows = reused && loop_nest.extents[0] >= table.short_row &&
                        keeps_rows_whole(loop_nest, vector, inputs, outputs);
    chosen.steps = narrow(vector == 1 || reuses_every_read(loop_nest)
                              ? std::min(table.flat_steps, table.flat_elements / vector)
                              : 1);
  } else if (!known) {
    choose_shape_generic_order(loop_nest, all.shape_generic, attempt, chosen);
    return chosen;
  } else if (gathers) {
    choose_gathered_rows(loop_nest, table, chosen);
  } else {
    choose_rows_order(loop_nest, window, shared, table, chosen);
  }
  if (chosen.order != loop_order::tiled) chosen.private_updates = private_elements(loop_nest, target);
  if (chosen.private_updates != 0) choose_blocks_of_copies(loop_nest, target, chosen);
  if (attempt > 0) choose_again(chosen);
  return chosen;
}

schedule choose_cpu(const nest& loop_nest, const target_facts& target) {
  const cpu_thresholds& table = cpu_thresholds_of(target);
  schedule chosen;
  chosen.threads_across = 1;
  if (loop_nest.shape_generic) {  // one row is one piece, whatever its length
    chosen.threads_along = 1;
    return chosen;
  }
  if (transposed_axis(loop_nest, table.min_tiled_axis_extent).has_value()) {
    chosen.order = loop_order::tiled;
    chosen.tile = chosen.threads_along = chosen.rows_per_thread = narrow(table.tile);
    return chosen;
  }
  const bool is_short = loop_nest.extents[0] < table.short_row;
  chosen.order = loop_nest.rank >= 2 && is_short ? loop_order::flat : loop_order::rows;
  chosen.private_updates = private_elements(loop_nest, target);
  chosen.threads_along = narrow(table.row_elements);
  chosen.rows_per_thread =
      loop_nest.rank >= 2 && chosen.order == loop_order::rows ? narrow(table.rows) : std::uint16_t{1};
  return chosen;
}

/// Fewer elements for a thread whose text would be long, or whose elements wait for each other. What stays
/// resident has the elements that it has, and the lanes of a reduction decide the order of combining.
void bound_unrolled_weight(const nest& loop_nest, const target_facts& target, schedule& chosen) {
  if (chosen.resident || chosen.tile != 0 || has_scans(loop_nest)) return;
  std::int64_t weight = 0;
  for (const instruction& at : loop_nest.body) weight += weight_of(at.op);
  const bool reduces = loop_nest.reduced != 0;
  // elements of a thread leave loops one after the other: one alone waits for the fewest others of its warp
  const bool is_alone = !reduces && has_early_exits(loop_nest);
  const std::int64_t most = is_alone ? 0 : gpu_thresholds_of(target).max_unrolled_weight;
  for (std::uint16_t schedule::* const elements :
       {&schedule::rows_per_thread, &schedule::steps, &schedule::vector}) {
    if (reduces && elements == &schedule::vector) break;
    while (weight * chosen.vector * chosen.steps * chosen.rows_per_thread > most && chosen.*elements > 1)
      chosen.*elements = static_cast<std::uint16_t>(chosen.*elements / 2);
  }
  if (!reduces) chosen.whole_rows = chosen.whole_rows && chosen.vector > 1;
}

}  // namespace

std::uint16_t loads_of_generic(const nest& loop_nest, const gpu_shape_generic_thresholds& table,
                               unsigned attempt) {
  const bool several =
      attempt == 0 && static_cast<std::int64_t>(loop_nest.accesses.size()) <= table.max_accesses_in_flight;
  return narrow(several ? table.loads_in_flight : 1);
}

schedule choose(const nest& loop_nest, std::span<const array_layout> inputs,
                std::span<const array_layout> outputs, const target_facts& target, unsigned attempt) {
  if (!is_gpu(target.kind))
    return loop_nest.reduced != 0 ? choose_reduction(loop_nest, inputs, outputs, target, attempt)
                                  : choose_cpu(loop_nest, target);
  schedule chosen = loop_nest.reduced != 0 ? choose_reduction(loop_nest, inputs, outputs, target, attempt)
                                           : choose_cuda(loop_nest, inputs, outputs, target, attempt);
  if (!loop_nest.shape_generic) bound_unrolled_weight(loop_nest, target, chosen);
  return chosen;
}

}  // namespace sinter::inline v0
