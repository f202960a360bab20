// Kernels that reduce or scan, for NVIDIA GPUs. A resident row is loaded once: its elements stay in
// registers, where the schedule says so further ones in shared memory, and a row that is too long for one
// block is shared by a cluster's.

#include <sinter/codegen/graph/reduction_start.hpp>
#include <sinter/codegen/loops/build/cuda/cuda_row_lanes.hpp>

#include <algorithm>

namespace sinter::inline v0::codegen {
namespace {

class cuda_rows final : public cuda_row_lanes {
 public:
  cuda_rows(const kernel_description& described, loop_tree& tree) : cuda_row_lanes(described, tree) {}

  void open_tiles() override {
    open_threads();
    if (columns())
      begin_columns();
    else
      begin_rows();
    declare_resident();
  }

  void load(unsigned phase) override {
    const auto loads = plan_.loaded(phase);
    for (const bool varies : {false, true}) {
      if (std::ranges::none_of(loads, [&](std::uint32_t i) { return is_early(i, varies); })) continue;
      if (varies) open_rows();
      for (const std::uint32_t i : loads)
        if (is_early(i, varies)) load_lanes(i);
      if (varies) close_rows();
    }
    for (const std::uint32_t i : loads) {
      if (!is_loaded_late(i)) continue;
      declare_read(i, loaded(i));
      load_lanes(i);
    }
  }

  void close_elements(unsigned) override {
    out_.close();
    out_.close();
  }

  void scan(unsigned phase, unsigned level) override {
    each_scan(phase, [&](std::uint32_t i) {
      if (plan_.level(phase, i) != level) return;
      statement scan{.kind = statement_kind::scan, .scope = scope_of_row(described_)};
      scan.instruction = i;
      out_.add(scan);
      keep_scan(i);
    });
  }

 private:
  bool is_clustered() const { return chosen().cluster > 1; }
  /// Steps of a chunk: of a resident row all of them, wherever they will be held.
  int steps() const { return chosen().steps + chosen().shared_steps; }
  /// Threads along a row.
  int threads() const { return chosen().threads_along * chosen().cluster; }

  // Where values are held.

  bool is_resident_read(std::uint32_t i) const { return plan_.resident_read(i) != nullptr; }
  /// What a thread has of a step: one for each step and row.
  expression of_step(expression of, bool varies) { return (varies ? of_row(of) : of)[step()]; }
  expression loaded(std::uint32_t i) override {
    const expression named = loaded_read(i);
    return is_loaded_late(i) ? named : of_step(named, access_varies(i));
  }
  /// Operands that all rows share hit the cache: beside a resident row they are loaded one step at a time,
  /// which saves registers.
  bool is_loaded_late(std::uint32_t i) const {
    return chosen().resident && !access_varies(i) && !is_resident_read(i);
  }
  bool is_early(std::uint32_t i, bool varies) const {
    return !is_loaded_late(i) && access_varies(i) == varies;
  }
  expression held(std::uint32_t i) override { return lane_of(of_step(name("h", i), true), lane()); }
  std::optional<expression> of_chunk(expression values) override { return values[step()][lane()]; }
  void scan_element(std::uint32_t i, const partial_values& from) override {
    const expression guard = lane_guard();
    const partial_values named = elements_of_chunk(i);
    for (std::size_t k = 0; k < named.size(); ++k) {
      const expression place = named[k][step()][lane()];
      if (guard.is_set())
        out_.assign_if(guard, place, from[k]);
      else
        out_.assign(place, from[k]);
    }
  }
  expression is_first_step() override {
    const expression is_first = step() == 0;
    return chosen().resident ? is_first : chunk_start() == 0 && is_first;
  }
  // The row of a thread.

  void begin_columns() {
    out_.let(narrow_index_type, position(), thread_along() * (has_spread_lanes() ? 1 : vector()));
    decode_rows(block());
  }

  void begin_rows() {
    const expression thread = tree_.row.thread, number = name("number"), active = name("active");
    if (is_clustered()) {
      // no block writes to another one's memory before that one has begun
      out_.arrive(thread_scope::cluster);
      out_.let(narrow_index_type, thread, name("rank") * chosen().threads_along + thread_along());
      out_.let(truth_type, active, name("true"));
      decode_rows(block() / chosen().cluster);
      return;
    }
    out_.let(narrow_index_type, thread, thread_along());
    const expression first =
        convert(kept_type(), block()) * (chosen().threads_across * rows_per_thread()) + thread_across();
    if (rows_per_thread() > 1) {
      out_.let(kept_type(), number, first);
      out_.variable(truth_type, active[rows_per_thread()]);
    } else {
      // threads without a row work on the last one, so that none is missing where values are exchanged
      out_.variable(kept_type(), number, first);
      out_.let(truth_type, active, number < name("a.rows"));
      out_.assign_if(!active, number, name("a.rows") - 1);
    }
    decode_rows(number);
  }

  void declare_resident() {
    for (const resident_value& resident : plan_.resident()) {
      const value_type type = resident.is_read ? vector_of_read(resident.index)
                                               : vector_of(value_of(code(resident.index).type), vector());
      expression named = name(resident.prefix(), resident.index);
      if (!resident.is_read || access_varies(resident.index)) named = with_rows(named);
      statement& declared = out_.variable(type, named[steps()]);
      declared.space = memory_space::resident;
      declared.zeroed = resident.is_read;
      if (resident.is_read) declared.access = resident.index;
    }
  }

  // One phase's loop over the reduced axes.

