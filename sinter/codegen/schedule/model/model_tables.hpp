#pragma once
// The numbers of the cost model that are not rates (gpu_rates.hpp): the values that candidates take, the
// sizes that stand for a class of sizes, and what is assumed of a kernel's instructions. Where no origin is
// stated, a number is of the model that bench/results/2026-11-23-nvidia-h200-cost-model.md fits and measures.

#include <array>
#include <cstddef>
#include <cstdint>

namespace sinter::inline v0 {

// ---- Candidates ----

struct threads_of_block {
  std::uint16_t along, across;
};

/// The values that the fields of candidates take. All are powers of two, and reach one step beyond what
/// measurements of single workloads ever chose (bench/results/2026-11-22-nvidia-h200-schedules.md).
struct candidate_values {
  /// The rows order: threads of a block, of arrays of one axis and of more.
  std::array<threads_of_block, 4> blocks_of_one_axis;
  std::array<threads_of_block, 8> blocks_of_two_axes;
  /// Rows and loads of a thread in these.
  std::array<std::int64_t, 4> rows_per_thread, steps;
  /// The flat order: threads of a block.
  std::array<std::int64_t, 2> flat_threads;
  /// The tiled order: elements of a tile's side, rows of a thread, and the threads of a block at most.
  std::array<std::int64_t, 4> tile_sides;
  std::array<std::int64_t, 6> tile_rows_per_thread;
  std::int64_t max_tile_threads;
  /// Reductions: threads of a block, loads of a thread along the row, and rows of a thread.
  std::array<std::int64_t, 3> reduction_threads;
  std::array<std::int64_t, 5> reduction_steps;
  std::array<std::int64_t, 3> reduction_rows_per_thread;
  /// Threads of a block that shares a row with others, or has part of it in shared memory; and of one whose
  /// threads have staged rows.
  std::array<std::int64_t, 3> long_row_threads, staged_threads;
  /// Loads of a thread along a long row, in registers and in shared memory, at most.
  std::int64_t max_long_row_steps;
  /// Lanes of a thread, at most.
  std::int64_t max_lanes;
  /// Loads of a thread over several rows, at most.
  std::int64_t max_loads;
  /// Elements of a thread that are in flight together, and bytes of them, at most: beyond, texts grow and
  /// registers spill.
  std::int64_t max_elements, max_bytes;
};
inline constexpr candidate_values gpu_candidates{
    .blocks_of_one_axis = {{{64, 1}, {128, 1}, {256, 1}, {512, 1}}},
    .blocks_of_two_axes = {{{32, 4}, {32, 8}, {64, 1}, {64, 2}, {64, 4}, {128, 1}, {256, 1}, {16, 16}}},
    .rows_per_thread = {1, 2, 4, 8},
    .steps = {1, 2, 4, 8},
    .flat_threads = {128, 256},
    .tile_sides = {16, 32, 64, 128},
    .tile_rows_per_thread = {1, 2, 4, 8, 16, 32},
    .max_tile_threads = 512,
    .reduction_threads = {128, 256, 512},
    .reduction_steps = {1, 2, 4, 8, 16},
    .reduction_rows_per_thread = {1, 2, 4},
    .long_row_threads = {256, 512, 1024},
    .staged_threads = {64, 128, 256},
    .max_long_row_steps = 128,
    .max_lanes = 16,
    .max_loads = 8,
    .max_elements = 64,
    .max_bytes = 256,
};

// ---- Size classes ----

/// Sizes that stand for others of their class: elements of a row, rows along axis 1, elements in all.
struct class_member {
  std::int64_t row = 0, rows = 0, all = 0;
};
/// Nests without reductions have one kernel for all short rows and one for all long ones
/// (gpu_pointwise_thresholds::short_row): few rows and many, large arrays, which come first, and small.
inline constexpr std::array<class_member, 3> members_of_short_rows{
    {{24, 64, 1 << 24}, {4, 64, 1 << 20}, {96, 16, 1 << 17}}};
inline constexpr std::array<class_member, 3> members_of_long_rows{
    {{1 << 10, 1 << 10, 1 << 24}, {1 << 9, 2, 1 << 22}, {1 << 10, 1 << 6, 1 << 17}}};

/// Elements beyond which a stride touches a cache line of its own at any size of an element.
inline constexpr std::int64_t long_stride = 1 << 9;
/// Strides up to this one are as they are, because neighbours share sectors. Beside an axis that is
/// contiguous strides are those of rows, which grow with the array.
inline constexpr std::int64_t max_exact_stride = 4;
/// Elements of a nest, at most: counts of instructions and bytes are far below 2^63 then.
inline constexpr std::int64_t max_modelled_elements = std::int64_t{1} << 40;

// ---- Instructions and registers ----

/// Instructions that take a digit off a position, those of a thread before its first load, and those of a
/// load with its address.
inline constexpr std::int64_t instructions_of_digit = 10, instructions_of_begin = 30,
                              instructions_of_access = 3;
/// Registers of a thread that hold neither elements nor partial results: in all kernels, and for each axis.
inline constexpr std::int64_t registers_of_thread_itself = 16, registers_of_axis = 4;

// ---- Caches ----

/// Loops of a block that an access may move with: threads, lanes, steps and rows, some over several axes.
inline constexpr std::size_t max_box_sides = 16;

/// Bytes of memory that are opened together. Of 512 to 4,096 these bring estimates of drawn kernels nearest
/// to their times.
inline constexpr std::int64_t memory_page_bytes = 2048;
/// Bytes of a multiprocessor's first-level cache that serve loads, at least.
inline constexpr std::int64_t nearest_cache_bytes = 128 << 10;

}  // namespace sinter::inline v0
