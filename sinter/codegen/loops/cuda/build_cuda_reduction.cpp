// Kernels that reduce or scan, for NVIDIA GPUs. A kept row is loaded once: its elements stay in registers,
// where the schedule says so further ones in shared memory, and a row that is too long for one block is
// shared by a cluster's.

#include <sinter/codegen/loops/build_loops.hpp>
#include <sinter/codegen/loops/cuda/cuda_row_lanes.hpp>
#include <sinter/codegen/loops/cuda/staged_rows.hpp>
#include <sinter/codegen/target/cuda_limits.hpp>

#include <algorithm>

namespace sinter::inline v0::codegen {
namespace {

class cuda_reduction_builder final : public cuda_row_lanes {
 public:
  cuda_reduction_builder(const kernel_description& described, loop_tree& tree)
      : cuda_row_lanes(described, tree), staged_(described, tree) {}

  void build() {
    if (columns())
      begin_columns();
    else
      begin_rows();
    declare_resident();
    row();
    if (chosen().staged) staged_.store(out_);
  }

 private:
  bool is_clustered() const { return chosen().cluster > 1; }
  int block_size() const { return chosen().threads_along * chosen().threads_across; }
  /// Threads along a row.
  int threads() const { return chosen().threads_along * chosen().cluster; }
  expression s() { return name("s"); }

  // Where values are held.

  bool is_resident_read(std::uint32_t i) const { return plan_.resident_read(i) != nullptr; }
  /// What a thread has of a step: in registers one for each step and row.
  expression of_step(expression of, bool varies) {
    if (in_shared_) return of;
    return (varies ? of_row(of) : of)[s()];
  }
  expression loaded(std::uint32_t i) override {
    const expression named = name(load_name_, i);
    return is_loaded_late(i) ? named : of_step(named, access_varies(i));
  }
  /// What all rows share comes from the cache: beside a kept row it is loaded a step at a time, for its
  /// registers' sake.
  bool is_loaded_late(std::uint32_t i) const {
    return chosen().resident && !access_varies(i) && !is_resident_read(i);
  }
  expression held(std::uint32_t i) { return of_step(name("h", i), true); }

  expression element_value(std::uint32_t i) override {
    const resident_value* resident = plan_.resident_instruction(i);
    if (resident != nullptr && resident->first != phase_) return lane_of(held(i), name("e"));
    return is_array(i) ? *of_chunk(name("v", i)) : name("v", i);
  }
  std::optional<expression> of_chunk(expression values) override { return values[s()][name("e")]; }
  void scan_element(std::uint32_t i, expression from) override {
    const expression guard = lane_guard(), place = name("v", i)[s()][name("e")];
    if (guard.is_set())
      out_.assign_if(guard, place, from);
    else
      out_.assign(place, from);
  }
  void keep_value(std::uint32_t i) override {
    if (plan_.resident_instruction(i) != nullptr) out_.assign(lane_of(held(i), name("e")), element_value(i));
  }
  value_type type_of(const resident_value& resident) const {
    return resident.is_read ? vector_of_read(resident.index)
                            : vector_of(value_of(code(resident.index).type), vector());
  }
  std::string_view prefix_of(const resident_value& resident) const { return resident.is_read ? "in" : "h"; }
  expression place_of(const resident_value& resident) {
    return resident.is_read ? loaded(resident.index) : held(resident.index);
  }
  expression in_shared_memory(const resident_value& resident) {
    return name("shared_", prefix_of(resident), resident.index)[s() * block_size() + name("cell")];
  }

  // The row of a thread.

  void begin_columns() {
    out_.let(narrow_index_type, name("x"), thread_along() * (has_spread_lanes() ? 1 : vector()));
    decode_rows(block());
  }

