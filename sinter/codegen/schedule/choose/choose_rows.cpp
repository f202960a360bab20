#include <sinter/codegen/base/integers.hpp>
#include <sinter/codegen/nest/phase_plan.hpp>
#include <sinter/codegen/nest/reduction_phases.hpp>
#include <sinter/codegen/schedule/choose/choose_reduction.hpp>
#include <sinter/codegen/schedule/choose/choose_rows.hpp>
#include <sinter/codegen/schedule/choose/choose_scan.hpp>
#include <sinter/codegen/schedule/device_fill.hpp>
#include <sinter/codegen/schedule/reduction_facts.hpp>
#include <sinter/codegen/schedule/thresholds.hpp>
#include <sinter/codegen/schedule/tiling.hpp>
#include <sinter/codegen/schedule/warp_shape.hpp>
#include <sinter/codegen/target/cuda_limits.hpp>

#include <algorithm>
#include <bit>
#include <optional>

namespace sinter::inline v0 {
namespace {

/// The number of blocks that share each resident row, if there are too few rows for one per multiprocessor.
std::int64_t blocks_of_few_rows(const nest& loop_nest, const target_facts& target) {
  if (has_scans(loop_nest) || loop_nest.split >= 0) return 1;
  const gpu_resident_row_thresholds& table = gpu_thresholds_of(target).resident_rows;
  const std::int64_t length = count_rows(loop_nest, true), rows = count_rows(loop_nest, false);
  const auto most = std::min<std::int64_t>(table.max_sharing_blocks, target.cluster_blocks);
  std::int64_t blocks = 1;
  while (2 * blocks <= most && rows * blocks < target.multiprocessors &&
         length / (2 * blocks) >= table.shared_elements)
    blocks *= 2;
  return blocks;
}

/// Distributes a row that exceeds one block's registers over the registers and the shared memory of several
/// blocks.
bool choose_long_row(std::int64_t whole, std::int64_t vector, std::int64_t bytes, std::int64_t min_cluster,
                     const target_facts& target, schedule& chosen) {
  if (target.architecture < first_with_asynchronous_copies) return false;
  const gpu_thresholds& table = gpu_thresholds_of(target);
  const std::int64_t in_registers =
      std::max<std::int64_t>(1, table.rows.max_register_bytes / (vector * bytes));
  for (const long_row_block& block : table.resident_rows.long_row_blocks) {
    const std::int64_t step_bytes = block.threads * vector * bytes;
    const std::int64_t shared =
        target.shared_bytes_per_block / block.blocks - table.reductions.exchange_bytes;
    const std::int64_t max_steps = in_registers + shared / step_bytes;
    const std::int64_t all_steps = divide_up(whole, block.threads * vector);
    const std::int64_t cluster = std::max(min_cluster, power_above(divide_up(all_steps, max_steps)));
    if (cluster > std::min<std::int64_t>(block.max_cluster, target.cluster_blocks)) continue;
    const std::int64_t steps = divide_up(all_steps, cluster);
    chosen.threads_along = narrow(block.threads);
    chosen.steps = narrow(std::min(steps, in_registers));
    chosen.shared_steps = narrow(steps - chosen.steps);
    chosen.cluster = narrow(cluster);
    return true;
  }
  return false;
}

/// Whether each element takes a function, as in a softmax, so that instructions count beside the loads.
bool calls_function_of_elements(const nest& loop_nest) {
  return std::ranges::any_of(loop_nest.body, [](const instruction& at) {
    return at.per_element && weight_of(at.op) >= static_cast<std::uint32_t>(operation_weight::function);
  });
}

/// Whether a cluster of blocks holds a long row that is loaded element by element, keeps so many bytes of
/// each and takes a function of it; sets its schedule. One block of all threads leaves each as few registers
/// as there can be, and no other block of the multiprocessor loads meanwhile. Rows with less arithmetic lose
/// more by the exchanges of a cluster than they gain.
bool choose_cluster_of_elements(const nest& loop_nest, std::int64_t whole, std::int64_t bytes,
                                const target_facts& target, schedule& chosen) {
  const gpu_resident_row_thresholds& table = gpu_thresholds_of(target).resident_rows;
  if (bytes >= static_cast<std::int64_t>(sizeof(double)) || !calls_function_of_elements(loop_nest))
    return false;
  const std::int64_t in_block = table.max_threads * table.single_elements;
  if (whole <= (stores_each_element(loop_nest) ? 1 : 2) * in_block) return false;
  const std::int64_t cluster = power_above(divide_up(whole, in_block));
  if (cluster > std::min<std::int64_t>(table.max_sharing_blocks, target.cluster_blocks)) return false;
  chosen.cluster = narrow(cluster);
  chosen.threads_along = narrow(table.max_threads);
  chosen.threads_across = 1;
  chosen.steps = narrow(divide_up(whole, cluster * table.max_threads));
  return true;
}

/// Whether rows that vectors do not divide are worth staging in shared memory.
bool is_worth_staging(const nest& loop_nest, std::int64_t vector, const gpu_resident_row_thresholds& table) {
  const std::int64_t length = count_rows(loop_nest, true);
  if (length < table.min_staged_extent || length > table.max_staged_extent) return false;
  return std::ranges::none_of(loop_nest.accesses, [&](const access& at) {
    return has_own_elements(loop_nest, at) &&
           vector * static_cast<std::int64_t>(size_of(at.type)) >= access_bytes;
  });
}

/// Each staged row belongs to one thread, and a thread has several short ones; their length is in the text.
schedule staged_rows(std::int64_t length, const gpu_thresholds& table, schedule chosen) {
  chosen.vector = chosen.threads_along = 1;
  chosen.threads_across = narrow(table.reductions.min_block_threads);
  chosen.steps = narrow(length);
  chosen.rows_per_thread = narrow(power_below(std::clamp<std::int64_t>(
      table.resident_rows.staged_elements / length, 1, table.rows.max_rows_per_thread)));
  chosen.scalar_loads = chosen.whole_rows = false;
  chosen.staged = true;
  return chosen;
}

}  // namespace

std::int64_t room_of_resident_row(const nest& loop_nest, const target_facts& target) {
  const gpu_resident_row_thresholds& table = gpu_thresholds_of(target).resident_rows;
  const std::int64_t length = count_rows(loop_nest, true), whole = power_above(length);
  if (whole < table.finest_halves) return whole;
  return round_up(length, whole >= table.finest_quarters ? whole / 8 : whole / 4);
}

std::int64_t row_lanes(const nest& loop_nest, const target_facts& target) {
  const unsigned axis = first_reduced_axis(loop_nest);
  std::int64_t vector = lanes_along(loop_nest, axis, target);
  const std::int64_t pieces =
      loop_nest.split >= 0 ? loop_nest.extents[static_cast<unsigned>(loop_nest.split)] : 1;
  if (std::has_single_bit(loop_nest.reduced) && count_rows(loop_nest, false) == pieces) return vector;
  const std::int64_t length = !std::has_single_bit(loop_nest.reduced) ? loop_nest.extents[axis]
                              : loop_nest.split >= 0                  ? loop_nest.whole
                                                                      : count_rows(loop_nest, true);
  while (length % vector != 0) vector /= 2;
  return vector;
}

bool can_be_staged(const nest& loop_nest, std::int64_t rows, const target_facts& target) {
  // rows are along axis 0; a single row has no kept axis, and no pointer of its own
  if (loop_nest.reduced != 1 || loop_nest.rank < 2 || loop_nest.split >= 0 || has_scans(loop_nest))
    return false;
  std::int64_t bytes = 0;
  for (std::uint32_t i = 0; i < loop_nest.accesses.size(); ++i) {
    const access& at = loop_nest.accesses[i];
    if (!has_own_elements(loop_nest, at)) continue;
    if (!is_linear(at, loop_nest) || at.base != i) return false;
    bytes += static_cast<std::int64_t>(size_of(at.type)) * rows * count_rows(loop_nest, true) + access_bytes;
  }
  return bytes <= gpu_thresholds_of(target).reductions.max_static_bytes;
}

bool choose_resident(const nest& loop_nest, std::int64_t vector, const target_facts& target,
                     schedule& chosen) {
  const gpu_thresholds& all = gpu_thresholds_of(target);
  const gpu_resident_row_thresholds& table = all.resident_rows;
  const std::int64_t cluster = blocks_of_few_rows(loop_nest, target), warp = warp_threads(target.kind);
  const std::int64_t whole = divide_up(room_of_resident_row(loop_nest, target), cluster);  // per block
  const std::int64_t bytes = std::max(1u, codegen::phase_plan(loop_nest, true).resident_bytes());
  const std::int64_t elements = bytes < static_cast<std::int64_t>(size_of(element_type::float32))
                                    ? table.halves
                                : stores_each_element(loop_nest) ? table.elements
                                                                 : table.elements_of_loads;
  std::int64_t threads = whole <= table.row_of_a_warp
                             ? std::clamp<std::int64_t>(whole / vector, 1, warp)
                             : std::clamp(whole / std::max(elements, vector), warp, table.max_threads);
  if (whole <= table.max_thread_row_extent) threads = 1;
  // if lanes would be past the end, threads with two steps each idle less
  if (whole <= table.row_of_a_warp && count_rows(loop_nest, true) < whole && threads > 1) threads /= 2;
  if (threads > warp && threads % warp != 0) threads = power_below(threads);
  const std::int64_t in_registers = std::max<std::int64_t>(1, all.rows.max_register_bytes / (vector * bytes));
  chosen.resident = true;
  if (vector == 1 && cluster == 1 && loop_nest.split < 0 && !has_scans(loop_nest) &&
      choose_cluster_of_elements(loop_nest, whole, bytes, target, chosen))
    return true;
  if (divide_up(whole, threads * vector) > in_registers) threads = max_block_threads;
  const std::int64_t steps = divide_up(whole, threads * vector);
  if (steps > in_registers) return choose_long_row(whole * cluster, vector, bytes, cluster, target, chosen);
  chosen.cluster = narrow(cluster);
  chosen.threads_along = narrow(threads);
  chosen.threads_across = narrow(threads <= warp ? all.reductions.min_block_threads / threads
                                 : threads < table.whole_block && cluster == 1 ? table.rows_of_a_small_block
                                                                               : 1);
  chosen.steps = narrow(steps);
  if (threads <= warp && loop_nest.split < 0)
    chosen.rows_per_thread = narrow(vector * steps < table.few_elements ? all.rows.max_rows_per_thread
                                    : threads > 1 && steps == 1         ? table.rows_of_one_load
                                                                        : 1);
  return true;
}

namespace {

/// The same rows with fewer elements in a thread's registers, after those spilled: of fewer rows, of more
/// threads, in shared memory or in more blocks; none if they are as few as can be. Rows that are not resident
/// any more are read once more for each loop over them, and few rows leave the device idle.
std::optional<schedule> with_fewer_registers(const nest& loop_nest, const schedule& resident,
                                             const target_facts& target) {
  const auto half = [](std::uint16_t value) { return narrow(divide_up<std::int64_t>(value, 2)); };
  schedule lighter = resident;
  if (resident.rows_per_thread > 1) {
    lighter.rows_per_thread = half(resident.rows_per_thread);
    return lighter;
  }
  if (resident.staged || resident.steps < 2) return {};
  lighter.steps = half(resident.steps);
  if (2 * resident.threads_along <= max_block_threads) {
    lighter.threads_along = narrow(2 * resident.threads_along);
    if (resident.threads_along >= warp_threads(target.kind))
      lighter.threads_across = half(resident.threads_across);
    lighter.shared_steps = half(resident.shared_steps);
    return lighter;
  }
  if (has_scans(loop_nest) || loop_nest.split >= 0) return {};
  const std::int64_t exchange_bytes = gpu_thresholds_of(target).reductions.exchange_bytes;
  lighter.shared_steps = narrow(resident.shared_steps + resident.steps - lighter.steps);
  if (target.architecture >= first_with_asynchronous_copies &&
      shared_bytes_of(loop_nest, lighter) + exchange_bytes <= target.shared_bytes_per_block)
    return lighter;
  if (2 * resident.cluster > target.cluster_blocks) return {};
  lighter.cluster = narrow(2 * resident.cluster);
  lighter.shared_steps = half(resident.shared_steps);
  return lighter;
}

/// The schedule of rows that are resident or staged; none if they do not fit.
std::optional<schedule> choose_resident_rows(const nest& loop_nest, const target_facts& target,
                                             schedule chosen) {
  const gpu_thresholds& table = gpu_thresholds_of(target);
  const std::int64_t vector = chosen.vector;
  bool fits = choose_resident(loop_nest, vector, target, chosen);
  if (has_scans(loop_nest)) {  // their chunks are in the registers of one block, one row per thread
    fits = fits && chosen.cluster == 1 && chosen.shared_steps == 0;
    chosen.rows_per_thread = 1;
  } else if (fits && is_worth_staging(loop_nest, vector, table.resident_rows)) {
    const schedule staged = staged_rows(count_rows(loop_nest, true), table, chosen);
    if (can_be_staged(loop_nest, staged.threads_across * staged.rows_per_thread, target)) return staged;
  }
  return fits ? std::optional(chosen) : std::nullopt;
}

/// Threads and loads for rows of this length.
const row_threads& threads_of_length(const nest& loop_nest, const target_facts& target) {
  const gpu_row_thresholds& table = gpu_thresholds_of(target).rows;
  const bool few = loops_of(loop_nest) > 1 || loop_nest.split >= 0 ||
                   count_rows(loop_nest, false) < blocks_to_fill(target);
  const bool by_body = reduces_by_body(loop_nest);
  const auto& of_kind = by_body && loop_nest.split >= 0 ? table.pieces_of_bodies
                        : by_body                       ? table.bodies
                        : finds_positions(loop_nest)    ? table.positions
                        : few                           ? table.few_rows
                                                        : table.many_rows;
  const std::int64_t length = count_rows(loop_nest, true);
  return *std::ranges::find_if(of_kind, [&](const row_threads& row) { return length <= row.longest; });
}

/// Whether each of a few rows that are read once is assigned to a cluster of blocks.
bool is_clustered(const nest& loop_nest, const target_facts& target) {
  const gpu_row_thresholds& table = gpu_thresholds_of(target).rows;
  const std::int64_t length = count_rows(loop_nest, true);
  return loops_of(loop_nest) < 2 && loop_nest.split < 0 && target.cluster_blocks > 1 &&
         count_rows(loop_nest, false) * target.cluster_blocks <= target.multiprocessors &&
         length >= table.min_clustered_extent &&
         length <= table.max_clustered_extent / work_of_element(loop_nest, target);
}

/// Loads in flight per thread: the loaded data takes at most half of the registers.
std::int64_t max_steps_of(const nest& loop_nest, std::int64_t loads, std::int64_t threads,
                          std::int64_t vector, const target_facts& target) {
  const gpu_row_thresholds& table = gpu_thresholds_of(target).rows;
  const std::int64_t bytes = vector * bytes_of_reads(loop_nest);
  const std::int64_t in_flight =
      std::min(loads * std::max<std::int64_t>(1, access_bytes / bytes), table.max_elements_loaded / vector);
  const std::int64_t fit = table.max_register_bytes * max_block_threads / (threads * bytes);
  return std::max<std::int64_t>(1, std::min(in_flight, fit));
}

/// Whether rows that leave the device idle are long enough to be split into pieces.
bool can_have_pieces(const nest& loop_nest, const target_facts& target) {
  return loop_nest.split < 0 && std::has_single_bit(loop_nest.reduced) && loops_of(loop_nest) == 1 &&
         count_rows(loop_nest, true) > gpu_thresholds_of(target).pieces.piece_of_several_axes;
}

/// Rows whose operands are contiguous along different axes: a warp lies along several rows. None where whole
/// warps along one row are as good, or where only they are enough threads.
std::optional<schedule> choose_square_warps(const nest& loop_nest, const target_facts& target,
                                            unsigned attempt, schedule chosen) {
  const unsigned along = first_reduced_axis(loop_nest), across = first_kept_axis(loop_nest);
  if (across == loop_nest.rank || has_scans(loop_nest) || !reads_transposed(loop_nest, along, across))
    return {};
  const std::int64_t vector = chosen.vector, whole = power_above(count_rows(loop_nest, true));
  const std::int64_t rows = count_rows(loop_nest, false), warp = warp_threads(target.kind);
  std::int64_t threads =
      warp_threads_along(loop_nest, along, across, vector, std::max<std::int64_t>(1, whole / vector), target);
  if (!can_have_pieces(loop_nest, target))
    while (threads < warp && !fills_device(rows, threads, target)) threads *= 2;
  if (threads >= warp) return {};
  const std::int64_t block = gpu_thresholds_of(target).columns.block;
  const std::int64_t loads = threads_of_length(loop_nest, target).loads;
  const std::int64_t max_steps = attempt == 0 ? max_steps_of(loop_nest, loads, block, vector, target) : 1;
  chosen.threads_along = narrow(threads);
  chosen.threads_across = narrow(std::clamp(power_above(rows * threads), warp, block) / threads);
  chosen.steps = narrow(std::clamp<std::int64_t>(whole / (threads * vector), 1, max_steps));
  return chosen;
}

/// Rows that are loaded by each loop over them. `chosen` has their lanes.
schedule choose_loaded_rows(const nest& loop_nest, const target_facts& target, unsigned attempt,
                            schedule chosen) {
  const gpu_thresholds& all = gpu_thresholds_of(target);
  const gpu_row_thresholds& table = all.rows;
  const bool again = loops_of(loop_nest) > 1;
  const std::int64_t length = count_rows(loop_nest, true), whole = power_above(length),
                     vector = chosen.vector;
  if (const std::optional<schedule> square = choose_square_warps(loop_nest, target, attempt, chosen))
    return *square;
  const row_threads& of_length = threads_of_length(loop_nest, target);
  std::int64_t threads =
      length < table.short_row
          ? std::clamp<std::int64_t>(whole / table.elements_of_a_thread, 1, warp_threads(target.kind))
          : of_length.threads;
  // rows too long to be resident are read again, from the cache at best
  if (again) threads = max_block_threads / (1 + attempt);
  if (is_clustered(loop_nest, target)) {
    threads = max_block_threads / (1 + attempt);
    chosen.cluster =
        narrow(std::clamp<std::int64_t>(whole / table.elements_of_a_block, 1, target.cluster_blocks));
  }
  threads = std::min(threads, std::max<std::int64_t>(1, whole / vector));
  const std::int64_t max_steps =
      attempt == 0 ? max_steps_of(loop_nest, of_length.loads, threads, vector, target) : 1;
  chosen.steps = narrow(std::clamp<std::int64_t>(whole / (threads * vector), 1, max_steps));
  chosen.threads_along = narrow(threads);
  chosen.threads_across = narrow(std::max<std::int64_t>(1, all.reductions.min_block_threads / threads));
  chosen.whole_rows = chosen.whole_rows && !tests_chunks(loop_nest, chosen);
  if (length < table.short_row && loop_nest.split < 0)
    chosen.rows_per_thread = narrow(std::clamp<std::int64_t>(
        table.elements_of_a_thread / (vector * chosen.steps), 1, table.max_rows_per_thread));
  return chosen;
}

/// Whether resident values and sums take less than half of a thread's registers: the others hold what is
/// being computed.
bool leaves_registers(const nest& loop_nest, const schedule& resident) {
  const codegen::phase_plan plan(loop_nest, true);
  const auto values = static_cast<std::int64_t>(plan.resident().size());
  const std::int64_t of_step =
      std::max(values, divide_up<std::int64_t>(resident.vector * plan.resident_bytes(), register_bytes));
  const std::int64_t of_sums = divide_up(resident.vector * bytes_of_sums(loop_nest), register_bytes);
  const std::int64_t all = resident.rows_per_thread * (resident.steps * of_step + of_sums);
  return 2 * all * resident.threads_along * resident.threads_across < multiprocessor_registers;
}

}  // namespace

schedule choose_rows(const nest& loop_nest, std::span<const array_layout> inputs,
                     std::span<const array_layout> outputs, const target_facts& target, unsigned attempt) {
  schedule chosen;
  chosen.order = loop_order::row_reduction;
  const std::int64_t vector =
      std::min(row_lanes(loop_nest, target), power_above(count_rows(loop_nest, true)));
  chosen.vector = narrow(vector);
  chosen.scalar_loads =
      vector > 1 && !loads_whole_lanes(loop_nest, first_reduced_axis(loop_nest), vector, inputs, outputs);
  chosen.whole_rows = fills_vectors(loop_nest, vector);
  std::optional<schedule> resident;
  if (loops_of(loop_nest) > 1 && is_needed_again(loop_nest))
    resident = choose_resident_rows(loop_nest, target, chosen);
  if (resident && attempt == 0) return *resident;
  if (resident)
    if (const auto lighter = with_fewer_registers(loop_nest, *resident, target);
        lighter && leaves_registers(loop_nest, *lighter))
      return *lighter;
  return choose_loaded_rows(loop_nest, target, attempt, chosen);
}

}  // namespace sinter::inline v0
