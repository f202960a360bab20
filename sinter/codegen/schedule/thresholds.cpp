#include <sinter/codegen/graph/graph_limits.hpp>
#include <sinter/codegen/schedule/thresholds.hpp>
#include <sinter/codegen/target/cpu_piece.hpp>
#include <sinter/codegen/target/cuda_limits.hpp>

#include <algorithm>
#include <limits>

namespace sinter::inline v0 {
namespace {

constexpr std::int64_t any_length = std::numeric_limits<std::int64_t>::max();

// Where values come from:
// - schedules, reductions and random kernels are bench/results/2026-11-22-nvidia-h200-schedules.md,
//   -reductions.md and -random-kernels.md, warp shapes -warp-shapes.md; the quoted headings are those of
//   their tables.
// - "Tuned" values were found with sinter_tune (bench/README.md) on that H200; their measurements are not
//   stored.
// - "Not measured on its own" are values that the workloads of bench/ run with, not compared with others.
constexpr gpu_thresholds h200{
    // Drawn kernels (2026-11-23-nvidia-h200-unrolled-weight.md).
    .max_unrolled_weight = 1024,
    .pointwise =
        {
            // Not measured on its own.
            .one_axis_of_elements =
                {.threads_along = 256, .threads_across = 1, .rows_per_thread = 1, .steps = 4},
            // Schedules, "gelu_bf16": 256 threads are 1.6% slower, two loads in flight 0.8%.
            .one_axis_of_vectors =
                {.threads_along = 128, .threads_across = 1, .rows_per_thread = 1, .steps = 1},
            // Tuned.
            .rows_of_elements = {.threads_along = 64, .threads_across = 1, .rows_per_thread = 4, .steps = 4},
            // A warp reads 512 bytes of a row. Tuned; schedules, "pairwise_distance", compares other block
            // shapes, with more rows per thread: 64 threads along are 0.4% slower, 128 2%.
            .rows_of_vectors = {.threads_along = 32, .threads_across = 4, .rows_per_thread = 4, .steps = 1},
            // Tuned. The windows of a thread's rows overlap: a thread loads each element once.
            .rows_of_windows = {.threads_along = 64, .threads_across = 2, .rows_per_thread = 8, .steps = 2},
            // 2026-11-25-nvidia-h100-short-axes.md, "Stencils in three dimensions": rows of 64 to 1,022
            // elements
            // take 0.76 of the flat order's time, of halves 0.51; those of 32 elements 0.95. Shorter ones
            // were
            // not measured.
            .rows_of_window_elements =
                {.threads_along = 32, .threads_across = 4, .rows_per_thread = 8, .steps = 1},
            .min_window_row_extent = 32,
            // Schedules, "pairwise_distance": 16 rows are 0.7% slower.
            .rows_of_shared_loads = 8,
            // A row of 32 float32 is that of eight threads. Four rows of a thread spill, because each has an
            // index that is checked. bench/results/2026-11-27-nvidia-h100-gathers.md
            .short_gathered_rows =
                {.threads_along = 8, .threads_across = 16, .rows_per_thread = 2, .steps = 1},
            .middle_gathered_rows =
                {.threads_along = 16, .threads_across = 8, .rows_per_thread = 2, .steps = 1},
            .long_gathered_rows =
                {.threads_along = 32, .threads_across = 4, .rows_per_thread = 2, .steps = 1},
            .min_gathered_row = 16,
            .min_middle_gathered_row = 64,
            // Not measured on its own.
            .window_vector = 2,
            // Tuned: a second vector is loaded while the first is computed.
            .min_balanced_calls = 5,
            .max_balanced_calls = 7,
            .balanced_steps = 2,
            // As many float32 as two warps load at once. Not measured on its own.
            .short_row = 256,
            // Tuned.
            .flat_threads = 128,
            .flat_threads_of_reused = 256,
            // Tuned.
            .flat_steps = 4,
            .flat_elements = 16,
        },
    .tiles =
        {
            // Not measured on its own.
            .min_axis_extent = 16,
            // Whole lines of 128 bytes for reads and writes. Tuned.
            .side_bytes = 256,
            .min_side = 16,
            // Blocks of at most 1,024 threads then have eight rows per thread.
            .max_side_of_elements = 64,
            .max_side_of_vectors = 128,
            // Eight rows are enough loads in flight, without spills. Tuned.
            .threads = 128,
            .rows_per_thread = 8,
        },
    .reductions =
        {
            // Schedules, "row_sum/16" to "row_sum_64": blocks of 256 and 512 threads are at most 1% apart.
            .min_block_threads = 128,
            // Tuned.
            .loads_in_flight = 4,
            // Not measured on its own.
            .max_sum_bytes = 64,
            // default_shared_bytes less exchange_bytes. Not measured on its own.
            .max_static_bytes = 40 * 1024,
            .exchange_bytes = 8 * 1024,
            // Derived from -random-reductions.md: loads that touch one line each reach 225 thousand million a
            // second, a copy 4.26 TB/s. Warp shapes run with it; other values are not compared.
            .bytes_of_a_lookup = 19,
        },
    .rows =
        {
            // Sums of squares of float32 rows, and positions of the largest, whose loads wait for longer
            // chains of comparisons. Pieces of few rows are long, so more loads balance them. Schedules,
            // "row_sum/1024" to "row_sum_8192"; few_rows and positions are tuned.
            .many_rows = {{{1024, 64, 4}, {8192, 256, 2}, {any_length, 512, 2}}},
            .few_rows = {{{4096, 64, 4}, {16384, 128, 4}, {any_length, 256, 4}}},
            .positions = {{{4096, 64, 8}, {16384, 128, 8}, {any_length, 256, 8}}},
            // An argmin with a companion and a log-sum-exp in one pass on an H100, over some 60 schedules
            // each:
            // combines wait for each other, so rows have twice the loads of sums, and pieces smaller blocks.
            .bodies = {{{1024, 64, 4}, {8192, 256, 4}, {any_length, 256, 4}}},
            .pieces_of_bodies = {{{4096, 64, 4}, {16384, 128, 4}, {any_length, 128, 4}}},
            // For float32, a quarter of the maximum registers of a thread. Not measured on its own.
            .max_elements_loaded = 64,
            // Schedules, "row_sum_64" and "row_sum/16" to "row_sum/512".
            .short_row = 512,
            .elements_of_a_thread = 8,
            .max_rows_per_thread = 4,
            // Derived: half of the 64 registers that each of 1,024 threads has.
            .max_register_bytes = 128,
            // Sixteen blocks read this much in about the time of a launch. Reductions, "Full sums", with a
            // limit of 2^20: a cluster sums that in 7.3 us, two launches sum 2^22 in 7.6 us. The length from
            // which two launches are used is not measured on its own.
            .min_clustered_extent = 1 << 12,
            .max_clustered_extent = 1 << 19,
            .elements_of_a_block = 1 << 14,
        },
    .resident_rows =
        {
            // Schedules, "softmax/512": four elements are 8% slower than eight. "layernorm_f16_4096" and
            // "rmsnorm_bf16_8192": half types take half the registers, and 16 elements are 6 to 14% slower
            // than 32. Data that a phase only loads takes no more registers than that: not measured on its
            // own.
            .elements = 8,
            .elements_of_loads = 16,
            .halves = 32,
            // Schedules, "softmax/512": one warp is 0.6% slower than two.
            .row_of_a_warp = 256,
            // Tuned.
            .max_threads = 512,
            .whole_block = 128,
            .rows_of_a_small_block = 2,
            // Not measured on its own.
            .few_elements = 4,
            // Schedules, "softmax/8" to "softmax/128": one row is up to 3% slower, four up to 1%.
            .rows_of_one_load = 2,
            // Not measured on its own.
            .max_thread_row_extent = 4,
            // Fewer idle lanes against more kernels, which reduction_classes_test.cpp counts. Not measured on
            // their own.
            .finest_halves = 1 << 10,
            .finest_quarters = 1 << 16,
            // Schedules, "softmax/3, later" to "softmax/45, later": staged rows up to 31 reach 0.90 to 0.99
            // of a copy, 45 and 101, which are not, 0.79 and 0.70.
            .min_staged_extent = 3,
            .max_staged_extent = 32,
            .staged_elements = 16,
            // While one block of a multiprocessor loads or stores, others compute. Schedules, "softmax_65536"
            // and "softmax/50000" to "softmax/1048576": four are 2% faster than two, two 4 to 10% faster than
            // one.
            .long_row_blocks = {{{256, 8, 4}, {512, 8, 2}, {max_block_threads, 16, 1}}},
            // 2026-11-26-nvidia-h100-pipelines.md, "Long rows without vectors".
            .single_elements = 28,
            // Not measured on their own; random kernels run with them.
            .shared_elements = 1 << 12,
            .max_sharing_blocks = 8,
        },
    .columns =
        {
            // Tuned.
            .narrowest = 8,
            // Tuned.
            .block = 256,
            .min_block_threads = 64,
            // 64 bytes of float32: two sectors. Tuned.
            .strip_threads = 16,
            // Schedules, "nearest_distance": eight elements are 1 to 3% slower.
            .lanes_of_arithmetic = 16,
            // Many threads along the reduced axis make their pieces long. Tuned.
            .max_resident_threads = 512,
            .resident_steps = 8,
            // Not measured on its own. NVRTC compiled a thread of about 10,000 operations and loads for
            // minutes.
            .max_resident_weight = 2048,
            // Not measured on its own; random kernels run with it.
            .min_piece_extent = 64,
            // bench/results/2026-11-28-nvidia-h200-products.md: 8 rows, and 16, take 1.25 to 1.55.
            .max_tile_rows = 4,
            .max_tile_bytes = 128,
            .min_tile_extent = 8,
        },
    .scans =
        {
            // A chunk has as much of a row as registers hold easily. Reductions, "Workloads": a cumulative
            // sum of rows then takes the time of a copy. Not measured on their own.
            .row_of_a_warp = 1024,
            .steps_in_a_warp = 8,
            .steps_in_a_block = 4,
            .elements_of_a_thread = 16,
            .block = 256,
            // Three quarters of the largest block. Not measured on its own.
            .threads_to_fill = 768,
            // Half of default_shared_bytes. Not measured on its own.
            .max_shared_bytes = 24 * 1024,
        },
    // bench/results/2026-11-28-nvidia-h200-sorts.md: half or twice the elements take up to 1.09 of the time.
    .sorts =
        {.min_elements = 8, .max_elements = 32, .max_wide_elements = 16, .max_threads = 512, .block = 128},
    .shape_generic =
        {
            // Not measured on their own: important sizes have specialised kernels.
            .one_axis_threads = 256,
            .threads_along = 32,
            .threads_across = 8,
            .row_threads = 256,
            .loads_in_flight = 4,
            .max_accesses_in_flight = 16,
        },
    .pieces =
        {
            // Reductions, "Full sums", run with them. Not measured on their own.
            .enough_blocks = 4,
            .max_blocks = 8,
            .chunks_of_many = 8,
            // As many elements as two warps load at once. 2026-11-29-nvidia-h200-model-regret.md, "Pieces".
            .min_row_piece_extent = 1 << 9,
            // A block processes this many in the time of a launch. Not measured on its own.
            .max_whole_row_extent = 256,
            // Long enough for a block to have whole inner axes. Not measured on its own; random kernels run
            // with it.
            .piece_of_several_axes = 1 << 11,
            // Not measured on their own; reductions, "normalize_full", runs with them.
            .min_deviation_piece_extent = 1 << 11,
            .max_deviation_piece_extent = 1 << 13,
            // Not measured on its own.
            .widest_strip = 32,
            // Whole vectors of every type, several of each. Not measured on its own.
            .multiple = 64,
        },
    .eviction =
        {
            // Schedules, "Kernels by hand": beside equally large writes, reads that are evicted last gain 3%
            // once arrays are many times the cache; kernels after them with 16 MiB in the cache then lose 5%
            // for a while. The factor itself is not measured.
            .min_traffic = 8,
            // The same table: reads that are evicted first gain 0.6% if next to nothing is written, and lose
            // 5% beside equally large writes. The quotient itself is not measured.
            .reads_of_a_write = 32,
        },
    .fill =
        {
            // Not measured on their own; random kernels run with them.
            .blocks = 2,
            .threads_of_a_block = 64,
            // On this device 2^19 elements in all. Reductions, "Full sums": a launch takes 3.3 us, and one or
            // two that process 2^20 elements take 7.3 us. Not measured on its own.
            .min_work = 1 << 12,
            // One multiprocessor reads about as many bytes from memory as it executes a quarter of this many
            // operations; its caches deliver an element of 4 bytes in the time of four.
            // 2026-11-26-nvidia-h100-pipelines.md, "Pipelines beside separate calls".
            .weight_of_element = 16,
            .weight_of_read = 4,
            // A load from memory takes 0.6 us and more, three launches 9 us.
            // 2026-11-26-nvidia-h100-pipelines.md, "Few columns".
            .waiting_chunks = 16,
            // Not measured on its own.
            .combined_work = 2,
            // A launch is a tenth of the time that memory takes for them. Not measured on its own.
            .separate_work = 16,
        },
    .updates =
        {
            // Seven blocks of a multiprocessor have such a copy. Not measured on its own.
            .copies = {.max_bytes = 1 << 15, .min_updates = 64},
            // Tuned on histograms of 256 bins.
            .threads = 256,
            .updates_of_block = 16,
            .blocks_of_multiprocessor = 32,
        },
};

// By the first architecture that uses a table, ascending. One model was measured: the others use its table,
// and differ only in their target_facts.
struct gpu_model {
  int first_architecture;
  const gpu_thresholds* table;
};
constexpr gpu_model gpu_models[] = {{0, &h200}};

// x86-64. None of these was measured on its own; "The CPU" in reductions, and
// bench/results/2026-11-22-amd-epyc.md, have workloads that run with them.
constexpr cpu_thresholds x86_64{
    .short_row = 64,
    .row_elements = 1 << 14,
    .rows = 32,
    .min_tiled_axis_extent = 16,
    // Two tiles of float32 fit a first-level cache of 32 KiB.
    .tile = 64,
    .max_tile = 128,
    // For float32, two registers of 64 bytes.
    .row_lanes = 32,
    // 2026-11-25-two-core-x86-64-short-rows.md, "How many lanes".
    .short_row_lanes = 8,
    // One cache line of the narrowest type, four of float32.
    .column_lanes = 64,
    .narrowest_column = 8,
    // With AVX-512, products of 512^3, 1000^3 and 1024^3 float32 on two cores of a Xeon: 8 rows of 2 vectors
    // are up to 1.6 times as fast as 4 rows of 4, and as fast as 6, or 12, of 2. The other tile is not
    // measured.
    .wide_registers = {.rows = 8, .vectors = 2},
    .registers = {.rows = 4, .vectors = 2},
    .wide_register_bytes = 64,
    // Not measured on its own.
    .min_register_tile_extent = 16,
    .max_register_tile_rows = 16,
    .max_unrolled_row_extent = 16,
    // As short_row_lanes.
    .widest_strip_element = 8,
    // 256 KiB of int64 on the stack; a launch has up to four tasks a thread.
    .copies = {.max_bytes = 1 << 18, .min_updates = 64},
    .min_tasks = 16,
    // 1 MiB of float32.
    .cached_row = 1 << 18,
    .max_whole_column_extent = 256,
    // Sums of this many are chains of 16 and a tree.
    .max_column_pieces = 64,
    // More rows at a power-of-two distance evict each other.
    .min_column_piece_extent = 128,
    .piece_multiple = 64,
    // A quarter of the operands is written and read again; with deviations three quarters would be.
    .min_piece_extent_across_lanes = 4,
    .min_piece_extent_again_across_lanes = 16,
};

// 0 and 1 have layouts of their own; 2 is the least of the others.
constexpr std::int64_t extents[] = {0,
                                    1,
                                    2,
                                    h200.tiles.min_axis_extent,
                                    h200.pointwise.min_window_row_extent,
                                    x86_64.short_row,
                                    nearest_row,
                                    h200.pointwise.short_row,
                                    min_wide_extent};
static_assert(std::is_sorted(std::begin(extents), std::end(extents)));
static_assert(x86_64.min_tiled_axis_extent == h200.tiles.min_axis_extent, "another class would begin there");
static_assert(h200.pointwise.min_gathered_row == h200.tiles.min_axis_extent,
              "another class would begin there");
static_assert(h200.pointwise.min_middle_gathered_row == x86_64.short_row, "another class would begin there");

}  // namespace

const gpu_thresholds& gpu_thresholds_of(const target_facts& target) {
  const gpu_model* found = gpu_models;
  for (const gpu_model& each : gpu_models)
    if (each.first_architecture <= target.architecture) found = &each;
  return *found->table;
}

const cpu_thresholds& cpu_thresholds_of(const target_facts& /*target*/) { return x86_64; }

std::span<const std::int64_t> extent_thresholds() { return extents; }

}  // namespace sinter::inline v0
