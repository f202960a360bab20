#include <sinter/codegen/nest/build/reduction_phases.hpp>
#include <sinter/codegen/nest/phase_plan.hpp>
#include <sinter/codegen/schedule/choose/choose_columns.hpp>
#include <sinter/codegen/schedule/choose/choose_reduction.hpp>
#include <sinter/codegen/schedule/choose/choose_rows.hpp>
#include <sinter/codegen/schedule/choose/choose_scan.hpp>
#include <sinter/codegen/schedule/device_fill.hpp>
#include <sinter/codegen/schedule/reduction_facts.hpp>
#include <sinter/codegen/schedule/thresholds.hpp>
#include <sinter/codegen/schedule/tiling.hpp>
#include <sinter/codegen/target/cpu_piece.hpp>
#include <sinter/codegen/target/cuda_limits.hpp>

#include <bit>

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

schedule choose_on_cpu(const nest& loop_nest, const target_facts& target) {
  const cpu_thresholds& table = cpu_thresholds_of(target);
  schedule chosen;
  const bool columns = !loop_nest.shape_generic && is_column_order(loop_nest, target);
  chosen.order = columns ? loop_order::column_reduction : loop_order::row_reduction;
  chosen.vector = narrow(columns ? table.column_lanes : table.row_lanes);
  chosen.threads_along = 1;
  chosen.resident =
      !loop_nest.shape_generic && is_resident_on_cpu(loop_nest, columns ? table.column_lanes : 1);
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
  if (chosen.resident || chosen.cluster > 1 ||
      count_rows(loop_nest, false) * count_rows(loop_nest, true) < enough_work(target))
    return chosen;
  const gpu_column_thresholds& table = gpu_thresholds_of(target).columns;
  const std::int64_t strips = count_tiles(loop_nest, chosen, tile_of(loop_nest, chosen, target.kind));
  const bool columns = reduces_columns(chosen.order), again = loops_of(loop_nest) > 1;
  if (columns && !again && loop_nest.split < 0 &&
      count_rows(loop_nest, true) * strips >= table.shortest_piece * blocks_to_fill(target))
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
  schedule chosen = is_column_order(loop_nest, target)
                        ? choose_columns(loop_nest, inputs, outputs, target, attempt)
                        : choose_rows(loop_nest, inputs, outputs, target, attempt);
  if (has_scans(loop_nest)) adapt_to_scans(loop_nest, target, attempt, chosen);
  return spread_over_device(loop_nest, chosen, target);
}

bool streams_results(const nest& loop_nest, const schedule& chosen) {
  return reduces_rows(chosen.order) && !has_scans(loop_nest) && stores_each_element(loop_nest);
}

const char* fault_of_reduction(const schedule& forced, const nest& loop_nest,
                               std::span<const array_layout> inputs, std::span<const array_layout> outputs,
                               const target_facts& target) {
  if (target.kind == target_kind::cpu) return "on the CPU reductions have one schedule";
  const bool columns = reduces_columns(forced.order);
  const std::int64_t threads = std::int64_t{forced.threads_along} * forced.threads_across,
                     warp = warp_threads(target.kind);
  if (columns && loop_nest.is_reduced(0)) return "axis 0 is reduced: take the row loop order";
  if (threads > most_block_threads || threads % warp != 0)
    return "a block has whole warps, and at most 1024 threads";
  if (!std::has_single_bit(forced.vector) ||
      (!std::has_single_bit(forced.threads_along) && (columns || forced.threads_along % warp != 0)))
    return "vector must be a power of two; threads_along too, or in the row loop order whole warps";
  const bool one_row = columns || loop_nest.split >= 0 || forced.cluster > 1 || forced.shared_steps > 0;
  if (forced.rows_per_thread != 1 && one_row)
    return "several rows a thread need the row loop order, registers alone and rows that are not split";
  if (has_scans(loop_nest) &&
      (forced.rows_per_thread != 1 || forced.cluster != 1 || forced.shared_steps != 0))
    return "a scan has one row a thread in the registers of one block: say rows_per_thread=1 cluster=1 "
           "shared_steps=0";
  if (!std::has_single_bit(forced.cluster) || forced.cluster > target.cluster_blocks)
    return "a cluster is a power of two of blocks, and no more than the device has";
  if (forced.cluster > 1 && (columns || forced.threads_across != 1))
    return "a cluster shares one row: say threads_across=1, and take the row loop order";
  if (forced.shared_steps > 0 && !forced.resident)
    return "only resident rows lie in shared memory: say resident=1";
  const unsigned axis = columns ? 0 : first_reduced_axis(loop_nest);
  if (forced.vector > 1 && !forced.scalar_loads &&
      !loads_whole_lanes(loop_nest, axis, forced.vector, inputs, outputs))
    return "an operand is not aligned for that vector: use a smaller one, or scalar_loads=1";
  const std::int64_t held = columns ? std::int64_t{forced.threads_across} * forced.steps
                                    : std::int64_t{forced.cluster} * forced.threads_along * forced.vector *
                                          (forced.steps + forced.shared_steps);
  if (columns && forced.shared_steps > 0) return "columns are resident in registers: say shared_steps=0";
  if (forced.resident && held < count_rows(loop_nest, true))
    return "a resident row needs cluster * threads_along * vector * (steps + shared_steps) elements at "
           "least, "
           "columns threads_across * steps";
  const std::int64_t exchange_bytes = gpu_thresholds_of(target).reductions.exchange_bytes;
  if (shared_bytes_of(loop_nest, forced) + exchange_bytes > target.shared_bytes_per_block)
    return "a block has not that much shared memory: use fewer shared_steps";
  if (forced.staged &&
      (!forced.resident || columns || forced.vector != 1 || forced.threads_along != 1 ||
       forced.cluster != 1 || forced.shared_steps != 0 || forced.steps != count_rows(loop_nest, true) ||
       !can_be_staged(loop_nest, forced.threads_across * forced.rows_per_thread, target)))
    return "only short resident rows that are contiguous in every operand are staged, each a thread's alone: "
           "say "
           "resident=1 vector=1 threads_along=1 cluster=1 shared_steps=0, steps= a row's length, and few "
           "enough "
           "rows a block";
  if (forced.whole_rows && (columns || !fills_vectors(loop_nest, forced.vector)))
    return "whole_rows needs rows that are a multiple of the vector, and the row loop order";
  return nullptr;
}

std::uint32_t shared_bytes_of(const nest& loop_nest, const schedule& chosen) {
  if (chosen.shared_steps == 0) return 0;
  return codegen::phase_plan(loop_nest, chosen.resident).resident_bytes() * chosen.vector *
         chosen.threads_along * chosen.threads_across * chosen.shared_steps;
}

}  // namespace sinter::inline v0
