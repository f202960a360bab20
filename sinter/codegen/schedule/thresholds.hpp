#pragma once
// The thresholds that determine schedules and the splitting of rows: one table per target, which functions
// select by the target's facts. This file has the meaning and the unit of each; thresholds.cpp has the values
// and their origin. Hardware properties are in target/; limits that depend on the graph alone are in
// graph/graph_limits.hpp.

#include <sinter/codegen/target/target.hpp>

#include <array>
#include <cstdint>
#include <span>

namespace sinter::inline v0 {

/// Positions below this number are counted in 32 bits: those along axis 0 in the flat order, which is not
/// used for longer ones, and those of a row in a CUDA reduction. A limit rather than a threshold.
inline constexpr std::int64_t min_wide_extent = std::int64_t{1} << 30;

/// The threads of a block and the work of each, if no axis is reduced.
struct block_shape {
  std::int64_t threads_along;    ///< threads along axis 0
  std::int64_t threads_across;   ///< threads along axis 1
  std::int64_t rows_per_thread;  ///< rows along axis 1
  std::int64_t steps;            ///< loads in flight along axis 0
};

// ---- GPUs ----

/// Nests without reductions.
struct gpu_pointwise_thresholds {
  /// The rows order along one axis: element by element, and with vectors.
  block_shape one_axis_of_elements, one_axis_of_vectors;
  /// The rows order over two axes: element by element, with vectors, and for stencils, whose threads load the
  /// windows of neighbouring rows with vectors, or element by element of as many rows as a block then has.
  block_shape rows_of_elements, rows_of_vectors, rows_of_windows, rows_of_window_elements;
  /// Elements of axis 0 from which stencils take that order, because flat elements share no loads.
  std::int64_t min_window_row_extent;
  /// Rows per thread if its scattered loads serve all of them.
  std::int64_t rows_of_shared_loads;
  /// Rows that are read at indices, and the elements from which on a row is one, and is in the middle. Those
  /// from short_row on are long.
  block_shape short_gathered_rows, middle_gathered_rows, long_gathered_rows;
  std::int64_t min_gathered_row, min_middle_gathered_row;
  /// Elements per load of a stencil, whose result and operand are rarely aligned to more.
  std::int64_t window_vector;
  /// The number of expensive functions in a body whose arithmetic takes as long as its memory traffic (from,
  /// to), and the loads in flight of such a body. With fewer, memory alone counts; with more, arithmetic.
  std::int64_t min_balanced_calls, max_balanced_calls, balanced_steps;

