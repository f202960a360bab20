// Kernels that reduce, for NVIDIA GPUs. A kept row is loaded once: its elements stay in registers, where the
// schedule says so further ones in shared memory, and a row that is too long for one block is shared by a
// cluster's.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include <sinter/codegen/base/integers.hpp>
#include <sinter/codegen/print/complex_text.hpp>
#include <sinter/codegen/print/cuda/cuda_helpers.hpp>
#include <sinter/codegen/print/cuda/emit_cuda_lanes.hpp>
#include <sinter/codegen/schedule/choose_rows.hpp>

namespace sinter::codegen {
namespace {

class cuda_reduction_emitter final : public cuda_lanes {
 public:
  explicit cuda_reduction_emitter(emission& kernel) : cuda_lanes(kernel) {}

 private:
  std::string preamble() const override { return cuda_preamble(); }

  int block() const { return chosen().threads_along * chosen().threads_across; }
  /// Elements that the threads along a row take in one step.
  int step() const { return threads() * vector(); }

  // names and places

  bool is_kept_read(std::uint32_t i) const { return plan_.kept_read(i) != nullptr; }

  /// What a thread has of a step: in registers one for each step and row.
  std::string of_step(bool varies) const {
    return in_shared_ ? "" : fmt::format("{}[s]", varies ? of_row() : "");
  }
  std::string loaded(std::uint32_t i) const override {
    return fmt::format("{}{}{}", load_name_, i,
                       is_loaded_late(i) ? std::string() : of_step(access_varies(i)));
  }
  /// What all rows share comes from the cache: beside a kept row it is loaded a step at a time, for its
  /// registers' sake.
  bool is_loaded_late(std::uint32_t i) const {
    return chosen().kept && !access_varies(i) && !is_kept_read(i);
  }
  std::string held(std::uint32_t i) const { return fmt::format("h{}{}", i, of_step(true)); }

  std::string element(std::uint32_t i) const override {
    return fmt::format("{}.e[{}]", loaded(i), lanes(i) > 1 ? "e" : "0");
  }
  void store_element(std::uint32_t i, const std::string& value) override {
    out_.line(fmt::format("out{}.e[e] = {};", i, value));
  }
  std::string element_value(std::uint32_t i) const override {
    const kept_value* kept = plan_.kept_instruction(i);
    return kept != nullptr && kept->first != phase_ ? fmt::format("{}.e[e]", held(i))
                                                    : fmt::format("v{}{}", i, is_array(i) ? of_turn() : "");
  }
  std::string_view of_turn() const override { return "[s][e]"; }
  void scan_element(std::uint32_t i, const std::string& from) override {
    const std::string guard = lane_guard();
    out_.line(fmt::format("{}v{}[s][e] = {};", guard.empty() ? "" : fmt::format("if ({}) ", guard), i, from));
  }
  void keep_value(std::uint32_t i) override {
    if (plan_.kept_instruction(i) != nullptr)
      out_.line(fmt::format("{}.e[e] = {};", held(i), element_value(i)));
  }
  std::string quotient(std::string_view number, unsigned axis) const override {
    return fmt::format("divide_wide({}, a.d{})", number, axis);
  }

  using cuda_lanes::pack_of;
  std::string pack_of(const kept_value& kept) const {
    return kept.is_read ? pack_of(kept.index)
                        : fmt::format("pack<{}, {}>", spelling(code(kept.index).type), vector());
  }
  std::string name_of(const kept_value& kept) const {
    return kept.is_read ? loaded(kept.index) : held(kept.index);
  }
  std::string in_shared_memory(const kept_value& kept) const {
    return fmt::format("shared_{}{}[s * {} + cell]", kept.is_read ? "in" : "h", kept.index, block());
  }

  // the kernel

