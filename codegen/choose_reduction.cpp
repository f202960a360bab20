#include <sinter/codegen/arguments.hpp>
#include <sinter/codegen/choose_reduction.hpp>
#include <sinter/codegen/normalise.hpp>
#include <sinter/codegen/phase_plan.hpp>
#include <sinter/codegen/reduction.hpp>
#include <sinter/codegen/split_rows.hpp>

#include <algorithm>
#include <bit>

namespace sinter {
namespace {

// Thresholds: rows of the row walk as nvFuser's and CUB's heuristics have them, elements in registers so that
// 64 of them hold a thread's share.
struct row_threads {
  std::int64_t longest;  ///< elements of a row
  std::uint16_t threads;
};
constexpr row_threads threads_by_length[] = {{64, 8}, {128, 16}, {3072, 32}, {6144, 64}, {16384, 128}};
constexpr std::uint16_t threads_of_long_rows = 256;
// Kept rows, measured on an H200: two loads a thread, four of half types (softmax and layer norm of 4,096
// elements), and two rows a block where that has less than 512 threads.
constexpr std::int64_t kept_loads = 2, kept_loads_of_halves = 4;
constexpr std::int64_t halves_in_a_load = 8;
constexpr std::int64_t whole_block = 512;
constexpr std::int64_t row_of_a_warp = 1024;
constexpr std::int64_t most_register_bytes = 128;   ///< kept by one of 1,024 threads
constexpr std::int64_t static_shared_bytes = 8192;  ///< left for what blocks exchange
constexpr std::int64_t most_threads = 1024;
constexpr std::int64_t warp = 32;
constexpr std::int64_t smallest_block = 128;
constexpr std::int64_t column_block = 256;
constexpr std::int64_t loads_in_flight = 4;  ///< steps of a loop
constexpr std::int64_t most_sum_bytes =
    64;  ///< of a thread: sums of its lanes are registers, or shared memory
constexpr std::int64_t longest_row_of_a_block = 1 << 15;
constexpr std::int64_t narrowest_column = 8;  ///< extents of axis 0 below it are columns only for one loop on CUDA
constexpr std::int64_t host_row_lanes = 32, host_column_lanes = 64;
constexpr std::int64_t host_piece_length = 1 << 15, fewest_host_rows = 16;
constexpr std::int64_t host_cached_row = 1 << 18;  // elements that are still near when they are read again
constexpr std::int64_t host_column_piece = 128;    // more rows of a power of two evict each other
constexpr std::int64_t shortest_deviation_piece = 1 << 11, longest_deviation_piece = 1 << 13;
// columns are kept by blocks of many threads along the reduced axis, so that pieces are long
constexpr std::int64_t most_kept_column_threads = 512, kept_column_steps = 8;

std::uint16_t narrow(std::int64_t value) { return static_cast<std::uint16_t>(value); }
std::int64_t power_above(std::int64_t value) {
  return static_cast<std::int64_t>(
      std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(1, value))));
}

std::int64_t power_below(std::int64_t value) {
  return static_cast<std::int64_t>(
      std::bit_floor(static_cast<std::uint64_t>(std::max<std::int64_t>(1, value))));
}

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
  if (bound.is_reduced(0)) return false;
  return bound.extents[0] >= narrowest_column || (target == target_kind::cuda && loops_of(bound) == 1);
}

/// Whether an element that one phase loads is needed by a later one.
bool is_needed_again(const nest& bound) { return codegen::phase_plan(bound, true).bytes_kept() > 0; }

/// How a kept row of up to `whole` elements lies in the threads, registers and shared memory of a block, or
/// of a cluster of blocks; false if it does not fit. Registers of two blocks are better than shared memory of
/// one.
bool choose_kept(const nest& bound, std::int64_t whole, std::int64_t vector, const target_facts& target,
                 schedule& chosen) {
  const std::int64_t bytes = std::max(1u, codegen::phase_plan(bound, true).bytes_kept());
  const std::int64_t most = whole <= row_of_a_warp ? warp : most_threads;
  const std::int64_t loads = vector < halves_in_a_load ? kept_loads : kept_loads_of_halves;
  const std::int64_t threads = std::clamp<std::int64_t>(whole / (loads * vector), 1, most);
  std::int64_t steps = std::max<std::int64_t>(1, whole / (threads * vector));
  const std::int64_t in_registers =
      std::max<std::int64_t>(1, power_below(most_register_bytes / (vector * bytes)));
  std::int64_t cluster = 1, shared_steps = 0;
  if (steps > in_registers) {
    const std::int64_t bytes_of_step = threads * vector * bytes;
    const auto shared = static_cast<std::int64_t>(target.shared_bytes_per_block) - static_shared_bytes;
    const std::int64_t in_shared =
        shared < bytes_of_step ? 0 : std::min(in_registers, power_below(shared / bytes_of_step));
    if (steps == 2 * in_registers && target.cluster_blocks > 1) {
      cluster = 2;
    } else {
      cluster = power_above((steps + in_registers + in_shared - 1) / (in_registers + in_shared));
      shared_steps = steps / cluster - in_registers;
    }
    if (cluster > target.cluster_blocks) return false;
    steps = in_registers;
  }
  chosen.kept = true;
  chosen.threads_along = narrow(threads);
  chosen.threads_across = narrow(threads <= warp ? smallest_block / threads : threads < whole_block ? 2 : 1);
  chosen.steps = narrow(steps);
  chosen.shared_steps = narrow(shared_steps);
  chosen.cluster = narrow(cluster);
  return true;
}

