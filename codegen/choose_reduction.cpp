#include <sinter/codegen/arguments.hpp>
#include <sinter/codegen/choose_reduction.hpp>
#include <sinter/codegen/choose_scan.hpp>
#include <sinter/codegen/integers.hpp>
#include <sinter/codegen/normalise.hpp>
#include <sinter/codegen/phase_plan.hpp>
#include <sinter/codegen/reduction.hpp>
#include <sinter/codegen/split_rows.hpp>
#include <sinter/codegen/split_scans.hpp>

#include <algorithm>
#include <bit>

namespace sinter {
namespace {

// Thresholds of the row walk, measured on an H200 with sums of squares and softmax of float32 rows: two loads
// of a thread are in flight while rows are short, more where they are long.
struct row_threads {
  std::int64_t longest;  ///< elements of a row
  std::uint16_t threads;
};
constexpr row_threads threads_by_length[] = {{4096, 64}, {16384, 128}};
constexpr std::uint16_t threads_of_long_rows = 256;
constexpr std::int64_t short_row = 512;           ///< elements
constexpr std::int64_t elements_of_a_thread = 8;  ///< of short rows: several rows where one has fewer
constexpr std::int64_t most_rows_per_thread = 4;
// Kept rows: eight elements a thread; more where halves are half the registers, nothing is stored for each
// element, or rows share weights; and two rows a block where that has few threads.
constexpr std::int64_t kept_elements = 8, kept_elements_of_loads = 16, kept_halves = 32;
constexpr std::int64_t row_of_a_warp = 256;
constexpr std::int64_t whole_block = 128, whole_block_of_weights = 512;
constexpr std::int64_t most_register_bytes = 128;  ///< kept by one of 1,024 threads
constexpr std::int64_t long_row_threads = 512, portable_cluster = 8;
constexpr std::int64_t shortest_shared_row = 4;  ///< shorter ones are a thread's alone
// A few rows of a size that sixteen blocks read in about the time of a launch are one cluster each.
constexpr std::int64_t shortest_clustered = 1 << 12, longest_clustered = 1 << 20,
                       elements_of_a_block = 1 << 14;
constexpr std::int64_t static_shared_bytes = 8192;  ///< left for what blocks exchange
constexpr std::int64_t most_threads = 1024;
constexpr std::int64_t warp = 32;
constexpr std::int64_t smallest_block = 128;
constexpr std::int64_t column_block = 256;
// Blocks a multiprocessor that pieces of rows are made for; more where each still has many turns.
constexpr std::int64_t enough_blocks = 4, most_blocks = 8, turns_of_many = 8;
constexpr std::int64_t lanes_of_arithmetic = 16;  ///< of columns whose elements are loaded for many lanes
constexpr std::int64_t loads_in_flight = 4;       ///< steps of a loop
constexpr std::int64_t most_sum_bytes =
    64;  ///< of a thread: sums of its lanes are registers, or shared memory
constexpr std::int64_t longest_row_of_a_block = 1 << 15;
constexpr std::int64_t narrowest_column =
    8;  ///< extents of axis 0 below it are columns only for one loop on CUDA
constexpr std::int64_t host_row_lanes = 32, host_column_lanes = 64;
constexpr std::int64_t host_piece_length = 1 << 15, fewest_host_rows = 16;
constexpr std::int64_t host_cached_row = 1 << 18;  // elements that are still near when they are read again
constexpr std::int64_t host_column_piece = 128;    // more rows of a power of two evict each other
constexpr std::int64_t shortest_deviation_piece = 1 << 11, longest_deviation_piece = 1 << 13;
// columns are kept by blocks of many threads along the reduced axis, so that pieces are long
constexpr std::int64_t most_kept_column_threads = 512, kept_column_steps = 8;

std::uint16_t narrow(std::int64_t value) { return static_cast<std::uint16_t>(value); }
unsigned first_reduced_axis(const nest& bound) {
  return static_cast<unsigned>(std::countr_zero(bound.reduced));
}

bool finds_positions(const nest& bound) {
  return std::any_of(bound.body.begin(), bound.body.end(),
                     [](const instruction& at) { return is_reduction(at.op) && finds_position(at.op); });
}

unsigned loops_of(const nest& bound) {
  std::uint64_t phases = 0;
  for (const instruction& at : bound.body)
    if (is_reduction(at.op)) phases |= std::uint64_t{1} << at.phase;
  for (const store& at : bound.stores)
    if (walks_reduced_axes(bound, bound.accesses[at.target]))
      phases |= std::uint64_t{1} << phase_of_store(bound, at);
  return static_cast<unsigned>(std::popcount(phases));
}

/// Bytes of the sums that one lane forms in the phase that forms most.
std::int64_t bytes_of_sums(const nest& bound) {
  std::int64_t most = 1;
  for (unsigned phase = 0; phase < bound.phases; ++phase) {
    std::size_t bytes = 0;
    for (const instruction& at : bound.body)
      if (is_reduction(at.op) && at.phase == phase)
        bytes += size_of(facts(at.compute).compute) + (finds_position(at.op) ? sizeof(std::int64_t) : 0);
    most = std::max(most, static_cast<std::int64_t>(bytes));
  }
  return most;
}

/// Neighbouring elements of a thread: as many as one load takes of what moves most bytes, of all that is
/// contiguous along the lanes' axis. Types and shapes alone decide, because sums depend on it: a row gives
/// the same bits wherever it lies.
std::int64_t lanes_along(const nest& bound, unsigned axis, const target_facts& target) {
  const access* heaviest = nullptr;
  for (const access& at : bound.accesses)
    if (at.what != access::kind::position && at.strides[axis] == 1 &&
        (heaviest == nullptr || bytes_of(bound, at) > bytes_of(bound, *heaviest)))
      heaviest = &at;
  if (heaviest == nullptr) return 1;
  const auto in_a_load = static_cast<std::int64_t>(target.vector_bytes / size_of(heaviest->type));
  return std::clamp<std::int64_t>(in_a_load, 1, power_below(most_sum_bytes / bytes_of_sums(bound)));
}

/// Whether those elements are one aligned load of every operand that is contiguous.
bool loads_whole_lanes(const nest& bound, unsigned axis, std::int64_t lanes,
                       std::span<const array_layout> inputs, std::span<const array_layout> outputs) {
  return std::all_of(bound.accesses.begin(), bound.accesses.end(), [&](const access& at) {
    if (at.what == access::kind::position || at.strides[axis] != 1) return true;
    const std::int64_t bytes = static_cast<std::int64_t>(size_of(at.type)) * lanes;
    if (alignment_of(at, inputs, outputs) < std::min<std::int64_t>(bytes, 16)) return false;
    for (unsigned other = 0; other < bound.rank; ++other)
      if (other != axis && at.strides[other] % lanes != 0) return false;
    return true;
  });
}

/// Whether rows are whole vectors, so that no lane of the row walk lies past the end.
bool fills_vectors(const nest& bound, std::int64_t vector) {
  if (vector == 1) return false;
  const std::int64_t length =
      std::has_single_bit(bound.reduced) ? count_rows(bound, true) : bound.extents[first_reduced_axis(bound)];
  return (bound.split >= 0 ? bound.whole : length) % vector == 0;
}

/// Narrow columns are rows where they are kept or vectorised along the reduced axis.
bool is_column_walk(const nest& bound, target_kind target) {
  if (bound.is_reduced(0) || bound.extents[0] < 2) return false;
  return bound.extents[0] >= narrowest_column || (target == target_kind::cuda && loops_of(bound) == 1);
}

/// Whether an element that one phase loads is needed by a later one.
bool is_needed_again(const nest& bound) { return codegen::phase_plan(bound, true).bytes_kept() > 0; }

bool stores_each_element(const nest& bound) {
  return std::any_of(bound.stores.begin(), bound.stores.end(),
                     [&](const store& at) { return stores_elements(bound, at); });
}

/// Whether each element of a row meets one that all rows share, as weights are.
bool reads_what_rows_share(const nest& bound) {
  return std::any_of(bound.accesses.begin(), bound.accesses.end(), [&](const access& at) {
    if (at.what != access::kind::read || !walks_reduced_axes(bound, at)) return false;
    for (unsigned axis = 0; axis < bound.rank; ++axis)
      if (!bound.is_reduced(axis) && at.strides[axis] != 0) return false;
    return std::popcount(bound.reduced) < static_cast<int>(bound.rank);
  });
}

/// Bytes that are loaded for each element of a row.
std::int64_t bytes_of_reads(const nest& bound) {
  std::size_t bytes = 0;
  for (const access& at : bound.accesses)
    if (at.what == access::kind::read && walks_reduced_axes(bound, at)) bytes += size_of(at.type);
  return static_cast<std::int64_t>(std::max<std::size_t>(1, bytes));
}

/// Elements that threads of a kept row have room for: a power of two, or half as much again.
std::int64_t room_for(std::int64_t length) {
  constexpr std::int64_t finest = 1024;
  const std::int64_t whole = power_above(length);
  return whole >= finest && length <= whole / 4 * 3 ? whole / 4 * 3 : whole;
}

/// Neighbouring elements of a thread in the row walk. Rows that are no multiple of it begin at any element,
/// and are then better loaded element by element.
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

/// How a kept row lies in the threads, registers and shared memory of a block, or of a cluster of blocks;
/// false if it does not fit.
bool choose_kept(const nest& bound, std::int64_t vector, const target_facts& target, schedule& chosen) {
  const std::int64_t whole = room_for(count_rows(bound, true));
  const std::int64_t bytes = std::max(1u, codegen::phase_plan(bound, true).bytes_kept());
  const bool halves = bytes < 4, weighs = reads_what_rows_share(bound);
  const bool few_stores = weighs || !stores_each_element(bound);
  const std::int64_t elements = halves ? kept_halves : few_stores ? kept_elements_of_loads : kept_elements;
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
    threads = most_threads;
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

/// Whether what a column nest loads for each element serves all lanes: it is bound by arithmetic then.
bool loads_for_all_lanes(const nest& bound) {
  bool any = false;
  for (const access& at : bound.accesses) {
    if (at.what != access::kind::read || !walks_reduced_axes(bound, at)) continue;
    if (at.strides[0] != 0) return false;
    any = true;
  }
  return any;
}

std::int64_t column_lanes(const nest& bound, const target_facts& target) {
  const std::int64_t lanes =
      loads_for_all_lanes(bound)
          ? std::min(lanes_of_arithmetic, power_below(most_sum_bytes / bytes_of_sums(bound)))
          : lanes_along(bound, 0, target);
  return std::min(lanes, power_above(bound.extents[0]));
}

std::int64_t column_threads_along(const nest& bound, const target_facts& target) {
  const std::int64_t vector = column_lanes(bound, target);
  return std::min<std::int64_t>(16, power_above(divide_up(bound.extents[0], vector)));
}

std::int64_t longest_kept_column(const nest& bound, const target_facts& target) {
  return most_kept_column_threads / column_threads_along(bound, target) * kept_column_steps;
}

schedule choose_columns(const nest& bound, std::span<const array_layout> inputs,
                        std::span<const array_layout> outputs, const target_facts& target, unsigned attempt) {
  schedule chosen;
  chosen.order = walk::column_reduction;
  const std::int64_t vector = column_lanes(bound, target), length = count_rows(bound, true);
  const std::int64_t kept_along = column_threads_along(bound, target);
  const std::int64_t most_across = most_kept_column_threads / kept_along;
  if (attempt == 0 && !has_scans(bound) && loops_of(bound) > 1 && length <= most_across * kept_column_steps &&
      is_needed_again(bound)) {
    const std::int64_t across =
        std::clamp<std::int64_t>(power_above(divide_up(length, kept_column_steps)),
                                 std::max<std::int64_t>(1, smallest_block / kept_along), most_across);
    chosen.kept = true;
    chosen.vector = narrow(vector);
    chosen.scalar_loads = vector > 1 && !loads_whole_lanes(bound, 0, vector, inputs, outputs);
    chosen.threads_along = narrow(kept_along);
    chosen.threads_across = narrow(across);
    chosen.steps = narrow(std::max<std::int64_t>(1, power_above(length) / across));
    return chosen;
  }
  const std::int64_t widest = power_above(divide_up(bound.extents[0], vector));
  std::int64_t along = std::min<std::int64_t>(32, widest);
  const std::int64_t across =
      std::min(column_block / along, power_above(divide_up(length, loads_in_flight)));
  if (along * across < smallest_block) along = std::min(smallest_block / across, widest);
  chosen.vector = narrow(vector);
  chosen.scalar_loads = vector > 1 && !loads_whole_lanes(bound, 0, vector, inputs, outputs);
  chosen.steps =
      narrow(attempt == 0 ? std::clamp<std::int64_t>(power_above(length) / across, 1, loads_in_flight) : 1);
  chosen.threads_along = narrow(along);
  chosen.threads_across = narrow(across);
  return chosen;
}

schedule choose_on_host(const nest& bound, const target_facts& target) {
  schedule chosen;
  chosen.order = is_column_walk(bound, target.kind) ? walk::column_reduction : walk::row_reduction;
  chosen.vector = narrow(chosen.order == walk::column_reduction ? host_column_lanes : host_row_lanes);
  chosen.threads_along = 1;
  return chosen;
}

}  // namespace

schedule choose_reduction(const nest& bound, std::span<const array_layout> inputs,
                          std::span<const array_layout> outputs, const target_facts& target,
                          unsigned attempt) {
  if (target.kind == target_kind::host) return choose_on_host(bound, target);
  schedule chosen = is_column_walk(bound, target.kind)
                        ? choose_columns(bound, inputs, outputs, target, attempt)
                        : choose_rows(bound, inputs, outputs, target, attempt);
  if (has_scans(bound)) adapt_to_scans(bound, target, attempt, chosen);
  return chosen;
}

const char* fault_of_reduction(const schedule& forced, const nest& bound,
                               std::span<const array_layout> inputs, std::span<const array_layout> outputs,
                               const target_facts& target) {
  if (target.kind == target_kind::host) return "on the CPU reductions have one schedule";
  const bool columns = forced.order == walk::column_reduction;
  const std::int64_t threads = std::int64_t{forced.threads_along} * forced.threads_across;
  if (columns && bound.is_reduced(0)) return "axis 0 is reduced: take the row walk";
  if (threads > most_threads || threads % 32 != 0) return "a block has whole warps, and at most 1024 threads";
  if (!std::has_single_bit(forced.vector) ||
      (!std::has_single_bit(forced.threads_along) && (columns || forced.threads_along % warp != 0)))
    return "vector must be a power of two; threads_along too, or in the row walk whole warps";
  const bool one_row = columns || bound.split >= 0 || forced.cluster > 1 || forced.shared_steps > 0;
  if (forced.rows_per_thread != 1 && one_row)
    return "several rows a thread need the row walk, registers alone and rows that are not split";
  if (has_scans(bound) && (forced.rows_per_thread != 1 || forced.cluster != 1 || forced.shared_steps != 0))
    return "a scan has one row a thread in the registers of one block: say rows_per_thread=1 cluster=1 "
           "shared_steps=0";
  if (!std::has_single_bit(forced.cluster) || forced.cluster > target.cluster_blocks)
    return "a cluster is a power of two of blocks, and no more than the device has";
  if (forced.cluster > 1 && (columns || forced.threads_across != 1))
    return "a cluster shares one row: say threads_across=1, and take the row walk";
  if (forced.shared_steps > 0 && !forced.kept) return "only kept rows lie in shared memory: say kept=1";
  const unsigned axis = columns ? 0 : first_reduced_axis(bound);
  if (forced.vector > 1 && !forced.scalar_loads &&
      !loads_whole_lanes(bound, axis, forced.vector, inputs, outputs))
    return "an operand is not aligned for that vector: use a smaller one, or scalar_loads=1";
  const std::int64_t held = columns ? std::int64_t{forced.threads_across} * forced.steps
                                    : std::int64_t{forced.cluster} * forced.threads_along * forced.vector *
                                          (forced.steps + forced.shared_steps);
  if (columns && forced.shared_steps > 0) return "columns are kept in registers: say shared_steps=0";
  if (forced.kept && held < count_rows(bound, true))
    return "a kept row needs cluster * threads_along * vector * (steps + shared_steps) elements at least, "
           "columns threads_across * steps";
  if (shared_bytes_of(bound, forced) + static_shared_bytes > target.shared_bytes_per_block)
    return "a block has not that much shared memory: use fewer shared_steps";
  if (forced.whole_rows && (columns || !fills_vectors(bound, forced.vector)))
    return "whole_rows needs rows that are a multiple of the vector, and the row walk";
  return nullptr;
}

std::uint32_t shared_bytes_of(const nest& bound, const schedule& chosen) {
  if (chosen.shared_steps == 0) return 0;
  return codegen::phase_plan(bound, chosen.kept).bytes_kept() * chosen.vector * chosen.threads_along *
         chosen.threads_across * chosen.shared_steps;
}

bool has_too_few_rows(const nest& bound, const target_facts& target) {
  if (has_scans(bound) ? has_separate_scans(bound) : loops_of(bound) < 2) return false;
  const std::int64_t rows = count_rows(bound, false), length = count_rows(bound, true);
  if (target.kind == target_kind::host) return rows < fewest_host_rows && length > host_piece_length;
  if (length <= longest_row_of_a_block) return false;
  schedule kept;
  const bool fits = !is_column_walk(bound, target.kind) && !has_scans(bound) &&
                    choose_kept(bound, row_lanes(bound, target), target, kept);
  return fits ? 2 * rows * kept.cluster < target.multiprocessors : rows < 2 * target.multiprocessors;
}

namespace {

/// Whether a row fits the chip, so that it is read once however many phases need it; on the CPU whether it is
/// still in the cache.
bool fits_the_chip(const nest& bound, const target_facts& target) {
  const std::int64_t length = count_rows(bound, true);
  if (target.kind == target_kind::host)
    return length <= (is_column_walk(bound, target.kind)            ? host_column_piece
                      : count_rows(bound, false) < fewest_host_rows ? host_piece_length
                                                                    : host_cached_row);
  if (is_column_walk(bound, target.kind)) return length <= longest_kept_column(bound, target);
  schedule kept;
  return choose_kept(bound, std::min(power_above(length), row_lanes(bound, target)), target, kept);
}

}  // namespace

std::int64_t deviation_pieces(const nest& bound, const target_facts& target) {
  if (bound.reduced == 0 || has_scans(bound) || !splits_deviations(bound)) return 0;
  const std::int64_t all = count_rows(bound, false) * count_rows(bound, true);
  if (all == 0 || (fits_the_chip(bound, target) && !has_too_few_rows(bound, target))) return 0;
  if (target.kind == target_kind::host)
    return is_column_walk(bound, target.kind) ? host_column_piece : host_piece_length;
  if (is_column_walk(bound, target.kind)) return longest_kept_column(bound, target);
  return std::clamp<std::int64_t>(power_below(all / (4 * target.multiprocessors)), shortest_deviation_piece,
                                  longest_deviation_piece);
}

bool is_better_ahead(const nest& bound, const target_facts& target) {
  if (deviation_pieces(bound, target) > 0) return false;
  return has_too_few_rows(bound, target) ||
         (has_deviations(bound) && std::has_single_bit(bound.reduced) && !fits_the_chip(bound, target));
}

bool reads_once(const nest& bound, const target_facts& target) {
  if (has_scans(bound) && has_too_few_rows(bound, target)) return false;
  return loops_of(bound) < 2 || deviation_pieces(bound, target) > 0 ||
         (std::has_single_bit(bound.reduced) && !has_too_few_rows(bound, target) &&
          fits_the_chip(bound, target));
}

std::int64_t pieces_of_rows(const nest& bound, const schedule& chosen, const target_facts& target) {
  const std::int64_t length = count_rows(bound, true), rows = count_rows(bound, false);
  if (finds_positions(bound) || rows == 0 || !std::has_single_bit(bound.reduced) || loops_of(bound) != 1 ||
      bound.split >= 0)
    return 1;
  if (has_scans(bound) && !has_separate_scans(bound)) return 1;
  for (const store& at : bound.stores)
    if (!has_scans(bound) && walks_reduced_axes(bound, bound.accesses[at.target])) return 1;
  if (target.kind == target_kind::host)
    return rows >= fewest_host_rows || is_column_walk(bound, target.kind)
               ? 1
               : std::max<std::int64_t>(1, length / host_piece_length);
  if (chosen.cluster > 1 || chosen.threads_along == most_threads) return 1;
  const std::int64_t blocks = count_tiles(bound, chosen, tile_of(bound, chosen, target.kind));
  if (blocks >= 2 * target.multiprocessors || (has_scans(bound) && fills_device(chosen, blocks, target)))
    return 1;
  const std::int64_t in_a_turn = chosen.order == walk::column_reduction
                                     ? chosen.threads_across * chosen.steps
                                     : chosen.threads_along * chosen.vector * chosen.steps;
  const auto pieces_for = [&](std::int64_t blocks_of_multiprocessor) {
    return std::max<std::int64_t>(1, blocks_of_multiprocessor * target.multiprocessors / blocks);
  };
  const std::int64_t many = pieces_for(most_blocks);
  if (chosen.order == walk::row_reduction && length / many >= turns_of_many * in_a_turn) return many;
  return std::min(pieces_for(enough_blocks), std::max<std::int64_t>(1, length / (2 * in_a_turn)));
}

std::int64_t piece_length(const nest& bound, std::int64_t pieces) {
  constexpr std::int64_t whole_vectors = 64;
  return round_up(divide_up(count_rows(bound, true), pieces), whole_vectors);
}

}  // namespace sinter