  void open_loop(unsigned phase) override {
    declare_last(phase);
    if (scans_in(phase)) {
      out_.open_scope();
      begin_scans(phase);
      if (chosen().resident)
        out_.let(narrow_index_type, name("parity"), integer(0));
      else
        out_.variable(narrow_index_type, name("parity"), integer(0));
    }
    open_chunk_loop(phase);
    begin_chunk(phase);
    for (const std::uint32_t i : plan_.loaded(phase))
      if (!is_loaded_late(i) && !is_resident_read(i))
        declare_read(i, (access_varies(i) ? with_rows(loaded_read(i)) : loaded_read(i))[steps()]);
    if (scans_in(phase)) begin_levels(phase);
  }
  void close_loop(unsigned phase) override {
    end_chunk(phase);
    out_.close();
    set_last(phase);
    if (scans_in(phase)) out_.close();
  }

  /// As much of a row, or of columns, as the threads take at once.
  void open_chunk_loop(unsigned phase) {
    const schedule& s = chosen();
    statement loop{.kind = statement_kind::loop, .loop = loop_kind::chunks, .step_by = loop_step::by_amount};
    loop.instruction = phase;
    if (!s.resident) {
      // where threads wait for each other in a chunk, pieces of rows take as many chunks as whole ones
      const bool scans = scans_in(phase);
      loop.type = reduced_type();
      loop.target = chunk_start();
      loop.begin = integer(0);
      loop.end = scans ? extent(reduced_axes_[0]) : length();
      loop.step = integer(columns() ? s.threads_across * s.steps : threads() * vector() * s.steps);
      if (scans) loop.toggled = name("parity");
    }
    out_.open(loop);
    if (s.resident && columns()) out_.let(narrow_index_type, chunk_start(), integer(0));
  }

  expression accumulator(std::uint32_t i, expression lane) override {
    return adds_by_chunks(code(i)) ? of_row(name("chunk", i))[lane] : sum(i, lane);
  }
  void begin_chunk(unsigned phase) {
    each_reduction(phase, [&](std::uint32_t i, const instruction& made) {
      if (!adds_by_chunks(made)) return;
      const bool starts_negative = is_total_of_scan(made);
      out_.variable(value_of(made.compute), with_rows(name("chunk", i))[vector()]).zeroed = !starts_negative;
      if (!starts_negative) return;
      open_rows();
      open_lanes();
      out_.assign(accumulator(i, lane()), start_of(i));
      out_.close();
      close_rows();
    });
  }
  void end_chunk(unsigned phase) {
    each_reduction(phase, [&](std::uint32_t i, const instruction& made) {
      if (!adds_by_chunks(made)) return;
      open_rows();
      open_lanes();
      combine(i, sums(i, lane()), {accumulator(i, lane())});
      out_.close();
      close_rows();
    });
  }

  /// Room for what levels of a chunk hand on. Elements past the end of a row change nothing.
  void begin_levels(unsigned phase) {
    for (const std::uint32_t i : plan_.evaluated(phase))
      if (is_array(i)) declare_arrays_of_chunk(i, {chosen().steps, vector()});
    each_scan(phase, [&](std::uint32_t i) {
      partial_values elements = elements_of_chunk(i);
      out_.open_count(loop_kind::unrolled, step(), chosen().steps);
      open_lanes();
      for (expression& each : elements) each = each[step()][lane()];
      assign_all(elements, starts_of(i));
      out_.close();
      out_.close();
    });
  }
  void keep_scan(std::uint32_t i) {
    if (plan_.resident_instruction(i) == nullptr) return;
    out_.open_count(loop_kind::unrolled, step(), chosen().steps);
    open_lanes();
    keep_value(i);
    out_.close();
    out_.close();
  }

  /// Steps of all chunks one after the other.
  expression step_number() override {
    if (chosen().resident) return step();
    const int between = columns() ? chosen().threads_across : threads() * vector();
    return convert(narrow_index_type, chunk_start() / between) + step();
  }
  expression number_of_step(expression step, expression lane) override {
    const expression number = convert(index_type, step);
    if (!columns()) return (number * threads() + tree_.row.thread) * vector() + lane;
    if (!has_scans(body())) return number * chosen().threads_across + thread_across();
    // see open_step()
    return (number / steps() * chosen().threads_across + thread_across()) * steps() + number % steps();
  }

  void open_step() override {
    out_.open_count(loop_kind::unrolled, step(), steps());
    const expression first = position(), end = length();
    if (!columns()) {
      const expression position = (step() * threads() + tree_.row.thread) * vector();
      if (chosen().resident)
        out_.let(narrow_index_type, first, position);
      else
        out_.let(reduced_type(), first, chunk_start() + position);
      out_.open_guard(first < end).of_elements = true;
      return reduced_positions(first);
    }
    // in a scan each thread has consecutive elements, and the next thread across has the next ones
    const expression start = chunk_start(), along = name("r");
    out_.let(reduced_type(), along,
             has_scans(body()) ? start + thread_across() * steps() + step()
                               : start + step() * chosen().threads_across + thread_across());
    out_.open_guard(along < end && first < lanes_left()).of_elements = true;
    reduced_positions(along);
  }
  void declare_read(std::uint32_t i, expression place) {
    statement& declared = out_.variable(vector_of_read(i), place);
    declared.zeroed = true;
    declared.access = i;
  }
};

}  // namespace

std::unique_ptr<tile_steps> make_cuda_rows(const kernel_description& described, loop_tree& tree) {
  return std::make_unique<cuda_rows>(described, tree);
}

}  // namespace sinter::inline v0::codegen