schedule choose_rows(const nest& bound, std::span<const array_layout> inputs,
                     std::span<const array_layout> outputs, const target_facts& target, unsigned attempt) {
  schedule chosen;
  chosen.order = walk::row_reduction;
  const unsigned axis = first_reduced_axis(bound);
  const bool one_axis = std::has_single_bit(bound.reduced), again = loops_of(bound) > 1;
  std::int64_t vector = lanes_along(bound, axis, target);
  if (!one_axis && bound.extents[axis] % vector != 0) vector = 1;
  const std::int64_t length = count_rows(bound, true), whole = power_above(length);
  vector = std::min(vector, whole);
  chosen.vector = narrow(vector);
  chosen.scalar_loads = vector > 1 && !loads_whole_lanes(bound, axis, vector, inputs, outputs);
  chosen.whole_rows = fills_vectors(bound, vector);
  if (again && is_needed_again(bound) && attempt == 0 && choose_kept(bound, whole, vector, target, chosen))
    return chosen;
  std::int64_t threads = threads_of_long_rows;
  for (const row_threads& row : threads_by_length)
    if (length <= row.longest) {
      threads = row.threads;
      break;
    }
  // rows too long to keep are read again, from the cache at best
  threads =
      std::min(again ? most_threads / (1 + attempt) : threads, std::max<std::int64_t>(1, whole / vector));
  const std::int64_t in_flight = finds_positions(bound) ? 2 * loads_in_flight : loads_in_flight;
  chosen.steps =
      narrow(std::clamp<std::int64_t>(whole / (threads * vector), 1, attempt == 0 ? in_flight : 1));
  chosen.threads_along = narrow(threads);
  chosen.threads_across = narrow(std::max<std::int64_t>(1, smallest_block / threads));
  return chosen;
}

std::int64_t column_threads_along(const nest& bound, const target_facts& target) {
  const std::int64_t vector = lanes_along(bound, 0, target);
  return std::min<std::int64_t>(16, power_above((bound.extents[0] + vector - 1) / vector));
}

std::int64_t longest_kept_column(const nest& bound, const target_facts& target) {
  return most_kept_column_threads / column_threads_along(bound, target) * kept_column_steps;
}

schedule choose_columns(const nest& bound, std::span<const array_layout> inputs,
                        std::span<const array_layout> outputs, const target_facts& target, unsigned attempt) {
  schedule chosen;
  chosen.order = walk::column_reduction;
  const std::int64_t vector = std::min(lanes_along(bound, 0, target), power_above(bound.extents[0]));
  const std::int64_t length = count_rows(bound, true);
  const std::int64_t kept_along = column_threads_along(bound, target);
  const std::int64_t most_across = most_kept_column_threads / kept_along;
  if (attempt == 0 && loops_of(bound) > 1 && length <= most_across * kept_column_steps &&
      is_needed_again(bound)) {
    const std::int64_t across =
        std::clamp<std::int64_t>(power_above((length + kept_column_steps - 1) / kept_column_steps),
                                 std::max<std::int64_t>(1, smallest_block / kept_along), most_across);
    chosen.kept = true;
    chosen.vector = narrow(vector);
    chosen.scalar_loads = vector > 1 && !loads_whole_lanes(bound, 0, vector, inputs, outputs);
    chosen.threads_along = narrow(kept_along);
    chosen.threads_across = narrow(across);
    chosen.steps = narrow(std::max<std::int64_t>(1, power_above(length) / across));
    return chosen;
  }
  const std::int64_t widest = power_above((bound.extents[0] + vector - 1) / vector);
  std::int64_t along = std::min<std::int64_t>(32, widest);
  const std::int64_t across =
      std::min(column_block / along, power_above((length + loads_in_flight - 1) / loads_in_flight));
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
  return is_column_walk(bound, target.kind) ? choose_columns(bound, inputs, outputs, target, attempt)
                               : choose_rows(bound, inputs, outputs, target, attempt);
}