  void kernel() override {
    const schedule& s = chosen();
    out_.str() += cuda_divide_wide;
    out_.str() += shared_digit_helper(kernel_);
    out_.str() += cuda_exchange;
    out_.str() += complex_exchange_text(kernel_, {"exchange"});
    if (clustered()) out_.str() += cuda_cluster;
    if (s.shared_steps > 0) out_.str() += cuda_copy_ahead;
    if (s.staged) out_.str() += cuda_staging;
    if (has_scans(body())) {
      out_.str() += cuda_scan_helpers();
      out_.str() += complex_exchange_text(kernel_, {"from_below", "from_thread"});
    }
    open_cuda_kernel(kernel_, block(), out_);
    if (columns())
      begin_columns();
    else
      begin_rows();
    declare_kept();
    row();
    give_rows();
    out_.close();
  }

  void begin_columns() {
    out_.line(fmt::format("const int x = threadIdx.x * {};", vector()));
    decode_rows("blockIdx.x");
  }

  void begin_rows() {
    const schedule& s = chosen();
    if (clustered()) {
      // no block writes to another one's memory before that one has begun
      out_.line("arrive_at_cluster();");
      out_.line(fmt::format("const int rank = blockIdx.x % {0}, thread = rank * {1} + threadIdx.x;",
                            s.cluster, s.threads_along));
      out_.line("const bool active = true;");
      decode_rows(fmt::format("blockIdx.x / {}", s.cluster));
      return;
    }
    out_.line("const int thread = threadIdx.x;");
    if (s.staged) take_rows();
    const std::string first =
        fmt::format("(long long)blockIdx.x * {} + threadIdx.y", s.threads_across * rows_per_thread());
    if (rows_per_thread() > 1) {
      out_.line(fmt::format("const long long number = {};", first));
      out_.line(fmt::format("bool active[{}];", rows_per_thread()));
    } else {
      // threads without a row work on the last one, so that none is missing where values are exchanged
      out_.line(fmt::format("long long number = {};", first));
      out_.line("const bool active = number < a.rows;");
      out_.line("if (!active) number = a.rows - 1;");
    }
    decode_rows("number");
  }

  // Staged rows: those of a block lie side by side, in memory as in shared memory. Its threads move them
  // together, whatever their length is, and each works on its own there.

  bool is_staged(std::uint32_t i) const { return chosen().staged && has_own_elements(body(), at(i)); }
  int rows_of_block() const { return chosen().threads_across * rows_per_thread(); }
  std::string row_begin(std::uint32_t i, const std::string& offset) const override {
    return is_staged(i) ? fmt::format("staged{} + (int)({} - first) * {}", i,
                                      rows_per_thread() > 1 ? "row" : "number", chosen().steps)
                        : cuda_lanes::row_begin(i, offset);
  }
  void move_rows(std::uint32_t i, std::string_view to, std::string_view from) {
    const auto bytes = static_cast<int>(size_of(at(i).type));
    const int packs = divide_up(rows_of_block() * chosen().steps * bytes, 16 * block());
    out_.line(fmt::format("move_rows<{}, {}>({}{}, {}{}, ahead{}, count, threadIdx.y);", packs, block(), to,
                          i, from, i, i));
  }
  void take_rows() {
    const int rows = rows_of_block();
    out_.line(fmt::format("const long long first = (long long)blockIdx.x * {};", rows));
    out_.line(fmt::format("const int count = (a.rows - first < {0} ? (int)(a.rows - first) : {0}) * {1};",
                          rows, chosen().steps));
    for (std::uint32_t i = 0; i < count(); ++i) {
      if (!is_staged(i)) continue;
      const bool reads = at(i).what == access::kind::read;
      out_.line(fmt::format("__shared__ __align__(16) {} stage{}[{}];", storage(i), i,
                            rows * chosen().steps + 16 / static_cast<int>(size_of(at(i).type))));
      out_.line(fmt::format("{}{}* const side{} = {} + first * {};", reads ? "const " : "", storage(i), i,
                            kernel_.base_pointer(i), chosen().steps));
      out_.line(fmt::format("const int ahead{0} = elements_ahead(side{0});", i));
      out_.line(fmt::format("{0}* const staged{1} = stage{1} + ahead{1};", storage(i), i));
      if (reads) move_rows(i, "staged", "side");
    }
    out_.line("__syncthreads();");
  }
  void give_rows() {
    if (!chosen().staged) return;
    out_.line("__syncthreads();");
    for (std::uint32_t i = 0; i < count(); ++i)
      if (is_staged(i) && at(i).what == access::kind::write) move_rows(i, "side", "staged");
  }

