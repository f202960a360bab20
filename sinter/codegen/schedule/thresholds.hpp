#pragma once
// The thresholds that schedules, and the cuts of rows into pieces, are chosen by: a table for each target,
// which functions take by the target's facts. Here stand the meaning and the unit of each; thresholds.cpp has
// the values, and where each comes from. What hardware is like is in target/, and what the graph alone
// decides in graph/graph_limits.hpp.

#include <sinter/codegen/target/target.hpp>

#include <array>
#include <cstdint>
#include <span>

namespace sinter {

/// Extents of axis 0 from which the flat walk is not taken, on any target: its text counts positions along
/// that axis in 32 bits. A limit rather than a threshold.
inline constexpr std::int64_t largest_flat_row = std::int64_t{1} << 30;

/// The threads of a block and what each of them has, where no axis is reduced.
struct block_shape {
  std::int64_t threads_along;    ///< threads along axis 0
  std::int64_t threads_across;   ///< threads along axis 1
  std::int64_t rows_per_thread;  ///< rows along axis 1
  std::int64_t steps;            ///< loads in flight along axis 0
};

// ---- GPUs
// -----------------------------------------------------------------------------------------------------

/// Nests that reduce nothing.
struct gpu_pointwise_thresholds {
  /// The rows walk along one axis: element by element, and by vectors.
  block_shape one_axis_of_elements, one_axis_of_vectors;
  /// The rows walk over two axes: element by element, by vectors, and of stencils, whose threads load the
  /// windows of neighbouring rows.
  block_shape rows_of_elements, rows_of_vectors, rows_of_windows;
  /// Rows of a thread where its scattered loads serve all of them.
  std::int64_t rows_of_shared_loads;
  /// Elements of a stencil's loads: its result and its operand are rarely aligned to more.
  std::int64_t window_vector;
  /// Functions of many instructions each in a body whose arithmetic takes as long as memory, and the loads in
  /// flight of such a body. Of fewer memory alone counts, of more arithmetic.
  std::int64_t fewest_balanced_calls, most_balanced_calls, balanced_steps;

