#include <sinter/codegen/schedule/choose/check_schedule.hpp>

#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/nest/nest_facts.hpp>
#include <sinter/codegen/nest/reduction_phases.hpp>
#include <sinter/codegen/schedule/access_alignment.hpp>
#include <sinter/codegen/schedule/choose/choose_reduction.hpp>
#include <sinter/codegen/schedule/choose/choose_rows.hpp>
#include <sinter/codegen/schedule/choose/private_updates.hpp>
#include <sinter/codegen/schedule/choose/register_tiles.hpp>
#include <sinter/codegen/schedule/reduction_facts.hpp>
#include <sinter/codegen/schedule/thresholds.hpp>
#include <sinter/codegen/schedule/tiling.hpp>
#include <sinter/codegen/target/cpu_piece.hpp>
#include <sinter/codegen/target/cuda_limits.hpp>
#include <sinter/codegen/target/sort_limits.hpp>

#include <algorithm>
#include <bit>
#include <string>

namespace sinter::inline v0 {
namespace {

/// check_schedule() adds the schedule, which a reason that is fixed text cannot have.
constexpr const char* one_schedule_on_cpu =
    "on the CPU reductions have one schedule, but for vector, resident, streaming, tasks, and "
    "rows_per_thread of columns";

/// On the CPU a reduction has one schedule, but for its lanes, the rows of strips, what stays from one loop
/// to the next, and its stores. The lanes of strips, and all but lanes, are not in the order of additions.
const char* fault_on_cpu(const schedule& forced, const nest& loop_nest, std::span<const array_layout> inputs,
                         std::span<const array_layout> outputs, const target_facts& target) {
  const cpu_thresholds& table = cpu_thresholds_of(target);
  const schedule usual = choose_reduction(loop_nest, inputs, outputs, target, 0);
  schedule same = forced;
  same.vector = usual.vector;
  same.rows_per_thread = usual.rows_per_thread;
  same.resident = usual.resident;
  same.streaming = usual.streaming;
  same.tasks = usual.tasks;
  if (same != usual) return one_schedule_on_cpu;
  if (forced.resident && !usual.resident) return "its rows do not stay in the near caches: say resident=0";
  if (forced.vector == usual.vector && forced.rows_per_thread == usual.rows_per_thread) return nullptr;
  if (!reduces_columns(usual.order)) {
    if (forced.rows_per_thread != 1) return "on the CPU a task has one row at a time: say rows_per_thread=1";
    if (usual.vector == 1 || has_scans(loop_nest) || combines_by_body(loop_nest))
      return "on the CPU scans, bodies and rows without vectors have lanes of their own: take the vector "
             "that explain() shows";
    return std::has_single_bit(forced.vector) && forced.vector <= table.column_lanes
               ? nullptr
               : "on the CPU a row has 1 to 64 lanes, a power of two: say vector=16";
  }
  if (usual.staged || usual.resident || forced.resident || !can_have_register_tiles(loop_nest) ||
      !has_contiguous_lanes(loop_nest))
    return "on the CPU another vector or several rows need columns with a second kept axis, one loop of "
           "reductions without bodies, positions or elements at indices, and operands that are contiguous "
           "along axis 0: say rows_per_thread=1";
  if (!std::has_single_bit(forced.vector) || forced.vector > table.column_lanes)
    return "on the CPU a strip has 1 to 64 columns, a power of two: say vector=64";
  if (forced.rows_per_thread == 1) return nullptr;
  if (loop_nest.extents[0] < forced.vector || forced.rows_per_thread > table.max_register_tile_rows)
    return "a strip of several rows has no more columns than axis 0, and at most 16 rows: use a smaller "
           "vector, or fewer rows";
  return nullptr;
}

/// What is wrong with several rows of columns on a GPU.
const char* fault_of_register_tile(const schedule& forced, const nest& loop_nest) {
  if (!reduces_columns(forced.order) || forced.rows_per_thread == 1) return nullptr;
  if (!can_have_register_tiles(loop_nest))
    return "several rows a thread of columns need a second kept axis, and one loop of reductions without "
           "bodies, positions or elements at indices: say rows_per_thread=1";
  if (forced.resident)
    return "columns with several rows a thread are not resident: say rows_per_thread=1 or resident=0";
  return nullptr;
}

/// What is wrong with rows that a block sorts.
const char* fault_of_sorts(const schedule& forced, const nest& loop_nest) {
  if (!has_sorts(loop_nest)) return nullptr;
  const std::int64_t of_thread = std::int64_t{forced.steps} * forced.vector;
  if (reduces_columns(forced.order) || !forced.resident || !std::has_single_bit(forced.steps) ||
      !std::has_single_bit(forced.threads_along) || of_thread < 2 ||
      forced.threads_along * of_thread > max_resident_sort)
    return "a sorted row has a power of two of places in registers, two in a thread at least: say "
           "resident=1, "
           "take the row loop order, and powers of two for threads_along and steps";
  return nullptr;
}

/// What is wrong with rows that several blocks share.
const char* fault_of_cluster(const schedule& forced, const target_facts& target) {
  if (!std::has_single_bit(forced.cluster) || forced.cluster > target.cluster_blocks)
    return "a cluster is a power of two of blocks, and no more than the device has";
  if (forced.cluster > 1 && (reduces_columns(forced.order) || forced.threads_across != 1))
    return "a cluster shares one row: say threads_across=1, and take the row loop order";
  return nullptr;
}

const char* fault_of_reduction(const schedule& forced, const nest& loop_nest,
                               std::span<const array_layout> inputs, std::span<const array_layout> outputs,
                               const target_facts& target) {
  if (target.kind == target_kind::cpu) return fault_on_cpu(forced, loop_nest, inputs, outputs, target);
  const bool columns = reduces_columns(forced.order);
  const std::int64_t threads = std::int64_t{forced.threads_along} * forced.threads_across,
                     warp = warp_threads(target.kind);
  if (columns && loop_nest.is_reduced(0)) return "axis 0 is reduced: take the row loop order";
  if (threads > max_block_threads || threads % warp != 0)
    return "a block has whole warps, and at most 1024 threads";
  if (!std::has_single_bit(forced.vector) ||
      (!std::has_single_bit(forced.threads_along) && (columns || forced.threads_along % warp != 0)))
    return "vector must be a power of two; threads_along too, or in the row loop order whole warps";
  if (const char* why = fault_of_register_tile(forced, loop_nest)) return why;
  const bool one_row = loop_nest.split >= 0 || forced.cluster > 1 || forced.shared_steps > 0;
  if (forced.rows_per_thread != 1 && one_row)
    return "several rows a thread need the row loop order, registers alone and rows that are not split";
  if (has_scans(loop_nest) &&
      (forced.rows_per_thread != 1 || forced.cluster != 1 || forced.shared_steps != 0))
    return "a scan has one row a thread in the registers of one block: say rows_per_thread=1 cluster=1 "
           "shared_steps=0";
  if (const char* const why = fault_of_sorts(forced, loop_nest)) return why;
  if (const char* const why = fault_of_cluster(forced, target)) return why;
  if (forced.shared_steps > 0 && !forced.resident)
    return "only resident rows lie in shared memory: say resident=1";
  const std::int64_t sums = std::int64_t{forced.vector} * forced.rows_per_thread;
  if (columns && bytes_of_column_exchange(loop_nest, forced.threads_along, forced.threads_across, sums,
                                          warp) > default_shared_bytes)
    return "its warps exchange more than 48 KiB through shared memory: use a smaller vector, fewer rows a "
           "thread, or fewer threads";
  if (columns && has_scans(loop_nest) && bytes_of_scan_exchange(loop_nest, forced) > default_shared_bytes)
    return "its threads exchange more than 48 KiB through shared memory: use a smaller vector, or fewer "
           "threads";
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
  const std::int64_t exchange_bytes = std::max(gpu_thresholds_of(target).reductions.exchange_bytes,
                                               bytes_of_row_exchange(loop_nest, forced, warp));
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

/// What is wrong with a schedule of a nest without reductions, on the CPU alone.
const char* fault_of_elements_on_cpu(const schedule& forced, const nest& loop_nest,
                                     const target_facts& target) {
  if (forced.order == loop_order::flat && loop_nest.rank > 1 && loop_nest.extents[0] > codegen::cpu_chunk)
    return "rows of more than 1024 elements are not short on the CPU: use the rows loop order";
  if (forced.vector != 1) return "on the CPU the compiler chooses vectors: say vector=1";
  if (forced.order == loop_order::tiled &&
      (forced.tile == 0 || forced.tile > cpu_thresholds_of(target).max_tile))
    return "on the CPU a tile has 1 to 128 elements a side";
  return nullptr;
}

/// What is wrong with the tiles of a GPU.
const char* fault_of_tiles(const schedule& forced, const nest& loop_nest) {
  if (forced.steps != 1) return "a tile's side is one step: say steps=1";  // others would lie beyond the tile
  if (forced.threads_along * forced.vector != forced.tile ||
      forced.threads_across * forced.rows_per_thread != forced.tile)
    return "threads times elements per thread must equal the tile on both sides";
  if (staged_bytes(loop_nest, forced.tile) > default_shared_bytes)
    return "its tiles need more than 48 KiB of shared memory";
  return nullptr;
}

}  // namespace

const char* fault_of_schedule(const schedule& forced, const nest& loop_nest,
                              std::span<const array_layout> inputs, std::span<const array_layout> outputs,
                              const target_facts& target) {
  if (forced.private_updates != 0 && forced.private_updates < elements_updated(loop_nest))
    return "only updates of arrays with no more elements have a copy for each task: say private_updates=0";
  if (forced.private_updates != 0 && is_gpu(target.kind) &&
      (forced.order == loop_order::tiled ||
       bytes_of_copy(loop_nest, forced.private_updates, target.kind) > default_shared_bytes))
    return "a block's copy of what is updated does not fit its shared memory: say private_updates=0";
  const auto is_power_of_two = [](std::uint32_t value) { return value != 0 && (value & (value - 1)) == 0; };
  if (forced.tasks != 0 && is_gpu(target.kind))
    return "tasks are the CPU's, a launch on a GPU has blocks: say tasks=0";
  if (!has_known_values(forced)) return "there is no such loop order, or no such eviction";
  if (is_reduction_order(forced.order) != (loop_nest.reduced != 0))
    return "reductions, and they alone, take the loop orders row_reduction and column_reduction";
  if (forced.threads_along == 0 || forced.threads_across == 0 || forced.steps == 0 ||
      forced.rows_per_thread == 0)
    return "threads, steps and rows must be at least 1";
  if (loop_nest.reduced != 0) {
    return fault_of_reduction(forced, loop_nest, inputs, outputs, target);
  }
  if (forced.cluster != 1 || forced.shared_steps != 0 || forced.resident || forced.scalar_loads ||
      forced.staged)
    return "only reductions share rows among blocks or keep them: say cluster=1 shared_steps=0 resident=0 "
           "scalar_loads=0 staged=0";
  if (target.kind == target_kind::cpu && forced.reads != eviction::normal)
    return "what the cache gives up first is told to GPUs only: say reads=normal";
  if (forced.order == loop_order::flat && loop_nest.rank > 0 && loop_nest.extents[0] >= min_wide_extent)
    return "rows of 2^30 elements or more are not short: use the rows loop order";
  if (forced.whole_rows && (forced.order != loop_order::flat || target.kind == target_kind::cpu ||
                            !keeps_rows_whole(loop_nest, forced.vector, inputs, outputs)))
    return "whole_rows needs the flat loop order on a GPU and aligned rows that are a multiple of the vector";
  if (forced.order == loop_order::flat && loop_nest.rank == 0) return "the flat loop order needs an axis";
  if (forced.order == loop_order::tiled && loop_nest.rank < 2) return "the tiled loop order needs two axes";
  if (forced.order != loop_order::tiled && forced.tile != 0)
    return "only the tiled loop order has a tile: say tile=0";
  if (target.kind == target_kind::cpu) return fault_of_elements_on_cpu(forced, loop_nest, target);
  if (forced.streaming) return "results bypass the cache on the CPU only: say streaming=0";
  if (!is_power_of_two(forced.vector) || forced.vector > access_bytes)
    return "vector must be 1, 2, 4, 8 or 16";
  if (std::uint64_t{forced.threads_along} * forced.threads_across > max_block_threads)
    return "a block holds at most 1024 threads";
  if (!all_vectorisable(loop_nest, forced.order, forced.vector, inputs, outputs))
    return "an operand is not aligned for that vector: use a smaller one";
  if (forced.order != loop_order::tiled) {
    if ((forced.order == loop_order::flat || loop_nest.rank < 2) &&
        (forced.threads_across != 1 || forced.rows_per_thread != 1))
      return "there is one axis: say threads_across=1 rows_per_thread=1";
    return nullptr;
  }
  return fault_of_tiles(forced, loop_nest);
}

void check_schedule(const schedule& forced, const nest& loop_nest, std::span<const array_layout> inputs,
                    std::span<const array_layout> outputs, const target_facts& target) {
  const char* const why = fault_of_schedule(forced, loop_nest, inputs, outputs, target);
  if (why == nullptr) return;
  std::string text = "the schedule \"" + to_string(forced) + "\" cannot run this kernel: " + why;
  if (why == one_schedule_on_cpu)
    text += ": say \"" + to_string(choose_reduction(loop_nest, inputs, outputs, target, 0)) + "\"";
  throw type_error(text);
}

}  // namespace sinter::inline v0