const char* fault_of_reduction(const schedule& forced, const nest& bound,
                               std::span<const array_layout> inputs, std::span<const array_layout> outputs,
                               const target_facts& target) {
  if (target.kind == target_kind::host) return "on the CPU reductions have one schedule";
  const bool columns = forced.order == walk::column_reduction;
  const std::int64_t threads = std::int64_t{forced.threads_along} * forced.threads_across;
  if (columns && bound.is_reduced(0)) return "axis 0 is reduced: take the row walk";
  if (threads > most_threads || threads % 32 != 0) return "a block has whole warps, and at most 1024 threads";
  if (!std::has_single_bit(forced.threads_along) || !std::has_single_bit(forced.vector))
    return "threads_along and vector must be powers of two";
  const bool one_row = columns || bound.split >= 0 || forced.cluster > 1 || forced.shared_steps > 0;
  if (forced.rows_per_thread != 1 && one_row)
    return "several rows a thread need the row walk, registers alone and rows that are not split";
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
    return "a kept row needs cluster * threads_along * vector * (steps + shared_steps) elements at least; in "
           "the "
           "column walk threads_across * steps";
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
  if (loops_of(bound) < 2) return false;
  const std::int64_t rows = count_rows(bound, false), length = count_rows(bound, true);
  if (target.kind == target_kind::host) return rows < fewest_host_rows && length > host_piece_length;
  if (length <= longest_row_of_a_block) return false;
  schedule kept;
  const bool fits = !is_column_walk(bound, target.kind) &&
                    choose_kept(bound, power_above(length),
                                lanes_along(bound, first_reduced_axis(bound), target), target, kept);
  return fits ? 2 * rows * kept.cluster < target.multiprocessors : rows < 2 * target.multiprocessors;
}

namespace {

/// Whether a row fits the chip, so that it is read once however many phases need it; on the CPU whether it is
/// still in the cache.
bool fits_the_chip(const nest& bound, const target_facts& target) {
  const std::int64_t length = count_rows(bound, true);
  if (target.kind == target_kind::host)
    return length <= (is_column_walk(bound, target.kind)                         ? host_column_piece
                      : count_rows(bound, false) < fewest_host_rows ? host_piece_length
                                                                    : host_cached_row);
  if (is_column_walk(bound, target.kind)) return length <= longest_kept_column(bound, target);
  schedule kept;
  const std::int64_t whole = power_above(length);
  return choose_kept(bound, whole, std::min(whole, lanes_along(bound, first_reduced_axis(bound), target)),
                     target, kept);
}

}  // namespace

std::int64_t deviation_pieces(const nest& bound, const target_facts& target) {
  if (bound.reduced == 0 || !splits_deviations(bound)) return 0;
  const std::int64_t all = count_rows(bound, false) * count_rows(bound, true);
  if (all == 0 || (fits_the_chip(bound, target) && !has_too_few_rows(bound, target))) return 0;
  if (target.kind == target_kind::host) return is_column_walk(bound, target.kind) ? host_column_piece : host_piece_length;
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
  return loops_of(bound) < 2 || deviation_pieces(bound, target) > 0 ||
         (std::has_single_bit(bound.reduced) && !has_too_few_rows(bound, target) &&
          fits_the_chip(bound, target));
}

std::int64_t pieces_of_rows(const nest& bound, const schedule& chosen, const target_facts& target) {
  const std::int64_t length = count_rows(bound, true), rows = count_rows(bound, false);
  if (finds_positions(bound) || rows == 0 || !std::has_single_bit(bound.reduced) || loops_of(bound) != 1 ||
      bound.split >= 0)
    return 1;
  for (const store& at : bound.stores)
    if (walks_reduced_axes(bound, bound.accesses[at.target])) return 1;
  if (target.kind == target_kind::host)
    return rows >= fewest_host_rows || is_column_walk(bound, target.kind)
               ? 1
               : std::max<std::int64_t>(1, length / host_piece_length);
  const std::int64_t blocks = count_tiles(bound, chosen, tile_of(bound, chosen, target.kind));
  if (blocks >= 2 * target.multiprocessors) return 1;
  const std::int64_t in_a_turn = chosen.order == walk::column_reduction
                                     ? chosen.threads_across * chosen.steps
                                     : chosen.threads_along * chosen.vector * chosen.steps;
  return std::clamp<std::int64_t>(4 * target.multiprocessors / blocks, 1,
                                  std::max<std::int64_t>(1, length / (2 * in_a_turn)));
}

std::int64_t piece_length(const nest& bound, std::int64_t pieces) {
  constexpr std::int64_t whole_vectors = 64;
  const std::int64_t length = (count_rows(bound, true) + pieces - 1) / pieces;
  return (length + whole_vectors - 1) / whole_vectors * whole_vectors;
}

}  // namespace sinter