  /// Elements of axis 0 below which a row does not fill a block, so that the flat order is used.
  std::int64_t short_row;
  /// The flat order: threads of a block, in general and if caches serve every operand.
  std::int64_t flat_threads, flat_threads_of_reused;
  /// The flat order if no operand is read from memory more than once: vectors in flight per thread, and
  /// elements in all of them.
  std::int64_t flat_steps, flat_elements;
};

/// The tiled order of transposed operands.
struct gpu_tile_thresholds {
  /// Elements of an axis below which a transposed operand counts as strided only.
  std::int64_t min_axis_extent;
  /// Bytes of a tile's side in the widest type.
  std::int64_t side_bytes;
  /// Elements of a tile's side: the least, and the most if it is loaded element by element or with vectors.
  std::int64_t min_side, max_side_of_elements, max_side_of_vectors;
  /// The least threads of a block, and the most rows per thread.
  std::int64_t threads, rows_per_thread;
};

/// All nests with reductions or scans.
struct gpu_reduction_thresholds {
  /// The least threads of a block, if there is work for them.
  std::int64_t min_block_threads;
  /// Steps of a loop over columns whose loads are in flight together.
  std::int64_t loads_in_flight;
  /// Bytes of the accumulators of one thread, which take registers or shared memory.
  std::int64_t max_sum_bytes;
  /// Bytes of static shared memory for staged rows, or for what the warps of a column's block exchange; and
  /// bytes reserved for what blocks exchange beside resident rows.
  std::int64_t max_static_bytes, exchange_bytes;
  /// Bytes that memory moves in the time in which a multiprocessor looks up one cache line.
  std::int64_t bytes_of_a_lookup;
};

/// Threads of a row, for lengths up to a limit.
struct row_threads {
  std::int64_t longest;  ///< elements of a row
  std::int64_t threads;
  std::int64_t loads;  ///< loads of 16 bytes in flight per thread
};

/// Rows that are reduced once, or that are too long to be resident.
struct gpu_row_thresholds {
  /// Ascending by length, the last for any length: if there are many rows; if there are few, or rows are read
  /// again; if positions of extremes are computed; and of reductions by a body, of rows and of their pieces.
  std::array<row_threads, 3> many_rows, few_rows, positions, bodies, pieces_of_bodies;
  /// Elements in flight per thread.
  std::int64_t max_elements_loaded;
  /// Elements of a row below which its threads depend on its length alone; and the elements per thread then,
  /// from several rows if they are short.
  std::int64_t short_row, elements_of_a_thread;
  std::int64_t max_rows_per_thread;
  /// Bytes of a row, in registers or in flight, that each thread of the largest block may have.
  std::int64_t max_register_bytes;
  /// Elements of a row that one cluster of blocks processes instead of splitting it into pieces, if there are
  /// few such rows; and elements per block then.
  std::int64_t min_clustered_extent, max_clustered_extent, elements_of_a_block;
};

/// The shape of blocks that hold a row longer than the registers of one block.
struct long_row_block {
  std::int64_t threads, max_cluster;
  std::int64_t blocks;  ///< blocks per multiprocessor at the same time
};

/// Rows that stay resident from one phase to the next.
struct gpu_resident_row_thresholds {
  /// Elements per thread: in general, if nothing is stored for each element, and for half types.
  std::int64_t elements, elements_of_loads, halves;
  /// Elements of the longest row of one warp.
  std::int64_t row_of_a_warp;
  /// Most threads of a row, as long as their registers hold it.
  std::int64_t max_threads;
  /// Threads of a row below which a block has several rows, and the number of rows.
  std::int64_t whole_block, rows_of_a_small_block;
  /// Elements per thread below which it has the maximum number of rows; and rows per thread if it has a
  /// single load of each row.
  std::int64_t few_elements, rows_of_one_load;
  /// Elements of the longest row that one thread processes alone.
  std::int64_t max_thread_row_extent;
  /// Elements from which the capacity for a row grows by halves of a power of two, and by quarters; below
  /// that it doubles. Each capacity is a separate kernel.
  std::int64_t finest_halves, finest_quarters;
  /// Elements of a row that is staged (from, to); and elements per thread, from several rows if they are
  /// short.
  std::int64_t min_staged_extent, max_staged_extent, staged_elements;
  /// Rows longer than the registers of a block: shapes in the order in which they are tried.
  std::array<long_row_block, 3> long_row_blocks;
  /// Elements of a thread of a cluster that holds a long row without vectors.
  std::int64_t single_elements;
  /// Clusters share rows that are too few to fill the device: the least elements of each block, and the most
  /// blocks.
  std::int64_t shared_elements, max_sharing_blocks;
};

/// Reduced axes with a contiguous kept axis.
struct gpu_column_thresholds {
  /// Extents of axis 0 from which resident columns use the column order.
  std::int64_t narrowest;
  /// Threads of a block: the most, and the least, because rows use a block better than narrower strips.
  std::int64_t block, min_block_threads;
  /// Threads along axis 0 of the narrowest strip that is not widened.
  std::int64_t strip_threads;
  /// Elements per thread along axis 0 if its loads serve all of them.
  std::int64_t lanes_of_arithmetic;
  /// Resident columns: threads of a block, and elements per thread.
  std::int64_t max_resident_threads, resident_steps;
  /// Weights of operations, and loads, that the text of a thread's resident elements comes to at most.
  std::int64_t max_resident_weight;
  /// Elements of the shortest piece of a column.
  std::int64_t min_piece_extent;
  /// Register tiles: rows of a thread and bytes of its sums, at most, and elements of a column, at least.
  std::int64_t max_tile_rows, max_tile_bytes, min_tile_extent;
};

/// Scans. The threads of a chunk wait for each other.
struct gpu_scan_thresholds {
  /// Elements of the longest row that one warp scans.
  std::int64_t row_of_a_warp;
  /// Loads per thread in a chunk: for a warp, and for a block.
  std::int64_t steps_in_a_warp, steps_in_a_block;
  /// Elements per thread if a block scans a row.
  std::int64_t elements_of_a_thread;
  /// Threads of a block, if there are enough rows.
  std::int64_t block;
  /// Threads per multiprocessor that keep a device busy enough for rows to stay whole: splitting a scan reads
  /// elements twice.
  std::int64_t threads_to_fill;
  /// Bytes of shared memory through which the threads of a strip exchange values.
  std::int64_t max_shared_bytes;
};

/// Rows that a block sorts in registers.
struct gpu_sort_thresholds {
  /// Elements of a thread: as many as there are for each thread of a warp, between these. Steps of the
  /// network between elements of one thread take no exchange. Keys of 64 bits take half as many registers
  /// again as others with their places, and twice the instructions.
  std::int64_t min_elements, max_elements, max_wide_elements;
  /// Threads of a row, at most: of more, what two words of 96 bits take of each exceeds the shared memory for
  /// places.
  std::int64_t max_threads;
  /// Threads of a block of short rows.
  std::int64_t block;
};

/// Shape-generic kernels, whose blocks serve long and short rows.
struct gpu_shape_generic_thresholds {
  std::int64_t one_axis_threads;               ///< of a block
  std::int64_t threads_along, threads_across;  ///< of a block over two axes
  std::int64_t row_threads;                    ///< of a row that is reduced
  /// Loads in flight per thread, and the number of accesses in a body from which it is one.
  std::int64_t loads_in_flight, max_accesses_in_flight;
};

/// Few long rows that are split into pieces.
struct gpu_piece_thresholds {
  /// Blocks per multiprocessor that pieces are sized for; the larger number if each block still has this many
  /// chunks.
  std::int64_t enough_blocks, max_blocks, chunks_of_many;
  /// Elements of the shortest piece of a row if the device would be idle otherwise.
  std::int64_t min_row_piece_extent;
  /// Elements of the longest row that always stays whole.
  std::int64_t max_whole_row_extent;
  /// Elements of a piece of a row over several axes: a block has whole inner axes.
  std::int64_t piece_of_several_axes;
  /// Elements of a piece whose deviations are taken from its own mean.
  std::int64_t min_deviation_piece_extent, max_deviation_piece_extent;
  /// Columns side by side in a block that totals a scan's pieces.
  std::int64_t widest_strip;
  /// The length of a piece is a multiple of this many elements.
  std::int64_t multiple;
};

/// Which lines the second-level cache evicts first.
struct gpu_eviction_thresholds {
  /// Bytes that a kernel moves, in multiples of the cache size, from which it uses hints.
  std::int64_t min_traffic;
  /// Bytes read per byte written from which reads may be evicted first.
  std::int64_t reads_of_a_write;
};

/// Work that fills a GPU.
struct gpu_fill_thresholds {
  /// Blocks per multiprocessor, and threads of each.
  std::int64_t blocks, threads_of_a_block;
  /// Work per multiprocessor below which a nest is not spread over more blocks and launches: see
  /// count_work().
  std::int64_t min_work;
  /// In weights of operations: of an element that counts once, and of a read.
  std::int64_t weight_of_element, weight_of_read;
  /// Chunks that a thread loads one after the other, from which a few blocks' rows are cut in pieces.
  std::int64_t waiting_chunks;
  /// Work of a nest that combines the results of pieces, as a multiple of min_work, below which it may
  /// leave part of the device idle.
  std::int64_t combined_work;
  /// Work of a nest, as a multiple of min_work, from which phases that share no operand have launches of
  /// their own.
  std::int64_t separate_work;
};

/// The table of one model of GPU.
/// Copies of an array that is updated.
struct update_thresholds {
  /// Of the largest copy.
  std::int64_t max_bytes;
  /// Updates for each element, from which there are copies: a copy is cleared before, and combined with the
  /// array behind them.
  std::int64_t min_updates;
};

/// The greatest power of two that schedule::private_updates holds.
inline constexpr std::int64_t max_private_elements = 1 << 15;

/// Updates on a GPU.
struct gpu_update_thresholds {
  update_thresholds copies;
  /// Threads of a block that has a copy, and updates of one for each element, at least.
  std::int64_t threads, updates_of_block;
  /// The most blocks for each multiprocessor.
  std::int64_t blocks_of_multiprocessor;
};

struct gpu_thresholds {
  /// The most that the text of a thread's elements comes to, in weights of operations (graph_limits.hpp):
  /// above, compilers take seconds for a kernel, and processors wait for its instructions.
  std::int64_t max_unrolled_weight;
  gpu_pointwise_thresholds pointwise;
  gpu_tile_thresholds tiles;
  gpu_reduction_thresholds reductions;
  gpu_row_thresholds rows;
  gpu_resident_row_thresholds resident_rows;
  gpu_column_thresholds columns;
  gpu_scan_thresholds scans;
  gpu_sort_thresholds sorts;
  gpu_shape_generic_thresholds shape_generic;
  gpu_piece_thresholds pieces;
  gpu_eviction_thresholds eviction;
  gpu_fill_thresholds fill;
  gpu_update_thresholds updates;
};

// ---- CPUs ----

/// The sums that registers hold of a strip of columns: rows, and vectors of each.
struct register_tile {
  std::int64_t rows, vectors;
};

/// The table of a CPU. Sizes that are in the text are in target/cpu_piece.hpp.
struct cpu_thresholds {
  /// Elements of axis 0 below which the flat order is used.
  std::int64_t short_row;
  /// Elements of axis 0 and rows of axis 1 in a schedule of the rows order. They have no other effect.
  std::int64_t row_elements, rows;

