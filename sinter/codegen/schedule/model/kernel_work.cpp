#include <sinter/codegen/schedule/model/kernel_work.hpp>

#include <sinter/codegen/base/integers.hpp>
#include <sinter/codegen/nest/reduction_phases.hpp>
#include <sinter/codegen/schedule/access_alignment.hpp>
#include <sinter/codegen/schedule/choose/choose_rows.hpp>
#include <sinter/codegen/schedule/model/access_footprint.hpp>
#include <sinter/codegen/schedule/model/model_tables.hpp>
#include <sinter/codegen/schedule/reduction_facts.hpp>
#include <sinter/codegen/schedule/tiling.hpp>
#include <sinter/codegen/target/cuda_limits.hpp>

#include <algorithm>
#include <bit>

namespace sinter::inline v0 {
namespace {

/// The elements of one thread in one step of its loop, of a warp's load, and of a block.
class shape_of_work {
 public:
  shape_of_work(const nest& loop_nest, const schedule& chosen, std::int64_t warp)
      : body_(loop_nest), chosen_(chosen), warp_(warp) {}

  bool is_wide(const access& at) const {
    if (chosen_.vector == 1 || chosen_.scalar_loads) return false;
    if (is_transposed(at)) return true;
    if (chosen_.order == loop_order::flat && !chosen_.whole_rows) return is_linear(at, body_);
    return at.strides[lane_axis()] == 1;
  }
  /// Transposed operands of the tiled order have lanes along axis 1.
  bool is_transposed(const access& at) const {
    return chosen_.order == loop_order::tiled && is_transposed_access(at);
  }
  /// Lanes that are not loaded together lie as far apart as a strip has threads, so that loads are coalesced.
  bool lanes_apart() const { return reduces_columns(chosen_.order) && chosen_.scalar_loads; }
  unsigned lane_axis() const { return reduces_rows(chosen_.order) ? first_reduced_axis(body_) : 0; }

  /// The positions of a warp's loads of one lane.
  position_box warp_box(const access& at) const {
    position_box box;
    const std::int64_t along = std::min<std::int64_t>(warp_, chosen_.threads_along);
    add_threads(at, along, warp_ / along, box);
    return box;
  }
  /// All positions of a block in one step.
  position_box block_box(const access& at) const {
    position_box box;
    add_threads(at, chosen_.threads_along, chosen_.threads_across, box);
    const unsigned lanes = is_transposed(at) ? 1 : lane_axis();
    box.add(lanes, lanes_apart() ? chosen_.threads_along : 1, chosen_.vector);
    const std::int64_t far = std::int64_t{chosen_.threads_along} * chosen_.vector;
    switch (chosen_.order) {
      case loop_order::rows:
        box.add(0, far, chosen_.steps);
        box.add(1, chosen_.threads_across, chosen_.rows_per_thread);
        break;
      case loop_order::flat:
        box.add_run(body_, false, far, chosen_.steps);
        break;
      case loop_order::tiled:
        box.add(1 - lanes, chosen_.threads_across, chosen_.rows_per_thread);
        break;
      case loop_order::row_reduction:
        box.add_run(body_, true, far, chosen_.steps);
        box.add_run(body_, false, chosen_.threads_across, chosen_.rows_per_thread);
        break;
      case loop_order::column_reduction:
        box.add_run(body_, true, chosen_.threads_across, chosen_.steps);
        break;
    }
    return box;
  }
  /// Rows along axis 1 in which a block has elements.
  std::int64_t rows_of_block() const {
    if (chosen_.order != loop_order::flat)
      return std::int64_t{chosen_.threads_across} * chosen_.rows_per_thread;
    const std::int64_t elements = std::int64_t{chosen_.threads_along} * chosen_.vector * chosen_.steps;
    return std::max<std::int64_t>(1, elements / std::max<std::int64_t>(1, body_.extents[0]));
  }
  /// Elements of a thread that differ.
  std::int64_t distinct_lanes(const access& at) const {
    return at.strides[is_transposed(at) ? 1 : lane_axis()] != 0 ? chosen_.vector : 1;
  }
  std::int64_t distinct_steps(const access& at) const {
    const bool columns = reduces_columns(chosen_.order);
    if (chosen_.order == loop_order::flat) return chosen_.steps;
    if (reduces_rows(chosen_.order) || columns) return moves(at, true) ? chosen_.steps : 1;
    return at.strides[0] != 0 ? chosen_.steps : 1;
  }
  std::int64_t distinct_rows(const access& at) const {
    if (reduces_rows(chosen_.order)) return moves(at, false) ? chosen_.rows_per_thread : 1;
    if (chosen_.order == loop_order::tiled) return chosen_.rows_per_thread;
    return body_.rank > 1 && at.strides[1] != 0 ? chosen_.rows_per_thread : 1;
  }
  /// Whether a thread loads the window of these accesses as a whole.
  bool loads_window(const equal_accesses& moved) const {
    const access& at = body_.accesses[moved.first];
    return chosen_.order == loop_order::rows && moved.rows + moved.columns > 0 &&
           at.what == access::kind::read && (at.pattern(0) == step_pattern::unit || at.contiguous_inside);
  }
  /// Vectors of a thread's elements and of their neighbours in one window.
  std::int64_t vectors_of_window(const equal_accesses& moved) const {
    const std::int64_t columns = divide_up(chosen_.vector + moved.columns, std::int64_t{chosen_.vector});
    return columns * chosen_.steps * (chosen_.rows_per_thread + moved.rows);
  }
  /// Elements of a thread that differ, of all accesses.
  std::int64_t distinct_elements(const equal_accesses& moved) const {
    const access& at = body_.accesses[moved.first];
    if (loads_window(moved)) return moved.windows * vectors_of_window(moved) * chosen_.vector;
    return moved.count * distinct_lanes(at) * distinct_steps(at) * distinct_rows(at);
  }