  /// Elements of axis 0 below which a row fills no block, so that rows are walked flat.
  std::int64_t short_row;
  /// The flat walk: threads of a block, and threads where caches serve every operand.
  std::int64_t flat_threads, flat_threads_of_reused;
  /// The flat walk where no operand comes from memory more than once: vectors in flight of a thread, and
  /// elements in all of them.
  std::int64_t flat_steps, flat_elements;
};

/// The tiled walk of transposed operands.
struct gpu_tile_thresholds {
  /// Elements of an axis below which a transposed operand is merely strided.
  std::int64_t shortest_axis;
  /// Bytes of a tile's side in the widest type.
  std::int64_t side_bytes;
  /// Elements of a tile's side: at least, and at most where it is loaded element by element or by vectors.
  std::int64_t least_side, most_side_of_elements, most_side_of_vectors;
  /// Threads of a block, at least; and rows of a thread, at most.
  std::int64_t threads, rows_per_thread;
};

/// All nests that reduce or scan.
struct gpu_reduction_thresholds {
  /// Threads of a block, at least, if there is work for so many.
  std::int64_t least_block;
  /// Steps of a loop over columns whose loads are on their way at the same time.
  std::int64_t loads_in_flight;
  /// Bytes of the sums that one thread forms: they take registers, or shared memory.
  std::int64_t most_sum_bytes;
  /// Bytes of shared memory, of those that a block has without asking, for staged rows or for what the warps
  /// of a column's block exchange; and bytes that are left for what blocks exchange beside resident rows.
  std::int64_t most_static_bytes, exchange_bytes;
};

/// Threads of a row up to a length.
struct row_threads {
  std::int64_t longest;  ///< elements of a row
  std::int64_t threads;
  std::int64_t loads;  ///< of 16 bytes of a thread, on their way at the same time
};

/// Rows that are reduced once, or that are too long to be resident.
struct gpu_row_thresholds {
  /// Ascending by length, the last of any length: where there are many rows, where there are few, or where
  /// rows are read again, and where positions of extremes are found.
  std::array<row_threads, 3> many_rows, few_rows, positions;
  /// Elements of a thread that are on their way at the same time.
  std::int64_t most_elements_loaded;
  /// Elements of a row below which its threads follow from its length alone; then a thread has so many
  /// elements, of several rows if one has fewer.
  std::int64_t short_row, elements_of_a_thread;
  std::int64_t most_rows_per_thread;
  /// Bytes of a row in registers, or on their way there, that each thread of the largest block may have.
  std::int64_t most_register_bytes;
  /// Elements of a row that is given to one cluster of blocks instead of being cut into pieces, where there
  /// are few such rows; and elements of such a block.
  std::int64_t shortest_clustered, longest_clustered, elements_of_a_block;
};

/// How the blocks look that hold a row longer than the registers of one.
struct long_row_block {
  std::int64_t threads, most_cluster;
  std::int64_t blocks;  ///< that lie on a multiprocessor at the same time
};

/// Rows that stay on the chip from one phase to the next.
struct gpu_resident_row_thresholds {
  /// Elements of a thread: as a rule, where nothing is stored for each element, and of half types.
  std::int64_t elements, elements_of_loads, halves;
  /// Elements of the longest row that one warp has.
  std::int64_t row_of_a_warp;
  /// Most threads of a row, as long as registers hold it so.
  std::int64_t most_threads;
  /// Threads of a row below which a block has several rows, and how many.
  std::int64_t whole_block, rows_of_a_small_block;
  /// Elements of a thread below which it has as many rows as a thread may have; and rows of a thread that
  /// has a single load of a row.
  std::int64_t few_elements, rows_of_one_load;
  /// Elements of the longest row that is one thread's alone.
  std::int64_t longest_row_of_a_thread;
  /// Elements from which the room for a row grows by halves of a power of two, and by quarters; below it
  /// doubles. Each size is a kernel.
  std::int64_t finest_halves, finest_quarters;
  /// Elements of a row that is staged; and elements of a thread, of several rows if they are short.
  std::int64_t shortest_staged, longest_staged, staged_elements;
  /// Rows longer than the registers of a block: in the order in which they are tried.
  std::array<long_row_block, 3> long_row_blocks;
  /// Rows too few to fill the device are shared by clusters: elements of each block at least, and blocks at
  /// most.
  std::int64_t shared_elements, most_sharing_blocks;
};

/// Reduced axes that lie across contiguous ones.
struct gpu_column_thresholds {
  /// Extents of axis 0 from which resident columns are walked as columns.
  std::int64_t narrowest;
  /// Threads of a block, at most; and at least, since rows fill a block better than fewer do.
  std::int64_t block, least_block;
  /// Threads along axis 0 of the narrowest strip that is not made narrower for its own sake.
  std::int64_t strip_threads;
  /// Elements of a thread along axis 0 where what is loaded serves all of them.
  std::int64_t lanes_of_arithmetic;
  /// Resident columns: threads of a block, and elements of a thread.
  std::int64_t most_resident_threads, resident_steps;
  /// Elements of the shortest piece of a column.
  std::int64_t shortest_piece;
};

/// Scans. Within a chunk threads wait for each other.
struct gpu_scan_thresholds {
  /// Elements of the longest row that one warp scans.
  std::int64_t row_of_a_warp;
  /// Loads of a thread in a chunk: of a warp, and of a block.
  std::int64_t steps_in_a_warp, steps_in_a_block;
  /// Elements of a thread in a block's row.
  std::int64_t elements_of_a_thread;
  /// Threads of a block, where there are enough rows.
  std::int64_t block;
  /// Threads of each multiprocessor with which a device is busy enough that rows stay whole: pieces of a scan
  /// read elements twice.
  std::int64_t threads_to_fill;
  /// Bytes of shared memory in which the threads of a strip exchange what they have.
  std::int64_t most_shared_bytes;
};

/// Shape-generic kernels, whose blocks serve long rows and short ones.
struct gpu_shape_generic_thresholds {
  std::int64_t one_axis_threads;               ///< of a block
  std::int64_t threads_along, threads_across;  ///< of a block over two axes
  std::int64_t row_threads;                    ///< of a row that is reduced
  /// Loads of a thread on their way at the same time, and accesses of a body from which it is one.
  std::int64_t loads_in_flight, most_accesses_in_flight;
};

/// Few long rows that are cut into pieces.
struct gpu_piece_thresholds {
  /// Blocks of each multiprocessor that pieces are made for; more where each still has so many chunks.
  std::int64_t enough_blocks, most_blocks, chunks_of_many;
  /// Elements of the shortest piece of a row where the device would be idle otherwise.
  std::int64_t shortest_row_piece;
  /// Elements of the longest row that stays whole whatever the device does.
  std::int64_t longest_whole_row;
  /// Elements of a piece of a row over several axes: a block has whole inner axes.
  std::int64_t piece_of_several_axes;
  /// Elements of a piece whose deviations are taken from its own mean.
  std::int64_t shortest_deviation_piece, longest_deviation_piece;
  /// Columns that a block totals side by side, of a scan's pieces.
  std::int64_t widest_strip;
  /// Elements that the length of a piece is a multiple of.
  std::int64_t multiple;
};

/// What the second-level cache gives up first.
struct gpu_eviction_thresholds {
  /// Bytes that a kernel moves, in sizes of the cache, from which it says so.
  std::int64_t least_traffic;
  /// Bytes read for each byte written from which what is read may go first.
  std::int64_t reads_of_a_write;
};

/// What gives every multiprocessor work.
struct gpu_fill_thresholds {
  /// Blocks of each multiprocessor, and threads of each of them.
  std::int64_t blocks, threads_of_a_block;
  /// Elements of each multiprocessor below which a nest is not spread over more blocks and launches.
  std::int64_t least_work;
  /// Work of a nest over what pieces left, in such elements of the device, below which it may leave some of
  /// the device idle.
  std::int64_t combined_work;
};

/// The table of one model of GPU.
struct gpu_thresholds {
  gpu_pointwise_thresholds pointwise;
  gpu_tile_thresholds tiles;
  gpu_reduction_thresholds reductions;
  gpu_row_thresholds rows;
  gpu_resident_row_thresholds resident_rows;
  gpu_column_thresholds columns;
  gpu_scan_thresholds scans;
  gpu_shape_generic_thresholds shape_generic;
  gpu_piece_thresholds pieces;
  gpu_eviction_thresholds eviction;
  gpu_fill_thresholds fill;
};

// ---- CPUs
// -----------------------------------------------------------------------------------------------------

/// The table of a CPU. Sizes that the text has are in target/cpu_piece.hpp.
struct cpu_thresholds {
  /// Elements of axis 0 below which rows are walked flat.
  std::int64_t short_row;
  /// Elements of axis 0 and rows of axis 1 that a schedule of the rows walk tells. They decide nothing else.
  std::int64_t row_elements, rows;