  /// Elements of an axis below which a transposed operand counts as strided only.
  std::int64_t min_tiled_axis_extent;
  /// Elements of a tile's side, by default and at most: a tile of each transposed operand is on the stack.
  std::int64_t tile, max_tile;

  /// Consecutive elements with separate accumulators: in rows, in those of fewer than short_row elements, and
  /// in columns.
  std::int64_t row_lanes, short_row_lanes, column_lanes;
  /// Extents of axis 0 from which the column order is used.
  std::int64_t narrowest_column;
  /// Register tiles of columns: on processors with vectors of wide_register_bytes, which have 32 registers,
  /// and on others, which have 16. And the elements of a column from which there are any.
  register_tile wide_registers, registers;
  std::uint32_t wide_register_bytes;
  std::int64_t min_register_tile_extent;
  /// Rows of a tile that a caller's schedule may have, at most: the text is that much longer.
  std::int64_t max_register_tile_rows;
  /// Elements of the longest row of a staged strip whose length is in the text: each length has a kernel of
  /// its own, whose rows are transposed by constant shuffles.
  std::int64_t max_unrolled_row_extent;
  /// Bytes of an element from which longer rows than that are not staged as strips.
  std::size_t widest_strip_element;

  /// The copies of an array that tasks update.
  update_thresholds copies;