 private:
  void add_threads(const access& at, std::int64_t along, std::int64_t across, position_box& box) const {
    const std::int64_t vector = chosen_.vector;
    switch (chosen_.order) {
      case loop_order::rows:
        box.add(0, vector, along);
        if (body_.rank > 1) box.add(1, 1, across);
        break;
      case loop_order::flat:
        box.add_run(body_, false, vector, along);
        break;
      case loop_order::tiled:
        box.add(is_transposed(at) ? 1 : 0, vector, along);
        box.add(is_transposed(at) ? 0 : 1, 1, across);
        break;
      case loop_order::row_reduction:
        box.add_run(body_, true, vector, along);
        box.add_run(body_, false, 1, across);
        break;
      case loop_order::column_reduction:
        box.add(0, lanes_apart() ? 1 : vector, along);
        box.add_run(body_, true, 1, across);
        break;
    }
  }
  bool moves(const access& at, bool reduced) const {
    for (unsigned axis = 0; axis < body_.rank; ++axis)
      if (body_.is_reduced(axis) == reduced && at.strides[axis] != 0) return true;
    return false;
  }

  const nest& body_;
  const schedule& chosen_;
  std::int64_t warp_;
};

std::int64_t elements_of_thread(const schedule& chosen) {
  return std::int64_t{chosen.vector} * chosen.steps * chosen.rows_per_thread;
}

/// The same elements in registers alone, as if there were enough.
schedule with_all_steps(schedule chosen) {
  chosen.steps = narrow(chosen.steps + chosen.shared_steps);
  chosen.shared_steps = 0;
  return chosen;
}

/// Turns in which shared memory serves the threads of a warp whose elements of so many bytes lie `apart`
/// bytes from each other: its banks have one word each in a turn.
std::int64_t turns_of_banks(std::int64_t apart, std::int64_t bytes, std::int64_t warp) {
  std::array<std::int64_t, shared_banks> words{};
  std::int64_t most = 0, last = -1;
  for (std::int64_t thread = 0; thread < warp; ++thread) {
    const std::int64_t first = thread * apart / bank_bytes,
                       end = divide_up(thread * apart + bytes, bank_bytes);
    for (std::int64_t word = std::max(first, last + 1); word < end; ++word)
      most = std::max(most, ++words[static_cast<std::size_t>(word) % shared_banks]);
    last = std::max(last, end - 1);
  }
  return most;
}

std::int64_t levels_of(std::int64_t count) {
  return static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(count))) - 1;
}

/// Counts what the warps of a launch do, loop by loop.
class work_counter {
 public:
  work_counter(const nest& loop_nest, const nest_work& work, const schedule& chosen,
               const target_facts& target)
      : body_(loop_nest),
        work_(work),
        chosen_(chosen),
        target_(target),
        warp_(warp_threads(target.kind)),
        unsplit_(with_all_steps(chosen)),
        shape_(loop_nest, unsplit_, warp_),
        rows_(reduces_rows(chosen.order)),
        columns_(reduces_columns(chosen.order)),
        elements_(elements_of_thread(unsplit_)) {
    count_blocks();
    count_chunks();
  }