  void begin_rows() {
    const expression thread = name("thread"), number = name("number"), active = name("active");
    if (is_clustered()) {
      // no block writes to another one's memory before that one has begun
      out_.barrier("arrive_at_cluster");
      out_.let(narrow_index_type, name("rank"), block() % chosen().cluster);
      out_.let_too(narrow_index_type, thread, name("rank") * chosen().threads_along + thread_along());
      out_.let(truth_type, active, name("true"));
      decode_rows(block() / chosen().cluster);
      return;
    }
    out_.let(narrow_index_type, thread, thread_along());
    if (chosen().staged) staged_.load(out_);
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

  expression row_begin(std::uint32_t i, expression offset) override {
    if (!staged_.is_staged(i)) return cuda_row_lanes::row_begin(i, offset);
    return staged_.row_begin(i, rows_per_thread() > 1 ? name("row") : name("number"));
  }

  void declare_resident() {
    if (chosen().shared_steps > 0 && plan_.resident_bytes() > 0) declare_shared_memory();
    for (const resident_value& resident : plan_.resident()) {
      expression named = name(prefix_of(resident), resident.index);
      if (!resident.is_read || access_varies(resident.index)) named = with_rows(named);
      out_.variable(type_of(resident), named[chosen().steps]).zeroed = resident.is_read;
    }
  }
  void declare_shared_memory() {
    out_.let(narrow_index_type, name("cell"), thread_across() * chosen().threads_along + thread_along());
    out_.variable({}, name("shared")).space = memory_space::shared_of_launch;
    for (const resident_value& resident : plan_.resident()) {
      const auto offset = plan_.slot_offset(resident.slot) *
                          static_cast<std::uint32_t>(vector() * block_size() * chosen().shared_steps);
      const value_type type = pointer_to(type_of(resident));
      out_.let(type, name("shared_", prefix_of(resident), resident.index),
               tree_.expressions.make(expression_kind::shared_of_launch, {}, offset, type));
    }
    for (const resident_value& resident : plan_.resident())
      if (is_copied_ahead(resident)) copy_ahead(resident);
  }

  /// Reads that go to shared memory without passing through registers.
  bool is_copied_ahead(const resident_value& resident) const {
    return chosen().shared_steps > 0 && resident.is_read && resident.first == 0 && is_wide(resident.index) &&
           chosen().whole_rows && size_of(at(resident.index).type) * static_cast<std::size_t>(vector()) == 16;
  }
  void copy_ahead(const resident_value& resident) {
    const std::uint32_t i = resident.index;
    out_.open_count(loop_kind::unrolled, "s", chosen().shared_steps);
    begin_step(s() + chosen().steps);
    out_.perform(out_.call("copy_ahead",
                           {address_of(in_shared_memory(resident)), pointer_of_row(i) + index_in_row(i, {}),
                            name(is_read_once(body(), i) ? "a.read_once" : "a.read_again")}));
    end_step();
  }

  // One phase's loop over the reduced axes.

  void loop(unsigned phase) override {
    if (!scans_in(phase)) return chunks(phase);
    out_.open_scope();
    begin_scans(phase);
    if (chosen().resident)
      out_.let(narrow_index_type, name("parity"), integer(0));
    else
      out_.variable(narrow_index_type, name("parity"), integer(0));
    chunks(phase);
    out_.close();
  }

  void chunks(unsigned phase) {
    const schedule& s = chosen();
    if (s.resident) {
      if (s.shared_steps > 0 && phase == 0) waits_for_copies_ = true;
      out_.open_scope();
      if (columns()) out_.let(narrow_index_type, name("start"), integer(0));
      chunk(phase);
      out_.close();
      if (s.shared_steps > 0) chunks_in_shared_memory(phase);
      return;
    }
    const int stride = columns() ? s.threads_across * s.steps : threads() * vector() * s.steps;
    if (serves_all_lanes(phase)) {
      // what whole chunks load is little, and tests would be much of what is left
      out_.open_scope();
      out_.variable(reduced_type(), name("start"), integer(0));
      chunks_loaded_ahead(phase, stride);
      open_chunks({}, name("start") < name("n"), stride);
      chunk(phase);
      out_.close();
      out_.close();
      return;
    }
    if (splits_chunks(phase)) return whole_chunks_first(phase, stride);
    // where threads wait for each other in a chunk, pieces of rows take as many chunks as whole ones
    const bool scans = scans_in(phase);
    const expression end = scans ? extent(reduced_axes_[0]) : name("n");
    open_chunks(integer(0), name("start") < end, stride, scans ? name("parity") : expression());
    chunk(phase);
    out_.close();
  }
  void open_chunks(expression from, expression condition, int stride, expression toggled = {}) {
    statement loop{.kind = statement_kind::loop, .step_by = loop_step::by_amount};
    loop.type = reduced_type();
    loop.target = name("start");
    loop.value = from;
    loop.condition = condition;
    loop.step = integer(stride);
    loop.toggled = toggled;
    out_.open(loop);
  }

  /// Whether columns load nothing in a phase that differs along axis 0, and store nothing: then lanes and
  /// threads past its end load what those before it do.
  bool serves_all_lanes(unsigned phase) {
    bool stores = scans_in(phase);
    each_element_store(phase, [&](const store&) { stores = true; });
    const auto reads = plan_.loaded(phase);
    return columns() && !stores && !reads.empty() &&
           std::ranges::none_of(reads, [&](std::uint32_t i) { return at(i).moves_along(lane_axis()); });
  }

  /// Whether chunks that lie in the row whole have statements of their own. Their loads are all in flight at
  /// once, so they must fit the registers beside the sums; and of blocks of the most threads a multiprocessor
  /// holds two only where a thread has few.
  bool splits_chunks(unsigned phase) {
    constexpr int most_registers = 48;  // of the 64 with which a multiprocessor holds half of its threads
    if (scans_in(phase) || chosen().whole_rows || block_size() == most_block_threads) return false;
    if (chosen().steps == 1) return false;  // as after a spill
    return registers_of_chunk(phase) <= most_registers;
  }
  /// 32-bit registers of a thread's loads of a chunk, and of its sums.
  int registers_of_chunk(unsigned phase) {
    constexpr int register_bytes = 4;
    const auto registers = [](element_type type) {
      return (static_cast<int>(size_of(type)) + register_bytes - 1) / register_bytes;
    };
    int count = 0;
    for (const std::uint32_t i : plan_.loaded(phase)) {
      const int bytes = static_cast<int>(size_of(at(i).type)) * lanes(i);
      const int of_step =
          is_wide(i) ? (bytes + register_bytes - 1) / register_bytes : lanes(i) * registers(at(i).type);
      count += of_step * chosen().steps * rows_per_thread();
    }
    each_reduction(phase, [&](std::uint32_t, const instruction& made) {
      const int of_lane = registers(facts(made.compute).compute) * (adds_by_chunks(made) ? 2 : 1) +
                          (finds_position(made.op) ? registers(element_type::int64) : 0);
      count += of_lane * vector() * rows_per_thread();
    });
    return count;
  }

  /// Chunks that lie in the row whole, without tests of each step and lane, and then the rest.
  void whole_chunks_first(unsigned phase, int stride) {
    const expression start = name("start"), n = name("n");
    out_.open_scope();
    out_.variable(reduced_type(), start, integer(0));
    in_whole_chunk_ = true;
    open_chunks({}, start + stride <= n, stride);
    chunk(phase);
    out_.close();
    in_whole_chunk_ = false;
    out_.open_guard(start < n);
    chunk(phase);
    out_.close();
    out_.close();
  }

  /// Chunks that lie in the column whole; what each loads is on its way while the one before is evaluated.
  void chunks_loaded_ahead(unsigned phase, int stride) {
    in_whole_chunk_ = serves_all_lanes_ = true;
    const std::span<const std::uint32_t> reads = plan_.loaded(phase);
    const expression start = name("start"), next = name("next"), n = name("n");
    for (const std::uint32_t i : reads) declare_read(i);
    out_.open_guard(start + stride <= n);
    load_step(reads);
    out_.close();
    open_chunks({}, start + stride <= n, stride);
    begin_chunk(phase);
    for (const std::uint32_t i : reads) out_.variable(vector_of_read(i), name("now", i)[chosen().steps]);
    out_.open_count(loop_kind::unrolled, "s", chosen().steps);
    for (const std::uint32_t i : reads) out_.assign(name("now", i)[s()], name("in", i)[s()]);
    out_.close();
    out_.let(reduced_type(), next, start + stride);
    out_.open_guard(next + stride <= n);
    chunk_start_ = "next";
    load_step(reads);
    chunk_start_ = "start";
    out_.close();
    load_name_ = "now";
    open_step();
    elements(phase);
    end_step();
    load_name_ = "in";
    end_chunk(phase);
    out_.close();
    in_whole_chunk_ = serves_all_lanes_ = false;
  }

  /// Floating sums of a chunk are added up by themselves: chains of additions are shorter so.
  bool adds_by_chunks(const instruction& made) const {
    return !chosen().resident && chosen().steps > 1 && facts(made.op).combine == operation::add &&
           is_inexact(made.compute);
  }
  expression accumulator(std::uint32_t i, expression lane) override {
    return adds_by_chunks(code(i)) ? of_row(name("chunk", i))[lane] : sum(i, lane);
  }
  void begin_chunk(unsigned phase) {
    each_reduction(phase, [&](std::uint32_t i, const instruction& made) {
      if (adds_by_chunks(made))
        out_.variable(value_of(made.compute), with_rows(name("chunk", i))[vector()]).zeroed = true;
    });
  }
  void end_chunk(unsigned phase) {
    each_reduction(phase, [&](std::uint32_t i, const instruction& made) {
      if (!adds_by_chunks(made)) return;
      const expression e = name("e");
      open_rows();
      open_lanes();
      combine(i, sum(i, e), {}, accumulator(i, e), {});
      out_.close();
      close_rows();
    });
  }

  /// As much of a row, or of columns, as the threads take at once.
  void chunk(unsigned phase) {
    const bool scans = scans_in(phase);
    begin_chunk(phase);
    std::vector<std::uint32_t> early, late;
    for (const std::uint32_t i : plan_.loaded(phase)) (is_loaded_late(i) ? late : early).push_back(i);
    for (const std::uint32_t i : early)
      if (!is_resident_read(i)) declare_read(i);
    if (!early.empty()) load_step(early);
    if (scans) begin_levels(phase);
    open_step();
    for (const std::uint32_t i : late) {
      out_.variable(vector_of_read(i), loaded(i)).zeroed = true;
      load(i);
    }
    open_rows();
    elements(phase);
    close_rows();
    end_step();
    if (scans) scan_levels(phase);
    end_chunk(phase);
  }

  void load_step(std::span<const std::uint32_t> reads) {
    open_step();
    for (const std::uint32_t i : reads)
      if (!access_varies(i)) load(i);
    open_rows();
    for (const std::uint32_t i : reads)
      if (access_varies(i)) load(i);
    close_rows();
    end_step();
  }

  /// Room for what levels of a chunk hand on. Elements past the end of a row change nothing.
  void begin_levels(unsigned phase) {
    for (const std::uint32_t i : plan_.evaluated(phase))
      if (is_array(i)) out_.variable(value_of(code(i).type), name("v", i)[chosen().steps][vector()]);
    each_scan(phase, [&](std::uint32_t i) {
      out_.open_count(loop_kind::unrolled, "s", chosen().steps);
      open_lanes();
      out_.assign(name("v", i)[s()][name("e")], start_of(i));
      out_.close();
      out_.close();
    });
    level_ = 0;
  }
  /// Scans of a level, and the level that waits for them.
  void scan_levels(unsigned phase) {
    while (true) {
      each_scan(phase, [&](std::uint32_t i) {
        if (plan_.level(phase, i) != level_) return;
        statement scan{.kind = statement_kind::scan};
        scan.instruction = i;
        out_.add(scan);
        keep_scan(i);
      });
      if (++level_ == plan_.levels(phase)) break;
      open_step();
      elements(phase);
      end_step();
    }
    level_ = all_levels;
  }
  void keep_scan(std::uint32_t i) {
    if (plan_.resident_instruction(i) == nullptr) return;
    out_.open_count(loop_kind::unrolled, "s", chosen().steps);
    open_lanes();
    keep_value(i);
    out_.close();
    out_.close();
  }

  /// The steps of a row that lie in shared memory.
  void chunks_in_shared_memory(unsigned phase) {
    in_shared_ = true;
    if (waits_for_copies_ && std::ranges::any_of(plan_.resident(), [&](const resident_value& resident) {
          return is_copied_ahead(resident);
        }))
      out_.perform(out_.call("wait_for_copies", {}));
    waits_for_copies_ = false;
    out_.open_count(loop_kind::unrolled_twice, "s", chosen().shared_steps);
    begin_step(s() + chosen().steps);
    for (const std::uint32_t i : plan_.loaded(phase)) load_to_shared_memory(i);
    for (const resident_value& resident : plan_.resident()) {
      if (resident.is_needed_in(phase))
        out_.let(type_of(resident), place_of(resident), in_shared_memory(resident));
      else if (!resident.is_read && resident.first == phase)
        out_.variable(type_of(resident), place_of(resident));
    }
    elements(phase);
    for (const resident_value& resident : plan_.resident())
      if (!resident.is_read && resident.first == phase)
        out_.assign(in_shared_memory(resident), place_of(resident));
    end_step();
    in_shared_ = false;
  }
  void load_to_shared_memory(std::uint32_t i) {
    const resident_value* resident = plan_.resident_read(i);
    if (resident != nullptr && is_copied_ahead(*resident)) {
      out_.let(vector_of_read(i), loaded(i), in_shared_memory(*resident));
      return;
    }
    out_.variable(vector_of_read(i), loaded(i)).zeroed = true;
    load(i);
    if (resident != nullptr) out_.assign(in_shared_memory(*resident), loaded(i));
  }

  void open_step() {
    const schedule& how = chosen();
    out_.open_count(loop_kind::unrolled, "s", how.steps);
    if (!columns()) return begin_step(s());
    // of a scan, each thread has neighbours, and the threads above it the ones that follow
    const expression start = name(chunk_start_), r = name("r");
    out_.let(reduced_type(), r,
             has_scans(body()) ? start + thread_across() * how.steps + s()
                               : start + s() * how.threads_across + thread_across());
    const expression in_strip = name("x") < name("left0");
    if (serves_all_lanes_)
      out_.open_scope();
    else
      out_.open_guard(in_whole_chunk_ ? in_strip : r < name("n") && in_strip);
    reduced_positions(r);
  }
  void begin_step(expression number) {
    const expression x = name("x"), position = (number * threads() + name("thread")) * vector();
    if (chosen().resident)
      out_.let(narrow_index_type, x, position);
    else
      out_.let(reduced_type(), x, name("start") + position);
    // the text of staged rows has their length
    if (chosen().staged || in_whole_chunk_)
      out_.open_scope();
    else
      out_.open_guard(x < name("n"));
    reduced_positions(x);
  }
  void end_step() {
    out_.close();
    out_.close();
  }

  void declare_read(std::uint32_t i) {
    const expression named = access_varies(i) ? with_rows(name("in", i)) : name("in", i);
    out_.variable(vector_of_read(i), named[chosen().steps]).zeroed = columns() || !in_whole_chunk_;
  }

  staged_rows staged_;
  std::string_view load_name_ = "in", chunk_start_ = "start";
  bool in_shared_ = false;         ///< the loop that is being built is that over shared memory
  bool waits_for_copies_ = false;  ///< copies to shared memory are on their way
  bool serves_all_lanes_ = false;  ///< threads past the end of axis 0 load what those before it do
};

}  // namespace

void build_cuda_reduction(const kernel_description& described, loop_tree& tree) {
  cuda_reduction_builder(described, tree).build();
}

}  // namespace sinter::inline v0::codegen