  void declare_kept() {
    const schedule& s = chosen();
    const std::string rows = rows_per_thread() > 1 ? fmt::format("[{}]", rows_per_thread()) : std::string();
    if (s.shared_steps > 0 && plan_.bytes_kept() > 0) {
      out_.line(fmt::format("const int cell = threadIdx.y * {} + threadIdx.x;", s.threads_along));
      out_.line("extern __shared__ uint4 shared[];");
      for (const kept_value& kept : plan_.kept())
        out_.line(fmt::format(
            "{0}* const shared_{1}{2} = reinterpret_cast<{0}*>(reinterpret_cast<char*>(shared) + {3});",
            pack_of(kept), kept.is_read ? "in" : "h", kept.index,
            plan_.slot_offset(kept.slot) * static_cast<unsigned>(vector() * block() * s.shared_steps)));
      for (const kept_value& kept : plan_.kept())
        if (is_copied_ahead(kept)) copy_ahead(kept.index);
    }
    for (const kept_value& kept : plan_.kept())
      out_.line(fmt::format("{} {}{}{}[{}]{};", pack_of(kept), kept.is_read ? "in" : "h", kept.index,
                            !kept.is_read || access_varies(kept.index) ? rows : std::string(), s.steps,
                            kept.is_read ? " = {}" : ""));
  }

  /// Reads that go to shared memory without passing through registers.
  bool is_copied_ahead(const kept_value& kept) const {
    return chosen().shared_steps > 0 && kept.is_read && kept.first == 0 && is_wide(kept.index) &&
           chosen().whole_rows && size_of(at(kept.index).type) * static_cast<std::size_t>(vector()) == 16;
  }
  void copy_ahead(std::uint32_t i) {
    unroll(fmt::format("for (int s = 0; s < {}; ++s) {{", chosen().shared_steps));
    begin_step(fmt::format("(s + {})", chosen().steps));
    out_.line(fmt::format("copy_ahead(&{}, {} + ({}), {});", in_shared_memory(*plan_.kept_read(i)),
                          pointer(i), index(i, ""), kernel_.property(i)));
    end_step();
  }

  // one phase's loop over the reduced axes

  void loop(unsigned phase) override {
    if (!scans_in(phase)) return walk(phase);
    out_.open("{");
    begin_scans(phase);
    out_.line(chosen().kept ? "const int turn = 0;" : "int turn = 0;");
    walk(phase);
    out_.close();
  }

  void walk(unsigned phase) {
    const schedule& s = chosen();
    const bool scans = scans_in(phase);
    if (s.kept) {
      if (s.shared_steps > 0 && phase == 0) waits_for_copies_ = true;
      out_.open("{");
      if (columns()) out_.line("const int start = 0;");
      turn(phase);
      out_.close();
      if (s.shared_steps > 0) shared_loop(phase);
      return;
    }
    const int stride = columns() ? s.threads_across * s.steps : step() * s.steps;
    if (serves_all_lanes(phase)) {
      // whole turns first: what they load is little, and tests would be much of what is left
      out_.open("{");
      out_.line("long long start = 0;");
      whole_turns(phase, stride);
      out_.open(fmt::format("for (; start < n; start += {}) {{", stride));
      turn(phase);
      out_.close();
      out_.close();
      return;
    }
    // where threads wait for each other in a turn, pieces of rows take as many turns as whole ones
    const std::string end = scans ? fmt::format("a.e{}", reduced_[0]) : std::string("n");
    out_.open(fmt::format("for (long long start = 0; start < {}; start += {}{}) {{", end, stride,
                          scans ? ", turn ^= 1" : ""));
    turn(phase);
    out_.close();
  }