  /// Elements of an axis below which a transposed operand is merely strided.
  std::int64_t shortest_tiled_axis;
  /// Elements of a tile's side, as chosen and at most: a tile of each transposed operand lies on the stack.
  std::int64_t tile, most_tile;

  /// Neighbouring elements that a reduction has sums of its own for, in rows and in columns.
  std::int64_t row_lanes, column_lanes;
  /// Extents of axis 0 from which columns are walked as columns.
  std::int64_t narrowest_column;

  /// Tasks of a launch below which rows, or strips of columns, are cut into pieces: with fewer, some threads
  /// have nothing to do.
  std::int64_t fewest_tasks;
  /// Elements of a row that is still in the caches when it is read again.
  std::int64_t cached_row;
  /// Elements of the longest column that stays whole whatever the threads do.
  std::int64_t longest_whole_column;
  /// Pieces of a column, at most; and elements of a piece, at least.
  std::int64_t most_column_pieces, shortest_column_piece;
  /// Elements that the length of a piece of a row is a multiple of.
  std::int64_t piece_multiple;
};

// ---- by target
// ------------------------------------------------------------------------------------------------

/// The table of a GPU: by its architecture, of the nearest model before it that was measured. Other targets
/// have none. Safe from any thread, as is the next one.
const gpu_thresholds& gpu_thresholds_of(const target_facts& target);
/// The table of a CPU.
const cpu_thresholds& cpu_thresholds_of(const target_facts& target);

/// Extents at which what is chosen, or what the text depends on, may change, on any target: classes of sizes
/// begin there, ascending. Every threshold of an extent in the pass is one of these.
std::span<const std::int64_t> extent_thresholds();
/// Extents below this one are classes of their own, where a graph slices or reduces: neighbours across rows
/// are then as near as those along them, and their distance is in the text (find_windows() in normalise.cpp).
inline constexpr std::int64_t first_joint_class = 32;

}  // namespace sinter