  /// Tasks of a launch below which rows, or strips of columns, are split into pieces: with fewer, some
  /// threads are idle.
  std::int64_t min_tasks;
  /// Elements of a row that is still in the caches when it is read again.
  std::int64_t cached_row;
  /// Elements of the longest column that always stays whole.
  std::int64_t max_whole_column_extent;
  /// The most pieces of a column, and the least elements of a piece.
  std::int64_t max_column_pieces, min_column_piece_extent;
  /// The length of a piece of a row is a multiple of this many elements.
  std::int64_t piece_multiple;
  /// Elements of a piece, at least, where each position along a short axis has its own pieces; and where one
  /// stage would loop over rows several times.
  std::int64_t min_piece_extent_across_lanes, min_piece_extent_again_across_lanes;
};

// ---- by target ----

/// The table of a GPU: that of the nearest measured model whose architecture is not newer. Other targets have
/// none. Safe from any thread, like the next function.
const gpu_thresholds& gpu_thresholds_of(const target_facts& target);
/// The table of a CPU.
const cpu_thresholds& cpu_thresholds_of(const target_facts& target);

/// Extents at which the schedule or the text may change, on any target: size classes start there, ascending.
/// Every threshold of an extent in the pass is one of these.
std::span<const std::int64_t> extent_thresholds();
/// Extents below this one are separate classes if a graph slices or reduces: neighbours across rows are then
/// as near as those along them, and their distance is in the text (find_windows() in normalise.cpp).
inline constexpr std::int64_t first_joint_class = 32;
/// The first and the last extent at which classes of sliced functions start on GPUs because a launch is worth
/// computing so many elements again or not.
inline constexpr std::int64_t first_stage_class = 1 << 10, last_stage_class = 1 << 28;

}  // namespace sinter::inline v0
