#include <sinter/codegen/arguments.hpp>
#include <sinter/codegen/choose_rows.hpp>
#include <sinter/codegen/choose_scan.hpp>
#include <sinter/codegen/integers.hpp>
#include <sinter/codegen/phase_plan.hpp>
#include <sinter/codegen/reduction.hpp>
#include <sinter/codegen/reduction_facts.hpp>

#include <algorithm>
#include <bit>

namespace sinter {
namespace {

// Measured on an H200 with sums of squares and softmax of float32 rows: two loads of a thread are in flight
// while rows are short, more where they are long.
struct row_threads {
  std::int64_t longest;  ///< elements of a row
  std::uint16_t threads;
};
constexpr row_threads threads_by_length[] = {{4096, 64}, {16384, 128}};
constexpr std::uint16_t threads_of_long_rows = 256;
constexpr std::int64_t short_row = 512;           ///< elements
constexpr std::int64_t elements_of_a_thread = 8;  ///< of short rows: several rows where one has fewer
constexpr std::int64_t most_rows_per_thread = 4;
// Kept rows: eight elements a thread; more where halves are half the registers or nothing is stored for each
// element; and two rows a block where that has few threads.
constexpr std::int64_t kept_elements = 8, kept_elements_of_loads = 16, kept_halves = 32;
constexpr std::int64_t row_of_a_warp = 256;
constexpr std::int64_t whole_block = 128, whole_block_of_weights = 512;
constexpr std::int64_t most_register_bytes = 128;  ///< kept by one of 1,024 threads
constexpr std::int64_t long_row_threads = 512, portable_cluster = 8;
constexpr std::int64_t shortest_shared_row = 4;  ///< shorter ones are a thread's alone
// A few rows of a size that sixteen blocks read in about the time of a launch are one cluster each.
constexpr std::int64_t shortest_clustered = 1 << 12, longest_clustered = 1 << 20,
                       elements_of_a_block = 1 << 14;

/// Elements that threads of a kept row have room for: a power of two, or half as much again.
std::int64_t room_for(std::int64_t length) {
  constexpr std::int64_t finest = 1024;
  const std::int64_t whole = power_above(length);
  return whole >= finest && length <= whole / 4 * 3 ? whole / 4 * 3 : whole;
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

bool choose_kept(const nest& bound, std::int64_t vector, const target_facts& target, schedule& chosen) {
  const std::int64_t whole = room_for(count_rows(bound, true));
  const std::int64_t bytes = std::max(1u, codegen::phase_plan(bound, true).bytes_kept());
  const bool halves = bytes < 4, weighs = reads_what_rows_share(bound);
  const std::int64_t elements = halves                       ? kept_halves
                                : stores_each_element(bound) ? kept_elements
                                                             : kept_elements_of_loads;
  std::int64_t threads = whole <= row_of_a_warp ? std::clamp<std::int64_t>(whole / vector, 1, warp)
                                                : std::clamp<std::int64_t>(whole / std::max(elements, vector),
                                                                           warp, long_row_threads);
  if (whole <= shortest_shared_row) threads = 1;
  if (threads > warp && threads % warp != 0) threads = power_below(threads);
  const std::int64_t in_registers = std::max<std::int64_t>(1, most_register_bytes / (vector * bytes));
  std::int64_t steps = divide_up(whole, threads * vector), shared_steps = 0, cluster = 1;
  if (steps > in_registers) {
    threads = most_threads;
    steps = divide_up(whole, threads * vector);
  }
  if (steps > in_registers) {
    const auto most_shared = static_cast<std::int64_t>(target.shared_bytes_per_block) - static_shared_bytes;
    const auto fits = [&](std::int64_t block) {
      threads = block;
      cluster = power_above(divide_up(whole, threads * vector * 2 * in_registers));
      steps = in_registers;
      shared_steps = divide_up(whole, threads * vector * cluster) - steps;
      return cluster <= target.cluster_blocks && shared_steps * threads * vector * bytes <= most_shared;
    };
    // half as many threads are two blocks to a multiprocessor: one loads or stores while the other evaluates;
    // but clusters of more blocks than are portable find fewer multiprocessors
    if ((!fits(long_row_threads) || cluster > portable_cluster) && !fits(most_threads)) return false;
  }
  const std::int64_t enough = halves || weighs ? whole_block_of_weights : whole_block;
  chosen.kept = true;
  chosen.threads_along = narrow(threads);
  chosen.threads_across = narrow(cluster > 1        ? 1
                                 : threads <= warp  ? smallest_block / threads
                                 : threads < enough ? 2
                                                    : 1);
  chosen.steps = narrow(steps);
  chosen.shared_steps = narrow(shared_steps);
  chosen.cluster = narrow(cluster);
  if (threads <= warp && bound.split < 0)
    chosen.rows_per_thread = narrow(vector * steps < 4          ? most_rows_per_thread
                                    : threads > 1 && steps <= 2 ? 2
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
    }
    if (fits) return kept;
  }
  std::int64_t threads = threads_of_long_rows;
  if (length < short_row)
    threads = std::clamp<std::int64_t>(whole / elements_of_a_thread, 1, warp);
  else
    for (const row_threads& row : threads_by_length)
      if (length <= row.longest) {
        threads = row.threads;
        break;
      }
  // rows too long to keep are read again, from the cache at best
  if (again) threads = most_threads / (1 + attempt);
  const bool clusters = !again && bound.split < 0 && length >= shortest_clustered &&
                        rows * target.cluster_blocks <= target.multiprocessors && target.cluster_blocks > 1 &&
                        (finds_positions(bound) || length <= longest_clustered);
  if (clusters) {
    threads = most_threads / (1 + attempt);
    chosen.cluster =
        narrow(std::clamp<std::int64_t>(power_above(length) / elements_of_a_block, 1, target.cluster_blocks));
  }
  threads = std::min(threads, std::max<std::int64_t>(1, whole / vector));
  const std::int64_t in_flight = (finds_positions(bound) ? 2 * loads_in_flight : loads_in_flight) *
                                 std::max<std::int64_t>(1, 4 / vector);
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