  /// Whether columns load nothing in a phase that differs along axis 0, and store nothing: then lanes and
  /// threads past its end load what those before it do.
  bool serves_all_lanes(unsigned phase) {
    bool stores = scans_in(phase);
    each_element_store(phase, [&](const store&) { stores = true; });
    const auto reads = plan_.loaded(phase);
    return columns() && !stores && !reads.empty() &&
           std::none_of(reads.begin(), reads.end(),
                        [&](std::uint32_t i) { return at(i).moves_along(lane_axis()); });
  }

  /// Turns that lie in the column; what each loads is on its way while the one before is evaluated.
  void whole_turns(unsigned phase, int stride) {
    is_whole_turn_ = true;
    const std::span<const std::uint32_t> reads = plan_.loaded(phase);
    for (const std::uint32_t i : reads) declare_read(i);
    out_.open(fmt::format("if (start + {} <= n) {{", stride));
    load_step(reads);
    out_.close();
    out_.open(fmt::format("for (; start + {0} <= n; start += {0}) {{", stride));
    begin_turn(phase);
    for (const std::uint32_t i : reads)
      out_.line(fmt::format("{} now{}[{}];", pack_of(i), i, chosen().steps));
    unroll(fmt::format("for (int s = 0; s < {}; ++s) {{", chosen().steps));
    for (const std::uint32_t i : reads) out_.line(fmt::format("now{0}[s] = in{0}[s];", i));
    out_.close();
    out_.line(fmt::format("const long long next = start + {};", stride));
    out_.open(fmt::format("if (next + {} <= n) {{", stride));
    turn_start_ = "next";
    load_step(reads);
    turn_start_ = "start";
    out_.close();
    load_name_ = "now";
    open_step();
    elements(phase);
    end_step();
    load_name_ = "in";
    end_turn(phase);
    out_.close();
    is_whole_turn_ = false;
  }

  /// Floating sums of a turn are added up by themselves: chains of additions are shorter so.
  bool adds_by_turns(const instruction& made) const {
    return !chosen().kept && chosen().steps > 1 && facts(made.op).combine == operation::add &&
           is_inexact(made.compute);
  }
  std::string accumulator(std::uint32_t i, std::string_view lane) const override {
    return adds_by_turns(code(i)) ? fmt::format("turn{}{}[{}]", i, of_row(), lane) : sum(i, lane);
  }
  void begin_turn(unsigned phase) {
    const std::string rows = rows_per_thread() > 1 ? fmt::format("[{}]", rows_per_thread()) : std::string();
    each_reduction(phase, [&](std::uint32_t i, const instruction& made) {
      if (adds_by_turns(made))
        out_.line(fmt::format("{} turn{}{}[{}] = {{}};", spelling(made.compute), i, rows, vector()));
    });
  }
  void end_turn(unsigned phase) {
    each_reduction(phase, [&](std::uint32_t i, const instruction& made) {
      if (!adds_by_turns(made)) return;
      open_rows();
      open_lanes();
      join(made, sum(i, "e"), {}, accumulator(i, "e"), {});
      out_.close();
      close_rows();
    });
  }

