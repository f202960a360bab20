#include <sinter/codegen/base/integers.hpp>
#include <sinter/codegen/nest/phase_plan.hpp>
#include <sinter/codegen/nest/reduction_phases.hpp>
#include <sinter/codegen/schedule/choose_rows.hpp>
#include <sinter/codegen/schedule/choose_scan.hpp>
#include <sinter/codegen/schedule/reduction_facts.hpp>
#include <sinter/codegen/schedule/tiling.hpp>

#include <algorithm>
#include <bit>
#include <limits>

namespace sinter {
namespace {

// Measured on an H200 with sums of squares of float32 rows, and with positions of the largest, whose loads
// wait for longer chains of comparisons; pieces of few rows are long, and evened out by more loads.
struct row_threads {
  std::int64_t longest;  ///< elements of a row
  std::uint16_t threads;
  std::int64_t loads;  ///< of 16 bytes of a thread, on their way at the same time
};
constexpr std::int64_t load_bytes = 16, most_elements_loaded = 64;
constexpr std::int64_t any_length = std::numeric_limits<std::int64_t>::max();
constexpr row_threads many_rows[] = {{1024, 64, 4}, {8192, 256, 2}, {any_length, 512, 2}};
constexpr row_threads few_rows[] = {{4096, 64, 4}, {16384, 128, 4}, {any_length, 256, 4}};
constexpr row_threads positions[] = {{4096, 64, 8}, {16384, 128, 8}, {any_length, 256, 8}};
constexpr std::int64_t short_row = 512;           ///< elements
constexpr std::int64_t elements_of_a_thread = 8;  ///< of short rows: several rows where one has fewer
constexpr std::int64_t most_rows_per_thread = 4;
// Kept rows: eight elements a thread; more where halves are half the registers or nothing is stored for each
// element.
constexpr std::int64_t kept_elements = 8, kept_elements_of_loads = 16, kept_halves = 32;
constexpr std::int64_t row_of_a_warp = 256;
constexpr std::int64_t whole_block = 128;
constexpr std::int64_t most_register_bytes = 128;  ///< kept by one of 1,024 threads
constexpr std::int64_t most_row_threads = 512;     ///< of rows that fewer than 1,024 threads' registers hold
constexpr std::int64_t shortest_shared_row = 4;    ///< shorter ones are a thread's alone
constexpr std::int64_t shortest_staged_row = 3, longest_staged_row = 32;
constexpr std::int64_t elements_of_staged_rows = 16;  ///< several of a thread, if they are short
constexpr std::int64_t most_staged_bytes = 40 * 1024;
// Rows that are longer than the registers of a block, in the order in which they are tried: while one of the
// blocks on a multiprocessor loads or stores, others evaluate. Measured on an H200 with softmax
// (bench/results/2026-11-22-nvidia-h200-schedules.md): four are 2% faster than two, two 4 to 10% faster than
// one.
struct long_row_block {
  std::int64_t threads, most_cluster, blocks;  ///< blocks of a multiprocessor
};
constexpr long_row_block long_row_blocks[] = {{256, 8, 4}, {512, 8, 2}, {most_threads, 16, 1}};
constexpr int least_architecture_of_copies = 80;  ///< cp.async fills shared memory
// A few rows of a size that sixteen blocks read in about the time of a launch are one cluster each: a sum of
// 2^20 float32 takes 7.3 us so, one of 2^22 in two launches 7.6
// (bench/results/2026-11-22-nvidia-h200-reductions.md).
constexpr std::int64_t shortest_clustered = 1 << 12, longest_clustered = 1 << 19,
                       elements_of_a_block = 1 << 14;
// Kept rows that are too few to fill the device are shared by clusters whose blocks have as many elements.
constexpr std::int64_t shared_elements = 1 << 12, most_sharing_blocks = 8;

/// Elements that threads of a kept row have room for: a power of two, or half as much again; of long rows
/// quarters of one.
std::int64_t room_for(std::int64_t length) {
  constexpr std::int64_t finest_halves = 1024, finest_quarters = 1 << 16;
  const std::int64_t whole = power_above(length);
  if (whole < finest_halves) return whole;
  return round_up(length, whole >= finest_quarters ? whole / 8 : whole / 4);
}

/// Blocks that share each kept row where there are too few of them to have a multiprocessor each.
std::int64_t blocks_of_few_rows(const nest& bound, const target_facts& target) {
  if (has_scans(bound) || bound.split >= 0) return 1;
  const std::int64_t length = count_rows(bound, true), rows = count_rows(bound, false);
  const auto most = std::min<std::int64_t>(most_sharing_blocks, target.cluster_blocks);
  std::int64_t blocks = 1;
  while (2 * blocks <= most && rows * blocks < target.multiprocessors &&
         length / (2 * blocks) >= shared_elements)
    blocks *= 2;
  return blocks;
}

/// Puts a row that one block's registers do not hold into the registers and the shared memory of several.
bool choose_long_row(std::int64_t whole, std::int64_t vector, std::int64_t bytes, std::int64_t least_cluster,
                     const target_facts& target, schedule& chosen) {
  if (target.architecture < least_architecture_of_copies) return false;
  const std::int64_t in_registers = std::max<std::int64_t>(1, most_register_bytes / (vector * bytes));
  for (const long_row_block& block : long_row_blocks) {
    const std::int64_t step_bytes = block.threads * vector * bytes;
    const std::int64_t shared = target.shared_bytes_per_block / block.blocks - static_shared_bytes;
    const std::int64_t most_steps = in_registers + shared / step_bytes;
    const std::int64_t all_steps = divide_up(whole, block.threads * vector);
    const std::int64_t cluster = std::max(least_cluster, power_above(divide_up(all_steps, most_steps)));
    if (cluster > std::min<std::int64_t>(block.most_cluster, target.cluster_blocks)) continue;
    const std::int64_t steps = divide_up(all_steps, cluster);
    chosen.threads_along = narrow(block.threads);
    chosen.steps = narrow(std::min(steps, in_registers));
    chosen.shared_steps = narrow(steps - chosen.steps);
    chosen.cluster = narrow(cluster);
    return true;
  }
  return false;
}

/// Whether rows that vectors do not divide are worth moving through shared memory.
bool is_worth_staging(const nest& bound, std::int64_t vector) {
  const std::int64_t length = count_rows(bound, true);
  if (length < shortest_staged_row || length > longest_staged_row) return false;
  return std::ranges::none_of(bound.accesses, [&](const access& at) {
    return has_own_elements(bound, at) && vector * static_cast<std::int64_t>(size_of(at.type)) >= load_bytes;
  });
}

/// Staged rows are a thread's alone, several of short ones; the text has their length.
schedule staged_rows(std::int64_t length, schedule chosen) {
  chosen.vector = chosen.threads_along = 1;
  chosen.threads_across = narrow(smallest_block);
  chosen.steps = narrow(length);
  chosen.rows_per_thread = narrow(
      power_below(std::clamp<std::int64_t>(elements_of_staged_rows / length, 1, most_rows_per_thread)));
  chosen.scalar_loads = chosen.whole_rows = false;
  chosen.staged = true;
  return chosen;
}

}  // namespace

std::int64_t row_lanes(const nest& bound, const target_facts& target) {
  const unsigned axis = first_reduced_axis(bound);
  std::int64_t vector = lanes_along(bound, axis, target);
  const std::int64_t pieces = bound.split >= 0 ? bound.extents[static_cast<unsigned>(bound.split)] : 1;
  if (std::has_single_bit(bound.reduced) && count_rows(bound, false) == pieces) return vector;
  const std::int64_t length = !std::has_single_bit(bound.reduced) ? bound.extents[axis]
                              : bound.split >= 0                  ? bound.whole
                                                                  : count_rows(bound, true);
  while (length % vector != 0) vector /= 2;
  return vector;
}

bool can_be_staged(const nest& bound, std::int64_t rows) {
  // rows lie along axis 0; one alone has no kept axis, and no pointer of its own
  if (bound.reduced != 1 || bound.rank < 2 || bound.split >= 0 || has_scans(bound)) return false;
  std::int64_t bytes = 0;
  for (std::uint32_t i = 0; i < bound.accesses.size(); ++i) {
    const access& at = bound.accesses[i];
    if (!has_own_elements(bound, at)) continue;
    if (!is_linear(at, bound) || at.base != i) return false;
    bytes += static_cast<std::int64_t>(size_of(at.type)) * rows * count_rows(bound, true) + load_bytes;
  }
  return bytes <= most_staged_bytes;
}

bool choose_kept(const nest& bound, std::int64_t vector, const target_facts& target, schedule& chosen) {
  const std::int64_t cluster = blocks_of_few_rows(bound, target);
  const std::int64_t whole = divide_up(room_for(count_rows(bound, true)), cluster);  // of a block
  const std::int64_t bytes = std::max(1u, codegen::phase_plan(bound, true).bytes_kept());
  const std::int64_t elements = bytes < 4                    ? kept_halves
                                : stores_each_element(bound) ? kept_elements
                                                             : kept_elements_of_loads;
  std::int64_t threads = whole <= row_of_a_warp ? std::clamp<std::int64_t>(whole / vector, 1, warp)
                                                : std::clamp<std::int64_t>(whole / std::max(elements, vector),
                                                                           warp, most_row_threads);
  if (whole <= shortest_shared_row) threads = 1;
  // where lanes would lie past the end, threads of two steps each have less idle time
  if (whole <= row_of_a_warp && count_rows(bound, true) < whole && threads > 1) threads /= 2;
  if (threads > warp && threads % warp != 0) threads = power_below(threads);
  const std::int64_t in_registers = std::max<std::int64_t>(1, most_register_bytes / (vector * bytes));
  if (divide_up(whole, threads * vector) > in_registers) threads = most_threads;
  const std::int64_t steps = divide_up(whole, threads * vector);
  chosen.kept = true;
  if (steps > in_registers) return choose_long_row(whole * cluster, vector, bytes, cluster, target, chosen);
  chosen.cluster = narrow(cluster);
  chosen.threads_along = narrow(threads);
  chosen.threads_across = narrow(threads <= warp                         ? smallest_block / threads
                                 : threads < whole_block && cluster == 1 ? 2
                                                                         : 1);
  chosen.steps = narrow(steps);
  if (threads <= warp && bound.split < 0)
    chosen.rows_per_thread = narrow(vector * steps < 4          ? most_rows_per_thread
                                    : threads > 1 && steps == 1 ? 2
                                                                : 1);
  return true;
}

schedule choose_rows(const nest& bound, std::span<const array_layout> inputs,
                     std::span<const array_layout> outputs, const target_facts& target, unsigned attempt) {
  schedule chosen;
  chosen.order = walk::row_reduction;
  const bool again = loops_of(bound) > 1;
  const std::int64_t length = count_rows(bound, true), rows = count_rows(bound, false);
  const std::int64_t whole = power_above(length);
  const std::int64_t vector = std::min(row_lanes(bound, target), whole);
  chosen.vector = narrow(vector);
  chosen.scalar_loads =
      vector > 1 && !loads_whole_lanes(bound, first_reduced_axis(bound), vector, inputs, outputs);
  chosen.whole_rows = fills_vectors(bound, vector);
  if (again && is_needed_again(bound) && attempt == 0) {
    schedule kept = chosen;
    bool fits = choose_kept(bound, vector, target, kept);
    if (has_scans(bound)) {  // their turns are in the registers of one block, a row a thread
      fits = fits && kept.cluster == 1 && kept.shared_steps == 0;
      kept.rows_per_thread = 1;
    } else if (fits && is_worth_staging(bound, vector)) {
      const schedule staged = staged_rows(length, kept);
      if (can_be_staged(bound, staged.threads_across * staged.rows_per_thread)) return staged;
    }
    if (fits) return kept;
  }
  const std::span<const row_threads> table = finds_positions(bound) ? std::span<const row_threads>(positions)
                                             : again || bound.split >= 0 || rows < 2 * target.multiprocessors
                                                 ? std::span<const row_threads>(few_rows)
                                                 : std::span<const row_threads>(many_rows);
  const row_threads& of_length =
      *std::ranges::find_if(table, [&](const row_threads& row) { return length <= row.longest; });
  std::int64_t threads = length < short_row ? std::clamp<std::int64_t>(whole / elements_of_a_thread, 1, warp)
                                            : of_length.threads;
  // rows too long to keep are read again, from the cache at best
  if (again) threads = most_threads / (1 + attempt);
  const bool clusters = !again && bound.split < 0 && length >= shortest_clustered &&
                        rows * target.cluster_blocks <= target.multiprocessors && target.cluster_blocks > 1 &&
                        length <= longest_clustered;
  if (clusters) {
    threads = most_threads / (1 + attempt);
    chosen.cluster =
        narrow(std::clamp<std::int64_t>(power_above(length) / elements_of_a_block, 1, target.cluster_blocks));
  }
  threads = std::min(threads, std::max<std::int64_t>(1, whole / vector));
  const std::int64_t in_flight =
      std::min(of_length.loads * std::max<std::int64_t>(1, load_bytes / (vector * bytes_of_reads(bound))),
               most_elements_loaded / vector);
  // what is loaded at once takes half of the registers at most
  const std::int64_t fit = most_register_bytes * most_threads / (threads * vector * bytes_of_reads(bound));
  const std::int64_t most_steps = attempt == 0 ? std::max<std::int64_t>(1, std::min(in_flight, fit)) : 1;
  chosen.steps = narrow(std::clamp<std::int64_t>(whole / (threads * vector), 1, most_steps));
  chosen.threads_along = narrow(threads);
  chosen.threads_across = narrow(std::max<std::int64_t>(1, smallest_block / threads));
  if (length < short_row && bound.split < 0)
    chosen.rows_per_thread = narrow(
        std::clamp<std::int64_t>(elements_of_a_thread / (vector * chosen.steps), 1, most_rows_per_thread));
  return chosen;
}

}  // namespace sinter