  kernel_work count() {
    made_.reads_again = work_.loops().size() > 1 && !has_scans(body_);
    for (const loop_work& loop : work_.loops()) {
      made_.chunks += chunks_;
      count_accesses(loop);
      if (loop.sums > 0 || loop.scans > 0) count_combining(loop);
    }
    if (chosen_.shared_steps > 0) count_spilled_to_shared();
    if (chosen_.staged) made_.waits += 2;  // after the rows are there, and before results go back
    count_positions();
    made_.memory_sectors = memory_sectors_of(work_, target_);
    return made_;
  }

 private:
  void count_blocks() {
    const std::int64_t threads = std::int64_t{chosen_.threads_along} * chosen_.threads_across;
    made_.blocks =
        std::max<std::int64_t>(1, count_tiles(body_, chosen_, tile_of(body_, chosen_, target_.kind)));
    made_.warps = divide_up(threads, warp_);
    const std::int64_t of_block = made_.warps * warp_;
    const std::int64_t wanted = round_up(registers_of_thread(), register_allocation_unit);
    made_.registers = std::min({wanted, max_thread_registers, multiprocessor_registers / of_block});
    made_.spilled = wanted - made_.registers;
    const std::int64_t shared_bytes = target_.shared_bytes_per_block + std::int64_t{reserved_shared_bytes};
    made_.resident_blocks =
        std::clamp<std::int64_t>(std::min({multiprocessor_registers / (made_.registers * of_block),
                                           std::int64_t{target_.threads_per_multiprocessor} / of_block,
                                           shared_bytes / (shared_bytes_of_block() + reserved_shared_bytes)}),
                                 1, max_multiprocessor_blocks);
    all_warps_ = made_.blocks * made_.warps;
  }

  /// Of rows that are staged, or that registers do not hold.
  std::int64_t shared_bytes_of_block() const {
    const std::int64_t threads = std::int64_t{chosen_.threads_along} * chosen_.threads_across;
    std::int64_t bytes = work_.resident_bytes() * chosen_.vector * chosen_.shared_steps * threads;
    for (const loop_work& loop : work_.loops())
      for (const equal_accesses& moved : loop.moved)
        if (const access& at = body_.accesses[moved.first]; is_staged(at))
          bytes += moved.count * elements_ * threads * static_cast<std::int64_t>(size_of(at.type));
    return bytes;
  }
  bool is_staged(const access& at) const { return chosen_.staged && has_own_elements(body_, at); }

  std::int64_t registers_of_thread() const {
    const shape_of_work shape(body_, chosen_, warp_);
    const std::int64_t sums = std::int64_t{chosen_.vector} * chosen_.rows_per_thread;
    const std::int64_t resident = resident_registers();
    std::int64_t most = 0;
    for (const loop_work& loop : work_.loops()) {
      std::int64_t loaded = 0;
      for (const equal_accesses& moved : loop.moved) {
        const access& at = body_.accesses[moved.first];
        if (at.what == access::kind::read)
          loaded += shape.distinct_elements(moved) *
                    divide_up(static_cast<std::int64_t>(size_of(at.type)), register_bytes);
      }
      // what is loaded is resident, or gives its registers to what is
      most = std::max(most, std::max(resident, loaded / 2) + loop.live_registers * 3 / 4 +
                                sums * loop.sum_registers * 5 / 2);
    }
    return registers_of_thread_itself + registers_of_axis * static_cast<std::int64_t>(body_.rank) + most;
  }
  /// Vectors of small elements are packed.
  std::int64_t resident_registers() const {
    const std::int64_t elements = elements_of_thread(chosen_), each = elements * work_.resident_registers();
    if (chosen_.vector == 1) return each;
    return std::min(each, divide_up(elements * work_.resident_bytes(), register_bytes));
  }

  /// Chunks of a row or a column. Warps that lie past its end do next to nothing.
  void count_chunks() {
    if (!rows_ && !columns_) return;
    const std::int64_t length = count_rows(body_, true);
    const std::int64_t in_chunk =
        rows_ ? std::int64_t{chosen_.threads_along} * chosen_.vector * unsplit_.steps * chosen_.cluster
              : std::int64_t{chosen_.threads_across} * chosen_.steps;
    // what is resident fits, though the size that stands for its class may not
    if (!chosen_.resident) chunks_ = std::max<std::int64_t>(1, divide_up(length, in_chunk));
    if (!rows_ || in_chunk <= length) return;
    const std::int64_t of_warp =
        std::int64_t{chosen_.vector} * std::min<std::int64_t>(warp_, chosen_.threads_along);
    chunk_steps_ = divide_up(in_chunk, of_warp);
    busy_steps_ = std::max<std::int64_t>(1, divide_up(length, of_warp));
  }