  /// As much of a row, or of columns, as the threads take at once.
  void turn(unsigned phase) {
    const bool scans = scans_in(phase);
    begin_turn(phase);
    std::vector<std::uint32_t> early, late;
    for (const std::uint32_t i : plan_.loaded(phase)) (is_loaded_late(i) ? late : early).push_back(i);
    for (const std::uint32_t i : early)
      if (!is_kept_read(i)) declare_read(i);
    if (!early.empty()) load_step(early);
    if (scans) {
      declare_arrays(phase, fmt::format("[{}][{}]", chosen().steps, vector()));
      each_scan(phase, [&](std::uint32_t i) { scans_.clear(i); });
      level_ = 0;
    }
    open_step();
    for (const std::uint32_t i : late) {
      out_.line(fmt::format("{} {} = {{}};", pack_of(i), loaded(i)));
      load(i);
    }
    open_rows();
    elements(phase);
    close_rows();
    end_step();
    if (scans) scan_levels(phase);
    end_turn(phase);
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

  /// Scans of a level, and the level that waits for them.
  void scan_levels(unsigned phase) {
    while (true) {
      each_scan(phase, [&](std::uint32_t i) {
        if (plan_.level(phase, i) != level_) return;
        if (columns())
          scans_.turn_of_columns(i);
        else
          scans_.turn_of_rows(i);
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
    if (plan_.kept_instruction(i) == nullptr) return;
    unroll(fmt::format("for (int s = 0; s < {}; ++s) {{", chosen().steps));
    open_lanes();
    keep_value(i);
    out_.close();
    out_.close();
  }

  /// The steps of a row that lie in shared memory.
  void shared_loop(unsigned phase) {
    in_shared_ = true;
    if (waits_for_copies_) {
      waits_for_copies_ = false;
      if (std::any_of(plan_.kept().begin(), plan_.kept().end(),
                      [&](const kept_value& kept) { return is_copied_ahead(kept); }))
        out_.line("wait_for_copies();");
    }
    out_.line("#pragma unroll 2");
    out_.open(fmt::format("for (int s = 0; s < {}; ++s) {{", chosen().shared_steps));
    begin_step(fmt::format("(s + {})", chosen().steps));
    for (const std::uint32_t i : plan_.loaded(phase)) {
      const kept_value* kept = plan_.kept_read(i);
      if (kept != nullptr && is_copied_ahead(*kept)) {
        out_.line(fmt::format("const {} {} = {};", pack_of(i), loaded(i), in_shared_memory(*kept)));
        continue;
      }
      out_.line(fmt::format("{} {} = {{}};", pack_of(i), loaded(i)));
      load(i);
      if (kept != nullptr) out_.line(fmt::format("{} = {};", in_shared_memory(*kept), loaded(i)));
    }
    for (const kept_value& kept : plan_.kept()) {
      if (kept.is_needed_in(phase))
        out_.line(fmt::format("const {} {} = {};", pack_of(kept), name_of(kept), in_shared_memory(kept)));
      else if (!kept.is_read && kept.first == phase)
        out_.line(fmt::format("{} {};", pack_of(kept), name_of(kept)));
    }
    elements(phase);
    for (const kept_value& kept : plan_.kept())
      if (!kept.is_read && kept.first == phase)
        out_.line(fmt::format("{} = {};", in_shared_memory(kept), name_of(kept)));
    end_step();
    in_shared_ = false;
  }

  void open_step() {
    const schedule& s = chosen();
    unroll(fmt::format("for (int s = 0; s < {}; ++s) {{", s.steps));
    if (!columns()) return begin_step("s");
    // of a scan, each thread has neighbours, and the threads above it the ones that follow
    out_.line(
        has_scans(body())
            ? fmt::format("const long long r = {} + threadIdx.y * {} + s;", turn_start_, s.steps)
            : fmt::format("const long long r = {} + s * {} + threadIdx.y;", turn_start_, s.threads_across));
    out_.open(is_whole_turn_ ? "{" : "if (r < n && x < left0) {");
    reduced_positions("r");
  }
  void begin_step(std::string_view number) {
    if (chosen().kept)
      out_.line(fmt::format("const int x = ({} * {} + thread) * {};", number, threads(), vector()));
    else
      out_.line(
          fmt::format("const long long x = start + ({} * {} + thread) * {};", number, threads(), vector()));
    // the text of staged rows has their length
    out_.open(chosen().staged ? "{" : "if (x < n) {");
    reduced_positions("x");
  }
  void end_step() {
    out_.close();
    out_.close();
  }

  void declare_read(std::uint32_t i) {
    const std::string rows =
        rows_per_thread() > 1 && access_varies(i) ? fmt::format("[{}]", rows_per_thread()) : std::string();
    out_.line(fmt::format("{} in{}{}[{}] = {{}};", pack_of(i), i, rows, chosen().steps));
  }

  std::string_view load_name_ = "in", turn_start_ = "start";
  bool in_shared_ = false;         ///< the loop being emitted is that over shared memory
  bool waits_for_copies_ = false;  ///< copies to shared memory are on their way
  bool is_whole_turn_ = false;     ///< no test whether a step lies in the row
};

}  // namespace

std::string emit_cuda_reduction(emission& kernel) { return cuda_reduction_emitter(kernel).run(); }

}  // namespace sinter::codegen
