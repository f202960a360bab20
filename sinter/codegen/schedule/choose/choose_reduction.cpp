#include <sinter/codegen/base/integers.hpp>
#include <sinter/codegen/nest/phase_plan.hpp>
#include <sinter/codegen/nest/reduction_phases.hpp>
#include <sinter/codegen/schedule/choose/choose_columns.hpp>
#include <sinter/codegen/schedule/choose/choose_reduction.hpp>
#include <sinter/codegen/schedule/choose/choose_rows.hpp>
#include <sinter/codegen/schedule/choose/choose_scan.hpp>
#include <sinter/codegen/schedule/choose/choose_sorted_rows.hpp>
#include <sinter/codegen/schedule/choose/order_axes.hpp>
#include <sinter/codegen/schedule/device_fill.hpp>
#include <sinter/codegen/schedule/reduction_facts.hpp>
#include <sinter/codegen/schedule/thresholds.hpp>
#include <sinter/codegen/schedule/tiling.hpp>
#include <sinter/codegen/target/cpu_piece.hpp>
#include <sinter/codegen/target/cuda_limits.hpp>

#include <algorithm>

namespace sinter::inline v0 {
namespace {

/// Whether rows, `rows` of them side by side, stay in the CPU's near caches from one phase to the next, with
/// values that are expensive to evaluate. For longer rows, and beside scans, each phase evaluates them again.
bool is_resident_on_cpu(const nest& loop_nest, std::int64_t rows) {
  if (loops_of(loop_nest) < 2 || has_scans(loop_nest)) return false;
  const std::int64_t bytes = std::max<std::int64_t>(
      bytes_of_reads(loop_nest), codegen::phase_plan(loop_nest, true, false).resident_bytes());
  return count_rows(loop_nest, true) <=
         codegen::cpu_resident_elements(static_cast<std::uint32_t>(bytes)) / rows;
}

/// Lanes of a strip whose operands and results are staged: fewer than usual if a row has many bytes. 0 if
/// rows are not short, if all operands are contiguous along the lanes, or if the stack cannot hold them.
std::int64_t staged_lanes(const nest& loop_nest, const cpu_thresholds& table) {
  if (!has_rows_in_lanes(loop_nest, table)) return 0;
  const unsigned along = first_reduced_axis(loop_nest);
  bool is_strided = false;
  std::int64_t bytes = 0;
  for (const access& at : loop_nest.accesses) {
    if (at.what == access::kind::position) continue;
    is_strided |= at.what == access::kind::read && at.pattern(0) == step_pattern::strided;
    if (at.moves_along(0) && at.moves_along(along)) bytes += static_cast<std::int64_t>(size_of(at.type));
  }
  if (!is_strided) return 0;
  const std::int64_t length = count_rows(loop_nest, true);
  const std::int64_t longest = length <= table.max_unrolled_row_extent ? length : codegen::cpu_staged_row;
  const std::int64_t of_lane = longest * std::max<std::int64_t>(1, bytes);
  if (of_lane * table.narrowest_column > codegen::cpu_resident_bytes) return 0;
  return std::clamp(power_below(codegen::cpu_strip_bytes / of_lane), table.narrowest_column,
                    table.column_lanes);
}

/// Lanes along a row. A short row has few, so that most of its groups are whole; those that scans combine as
/// vectors; and one where its values are no vectors.
std::int64_t lanes_of_a_row(const nest& loop_nest, const cpu_thresholds& table) {
  if (loop_nest.shape_generic || count_rows(loop_nest, true) >= table.short_row) return table.row_lanes;
  const bool scans_vectors = std::ranges::any_of(
      loop_nest.body, [](const instruction& at) { return is_scan(at.op) && !is_complex(at.type); });
  if (scans_vectors) return codegen::cpu_scan_line;
  return has_vector_values(loop_nest) ? table.short_row_lanes : 1;
}

/// Lanes of a strip: no more than there are columns, but for a few that would be a strip of their own.
std::int64_t lanes_of_columns(std::int64_t columns, const cpu_thresholds& table) {
  const std::int64_t below = power_below(columns);
  return std::min(table.column_lanes,
                  columns - below < table.narrowest_column ? power_above(columns) : below);
}

schedule choose_on_cpu(const nest& loop_nest, const target_facts& target) {
  const cpu_thresholds& table = cpu_thresholds_of(target);
  const bool known = !loop_nest.shape_generic;
  const bool columns = known && is_column_order(loop_nest, target);
  const std::int64_t staged = columns ? staged_lanes(loop_nest, table) : 0;
  schedule chosen;
  chosen.order = columns ? loop_order::column_reduction : loop_order::row_reduction;
  chosen.vector = narrow(staged != 0 ? staged
                         : columns   ? lanes_of_columns(loop_nest.extents[0], table)
                                     : lanes_of_a_row(loop_nest, table));
  chosen.staged = staged != 0;
  if (const std::int64_t length = count_rows(loop_nest, true);
      chosen.staged && length <= table.max_unrolled_row_extent)
    chosen.steps = narrow(length);
  chosen.threads_along = 1;
  chosen.resident = known && is_resident_on_cpu(loop_nest, columns ? chosen.vector : 1);
  return chosen;
}

/// Rows of unknown length have one block each.
schedule choose_generic_rows(const nest& loop_nest, const target_facts& target, unsigned attempt) {
  const gpu_shape_generic_thresholds& table = gpu_thresholds_of(target).shape_generic;
  schedule chosen;
  chosen.order = loop_order::row_reduction;
  chosen.threads_along = narrow(table.row_threads);
  chosen.steps = loads_of_generic(loop_nest, table, attempt);
  return chosen;
}

/// Fewer rows per block, or narrower strips, if a launch fills the device only with them.
schedule spread_over_device(const nest& loop_nest, const schedule& chosen, const target_facts& target) {
  if (chosen.resident || chosen.cluster > 1 || count_work(loop_nest, target) < enough_work(target))
    return chosen;
  const gpu_column_thresholds& table = gpu_thresholds_of(target).columns;
  const std::int64_t strips = count_tiles(loop_nest, chosen, tile_of(loop_nest, chosen, target.kind));
  const bool columns = reduces_columns(chosen.order), again = loops_of(loop_nest) > 1;
  if (columns && !again && loop_nest.split < 0 &&
      count_rows(loop_nest, true) * strips >= table.min_piece_extent * blocks_to_fill(target))
    return chosen;  // pieces of columns fill the device as well
  if (has_scans(loop_nest) && has_enough_threads(chosen, strips, target)) return chosen;
  const auto fills = [&](const schedule& at) {
    return fills_device(count_tiles(loop_nest, at, tile_of(loop_nest, at, target.kind)),
                        std::int64_t{at.threads_along} * at.threads_across, target);
  };
  schedule spread = chosen;
  const auto halve_across = [&] {  // a block keeps a whole warp
    const bool can =
        spread.threads_across > 1 && spread.threads_along * spread.threads_across > warp_threads(target.kind);
    if (can) spread.threads_across = static_cast<std::uint16_t>(spread.threads_across / 2);
    return can;
  };
  const auto halve = [](std::uint16_t& value) {
    const bool can = value > 1;
    if (can) value = static_cast<std::uint16_t>(value / 2);
    return can;
  };
  // rows that several phases read cannot be split into pieces: spread them as far as possible
  while (!fills(spread)) {
    const bool narrower = columns ? halve(spread.vector) || (spread.threads_along > table.strip_threads &&
                                                             halve(spread.threads_along))
                                  : halve(spread.rows_per_thread) || halve_across();
    if (narrower) continue;
    if (!again) return chosen;
    break;
  }
  if (spread.vector == 1) spread.scalar_loads = false;
  return spread;
}

}  // namespace

schedule choose_reduction(const nest& loop_nest, std::span<const array_layout> inputs,
                          std::span<const array_layout> outputs, const target_facts& target,
                          unsigned attempt) {
  if (target.kind == target_kind::cpu) return choose_on_cpu(loop_nest, target);
  if (loop_nest.shape_generic) return choose_generic_rows(loop_nest, target, attempt);
  if (has_sorts(loop_nest)) return choose_sorted_rows(loop_nest, inputs, outputs, target, attempt);
  schedule chosen = is_column_order(loop_nest, target)
                        ? choose_columns(loop_nest, inputs, outputs, target, attempt)
                        : choose_rows(loop_nest, inputs, outputs, target, attempt);
  if (has_scans(loop_nest)) adapt_to_scans(loop_nest, target, attempt, chosen);
  return spread_over_device(loop_nest, chosen, target);
}

bool streams_results(const nest& loop_nest, const schedule& chosen) {
  return reduces_rows(chosen.order) && !has_scans(loop_nest) && stores_each_element(loop_nest);
}

std::uint32_t shared_bytes_of(const nest& loop_nest, const schedule& chosen) {
  if (chosen.shared_steps == 0) return 0;
  return codegen::phase_plan(loop_nest, chosen.resident).resident_bytes() * chosen.vector *
         chosen.threads_along * chosen.threads_across * chosen.shared_steps;
}

}  // namespace sinter::inline v0