  /// Of something that each warp, or each block, does in each chunk.
  std::int64_t in_all_chunks(std::int64_t each) const { return each * chunks_ * busy_steps_ / chunk_steps_; }

  /// Threads copy the block's rows between memory and shared memory as whole accesses, and each takes the
  /// elements of its own rows from there, or puts them there.
  void count_staged(const equal_accesses& moved) {
    const access& at = body_.accesses[moved.first];
    const auto size = static_cast<std::int64_t>(size_of(at.type));
    const std::int64_t bytes = warp_ * elements_ * size, copies = divide_up(bytes, warp_ * access_bytes);
    const std::int64_t taken = elements_ * turns_of_banks(chosen_.steps * size, size, warp_);
    made_.lookups += all_warps_ * moved.count * (2 * divide_up(bytes, gpu_cache_line_bytes) + taken);
    made_.sectors += all_warps_ * moved.windows * divide_up(bytes, sector_bytes);
    const std::int64_t accesses = moved.count * 2 * copies;
    // an element's place is a constant distance from where its row begins
    instruction_counts each{.issued = instructions_of_access * accesses + moved.count * elements_,
                            .integers = (instructions_of_access - 1) * accesses};
    made_.instructions.add(each, all_warps_);
  }

  /// Elements of rows that registers do not hold are stored once in shared memory, and loaded by each further
  /// loop.
  void count_spilled_to_shared() {
    const std::int64_t elements = std::int64_t{chosen_.vector} * chosen_.shared_steps;
    const std::int64_t lines = divide_up(warp_ * elements * work_.resident_bytes(), gpu_cache_line_bytes);
    const auto loops = static_cast<std::int64_t>(work_.loops().size());
    made_.lookups += in_all_chunks(all_warps_ * lines * loops);
    const std::int64_t accesses = 2 * chosen_.shared_steps * loops;  // with the step's own bounds
    instruction_counts each{.issued = instructions_of_access * accesses,
                            .integers = (instructions_of_access - 1) * accesses};
    made_.instructions.add(each, in_all_chunks(all_warps_));
    made_.shared_steps = chosen_.shared_steps * loops;
  }

  void count_accesses(const loop_work& loop) {
    instruction_counts of_chunk;
    of_chunk.add(loop.evaluated, elements_);
    std::int64_t lookups = 0, sectors = 0, pages = 0;
    for (const equal_accesses& moved : loop.moved) {
      const access& at = body_.accesses[moved.first];
      if (is_staged(at)) {
        count_staged(moved);
        continue;
      }
      const auto size = static_cast<std::int64_t>(size_of(at.type));
      const bool wide = shape_.is_wide(at);
      const std::int64_t width = wide ? std::min<std::int64_t>(access_bytes, size * chosen_.vector) : size;
      const std::int64_t lanes =
          wide ? divide_up(size * chosen_.vector, std::int64_t{access_bytes}) : shape_.distinct_lanes(at);
      const std::int64_t each = lanes * shape_.distinct_steps(at) * shape_.distinct_rows(at);
      const std::int64_t accesses = shape_.loads_window(moved)
                                        ? lanes * moved.windows * shape_.vectors_of_window(moved)
                                        : moved.count * each;
      const position_box of_warp = shape_.warp_box(at);
      const std::int64_t lines = std::max(pieces_touched<gpu_cache_line_bytes>(at, of_warp, width),
                                          divide_up(warp_ * width, gpu_cache_line_bytes));
      lookups += made_.warps * accesses * lines;
      of_chunk.issued += instructions_of_access * accesses;
      of_chunk.integers += (instructions_of_access - 1) * accesses;
      if (shape_.is_transposed(at)) {  // through shared memory
        lookups += moved.count * 2 * made_.warps * elements_;
        of_chunk.issued += moved.count * 2 * 2 * elements_;
      }
      if (moved.windows == 0) continue;
      sectors += sectors_of(moved, of_warp, each, width);
      pages += moved.windows * pieces_touched<memory_page_bytes>(at, shape_.block_box(at), size);
    }
    made_.instructions.add(of_chunk, in_all_chunks(all_warps_));
    made_.lookups += in_all_chunks(lookups * made_.blocks);
    made_.sectors += in_all_chunks(sectors * made_.blocks);
    made_.memory_pages += in_all_chunks(pages * made_.blocks);
  }

  /// Sectors that a block moves in a chunk: each once if the nearest cache holds them, with the rows of a
  /// window that belong to other blocks.
  std::int64_t sectors_of(const equal_accesses& moved, const position_box& of_warp, std::int64_t accesses,
                          std::int64_t width) const {
    const access& at = body_.accesses[moved.first];
    std::int64_t each =
        pieces_touched<sector_bytes>(at, shape_.block_box(at), static_cast<std::int64_t>(size_of(at.type)));
    if (each * sector_bytes * made_.resident_blocks > nearest_cache_bytes)
      each = std::max(each, made_.warps * accesses * pieces_touched<sector_bytes>(at, of_warp, width));
    const std::int64_t own_rows = shape_.rows_of_block();
    return moved.windows * each * (own_rows + moved.rows) / own_rows;
  }

  /// The partial results of a row or a column: within a warp by exchanges of registers, in a block through
  /// shared memory.
  void count_combining(const loop_work& loop) {
    const std::int64_t partners = rows_ ? chosen_.threads_along : chosen_.threads_across;
    const std::int64_t parts = std::int64_t{chosen_.vector} * chosen_.rows_per_thread;
    const std::int64_t levels = levels_of(partners) + 1, in_warp = levels_of(std::min(partners, warp_));
    instruction_counts combining;
    combining.add(loop.combined, rows_ ? parts + levels : parts * levels);
    combining.issued += loop.sum_registers * (rows_ ? in_warp + 1 : 2 * parts);
    made_.instructions.add(combining, all_warps_);
    if (columns_) made_.lookups += all_warps_ * parts * loop.sum_registers * 2;
    if (chosen_.cluster > 1 && loop.sums > 0) made_.cluster_waits += chosen_.cluster;
    const bool in_block = partners > warp_ || (columns_ && partners > 1);
    const std::int64_t exchanges = (rows_ ? in_warp : 0) + (in_block ? levels + 1 : 0);
    if (loop.sums > 0) made_.waits += exchanges;
    if (loop.scans > 0) made_.waits += exchanges * chunks_;
  }

  /// The digits of positions along the axes, and what a thread begins with.
  void count_positions() {
    std::int64_t begin = instructions_of_digits(false), chunk = 0;
    if (chosen_.order == loop_order::flat) begin *= chosen_.steps * (chosen_.whole_rows ? 1 : chosen_.vector);
    if (rows_ || columns_) chunk = instructions_of_digits(true) * chosen_.steps;
    begin += instructions_of_begin + chunk * made_.chunks;
    made_.instructions.issued += all_warps_ * begin;
    made_.instructions.integers += all_warps_ * begin;
  }
  std::int64_t instructions_of_digits(bool reduced) const {
    std::int64_t axes = 0;
    for (unsigned axis = 0; axis < body_.rank; ++axis) axes += body_.is_reduced(axis) == reduced ? 1 : 0;
    return instructions_of_digit * std::max<std::int64_t>(0, axes - 1);
  }

  const nest& body_;
  const nest_work& work_;
  const schedule& chosen_;
  const target_facts& target_;
  std::int64_t warp_;
  schedule unsplit_;  ///< the schedule, as if registers held all steps
  shape_of_work shape_;
  bool rows_, columns_;
  std::int64_t elements_, all_warps_ = 1, chunks_ = 1;
  std::int64_t chunk_steps_ = 1, busy_steps_ = 1;  ///< of a chunk's warps
  kernel_work made_;
};

}  // namespace

std::int64_t memory_sectors_of(const nest_work& work, const target_facts& target) {
  std::int64_t sectors = 0;
  for (const loop_work& loop : work.loops()) {
    const bool is_first = &loop == work.loops().data();
    if (is_first || loop.memory_sectors * sector_bytes > static_cast<std::int64_t>(target.cache_bytes))
      sectors += loop.memory_sectors;
  }
  return sectors;
}

kernel_work work_of(const nest& loop_nest, const nest_work& work, const schedule& chosen,
                    const target_facts& target) {
  return work_counter(loop_nest, work, chosen, target).count();
}

}  // namespace sinter::inline v0
