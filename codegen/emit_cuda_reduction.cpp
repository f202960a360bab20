// Kernels that reduce, for NVIDIA GPUs. A kept row is loaded once: its elements stay in registers, where the
// schedule says so further ones in shared memory, and a row that is too long for one block is shared by a
// cluster's.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include <sinter/codegen/cuda_helpers.hpp>
#include <sinter/codegen/emit_reduction.hpp>
#include <sinter/codegen/integers.hpp>

namespace sinter::codegen {
namespace {

constexpr int warp = 32;
constexpr int most_parts_of_a_thread = 8;  // more are joined by the lanes of a warp

class cuda_reduction_emitter final : public reduction_emitter {
 public:
  explicit cuda_reduction_emitter(emission& kernel) : reduction_emitter(kernel) {}

 private:
  std::string preamble() const override { return cuda_preamble(); }

  bool clustered() const { return chosen().cluster > 1; }
  int block() const { return chosen().threads_along * chosen().threads_across; }
  /// Threads along a row, and what they take in one step.
  int threads() const { return chosen().threads_along * chosen().cluster; }
  int step() const { return threads() * vector(); }

  // names and places

  /// Lanes of a read that differ.
  int lanes(std::uint32_t i) const { return at(i).strides[lane_axis()] == 0 ? 1 : vector(); }
  bool is_wide(std::uint32_t i) const {
    return vector() > 1 && !chosen().scalar_loads && at(i).strides[lane_axis()] == 1;
  }
  bool is_kept_read(std::uint32_t i) const { return plan_.kept_read(i) != nullptr; }

  /// What a thread has of a step: in registers one for each step and row.
  std::string of_step(bool varies) const {
    return in_shared_ ? "" : fmt::format("{}[s]", varies ? of_row() : "");
  }
  std::string loaded(std::uint32_t i) const {
    return fmt::format("in{}{}", i, is_loaded_late(i) ? std::string() : of_step(access_varies(i)));
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

  std::string pack_of(std::uint32_t i) const { return fmt::format("pack<{}, {}>", storage(i), lanes(i)); }
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
    out_.str() += cuda_exchange;
    if (clustered()) out_.str() += cuda_cluster;
    if (s.shared_steps > 0) out_.str() += cuda_copy_ahead;
    if (has_scans(body())) out_.str() += cuda_scan_helpers();
    out_.open(fmt::format("extern \"C\" __global__ void {}__launch_bounds__({}) {}({}) {{",
                          clustered() ? fmt::format("__cluster_dims__({}, 1, 1) ", s.cluster) : "", block(),
                          kernel_.entry,
                          kernel_.argument_block ? "const arguments* __restrict__ block"
                                                 : "const __grid_constant__ arguments a"));
    if (kernel_.argument_block) out_.line("const arguments& a = *block;");
    if (columns())
      begin_columns();
    else
      begin_rows();
    declare_kept();
    row();
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
    out_.line(fmt::format("copy_ahead(&{}, {} + ({}));", in_shared_memory(*plan_.kept_read(i)), pointer(i),
                          index(i, "")));
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
      out_.open(fmt::format("for (; start + {0} <= n; start += {0}) {{", stride));
      is_whole_turn_ = true;
      turn(phase);
      is_whole_turn_ = false;
      out_.close();
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

  /// Whether columns load nothing in a phase that differs from lane to lane, and store nothing.
  bool serves_all_lanes(unsigned phase) {
    bool stores = scans_in(phase);
    each_element_store(phase, [&](const store&) { stores = true; });
    const auto reads = plan_.loaded(phase);
    return columns() && !stores && !reads.empty() &&
           std::all_of(reads.begin(), reads.end(), [&](std::uint32_t i) { return lanes(i) == 1; });
  }

  /// Floating sums of a turn are added up by themselves: chains of additions are shorter so.
  bool adds_by_turns(const instruction& made) const {
    return !chosen().kept && chosen().steps > 1 && facts(made.op).combine == operation::add &&
           is_floating(made.compute);
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
    if (!early.empty()) {
      open_step();
      for (const std::uint32_t i : early)
        if (!access_varies(i)) load(i);
      open_rows();
      for (const std::uint32_t i : early)
        if (access_varies(i)) load(i);
      close_rows();
      end_step();
    }
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

  /// Values, sums and results of a step's lanes.
  void elements(unsigned phase) {
    each_element_store(phase, [&](const store& made) {
      out_.line(fmt::format("pack<{}, {}> out{};", storage(made.target), vector(), made.target));
    });
    if (has_near_form(phase)) {
      tested_lanes(phase);
    } else {
      open_lanes();
      values(phase);
      sums(phase, lane_guard());
      results(phase);
      out_.close();
    }
    each_element_store(phase, [&](const store& made) { store_pack(made.target); });
  }

  /// Whether a phase calls functions that have a form without branches for most arguments.
  bool has_near_form(unsigned phase) {
    text_writer text = std::exchange(out_, {});
    kernel_.range = argument_range::tested;
    kernel_.tests.clear();
    values(phase);
    kernel_.range = argument_range::any;
    out_ = std::move(text);
    return !kernel_.tests.empty();
  }

  /// That form is taken first; a thread that holds any other argument evaluates its lanes again. Sums are
  /// formed when that is decided, of terms that are set aside.
  void tested_lanes(unsigned phase) {
    terms_.clear();
    each_reduction(phase, [&](std::uint32_t, const instruction& made) {
      if (!is_due(phase, made)) return;
      for (unsigned a = 0; a < made.arity; ++a) {
        const std::uint32_t i = made.arguments[a];
        if (is_array(i)) continue;
        const auto evaluated = plan_.evaluated(phase);
        if (std::find(evaluated.begin(), evaluated.end(), i) != evaluated.end() &&
            std::find(terms_.begin(), terms_.end(), i) == terms_.end())
          terms_.push_back(i);
      }
    });
    for (const std::uint32_t i : terms_)
      out_.line(fmt::format("{} term{}[{}];", spelling(code(i).type), i, vector()));
    out_.line("bool near = true;");
    lanes_in(phase, argument_range::tested);
    out_.open("if (!near) {");
    lanes_in(phase, argument_range::any);
    out_.close();
    open_lanes();
    are_aside_ = true;
    sums(phase, lane_guard());
    are_aside_ = false;
    out_.close();
  }
  void lanes_in(unsigned phase, argument_range range) {
    kernel_.range = range;
    kernel_.tests.clear();
    open_lanes();
    values(phase);
    for (const std::uint32_t i : terms_) out_.line(fmt::format("term{0}[e] = v{0};", i));
    results(phase);
    for (const std::string& test : kernel_.tests) out_.line(fmt::format("near = near & {};", test));
    out_.close();
    kernel_.range = argument_range::any;
  }
  std::string term(std::uint32_t i) const override {
    const bool aside = are_aside_ && std::find(terms_.begin(), terms_.end(), i) != terms_.end();
    return aside ? fmt::format("term{}[e]", i) : value(i);
  }

  /// Lanes of a step that lie in the row, if not all of them do.
  std::string lane_guard() const {
    return columns() || chosen().whole_rows || vector() == 1 ? "" : "x + e < n";
  }

  void open_step() {
    const schedule& s = chosen();
    unroll(fmt::format("for (int s = 0; s < {}; ++s) {{", s.steps));
    if (!columns()) return begin_step("s");
    // of a scan, each thread has neighbours, and the threads above it the ones that follow
    out_.line(has_scans(body())
                  ? fmt::format("const long long r = start + threadIdx.y * {} + s;", s.steps)
                  : fmt::format("const long long r = start + s * {} + threadIdx.y;", s.threads_across));
    out_.open(is_whole_turn_ ? "{" : "if (r < n && x < left0) {");
    reduced_positions("r");
  }
  void begin_step(std::string_view number) {
    if (chosen().kept)
      out_.line(fmt::format("const int x = ({} * {} + thread) * {};", number, threads(), vector()));
    else
      out_.line(
          fmt::format("const long long x = start + ({} * {} + thread) * {};", number, threads(), vector()));
    out_.open("if (x < n) {");
    reduced_positions("x");
  }
  void end_step() {
    out_.close();
    out_.close();
  }

  std::string lanes_left() const {
    return columns() ? "left0 - x" : fmt::format("n - x < {0} ? (int)(n - x) : {0}", vector());
  }
  bool is_whole() const { return chosen().whole_rows && !columns(); }

  void declare_read(std::uint32_t i) {
    const std::string rows =
        rows_per_thread() > 1 && access_varies(i) ? fmt::format("[{}]", rows_per_thread()) : std::string();
    out_.line(fmt::format("{} in{}{}[{}] = {{}};", pack_of(i), i, rows, chosen().steps));
  }

  void load(std::uint32_t i) {
    const std::string to = loaded(i);
    if (lanes(i) == 1) {
      out_.line(fmt::format("{}.e[0] = {}[{}];", to, pointer(i), index(i, "")));
      return;
    }
    if (is_wide(i)) {
      const std::string from = fmt::format("{} + ({})", pointer(i), index(i, ""));
      out_.line(is_whole() ? fmt::format("load_whole({}, {});", to, from)
                           : fmt::format("load({}, {}, {});", to, from, lanes_left()));
      return;
    }
    open_lanes();
    const std::string guard = vector() == 1 || is_whole() ? ""
                              : columns()                 ? "if (x + e < left0) "
                                                          : "if (x + e < n) ";
    out_.line(fmt::format("{}{}.e[e] = {}[{}];", guard, to, pointer(i), index(i, "e")));
    out_.close();
  }

  void store_pack(std::uint32_t i) {
    if (!columns()) out_.open(fmt::format("if (active{}) {{", of_row()));
    if (is_wide(i)) {
      const std::string to = fmt::format("{} + ({})", pointer(i), index(i, ""));
      out_.line(is_whole() ? fmt::format("store_whole({}, out{});", to, i)
                           : fmt::format("store({}, out{}, {});", to, i, lanes_left()));
    } else {
      open_lanes();
      const std::string guard = is_whole() ? "" : columns() ? "if (x + e < left0) " : "if (x + e < n) ";
      out_.line(fmt::format("{}{}[{}] = out{}.e[e];", guard, pointer(i), index(i, "e"), i));
      out_.close();
    }
    if (!columns()) out_.close();
  }

  // the values of threads, joined

  /// First inside warps, then, after one barrier for all of the phase's sums, those of warps.
  void join_sums(unsigned phase) override {
    bool exchanged = false;
    each_reduction(phase, [&](std::uint32_t i, const instruction& made) {
      if (!columns()) join_lanes(i, made);
      join_in_warp(i, made);
      if (parts() == 1) return;
      declare_parts(i, made);
      if (clustered() && !begun_) {
        begun_ = true;
        out_.line("wait_for_cluster();");
      }
      write_part(i, made);
      exchanged = true;
    });
    if (exchanged) {
      if (clustered()) out_.line("arrive_at_cluster();");
      out_.line(clustered() ? "wait_for_cluster();" : "__syncthreads();");
    }
    each_reduction(phase, [&](std::uint32_t i, const instruction& made) {
      if (parts() > 1) join_parts(i, made);
      set_row_value(i, made);
    });
  }

  /// Threads of a warp that have the same row and lanes; where they are not neighbours, how far apart they
  /// are.
  int joined_in_warp() const {
    return columns() ? std::min<int>(std::max(1, warp / chosen().threads_along), chosen().threads_across)
                     : std::min<int>(chosen().threads_along, warp);
  }
  int distance_in_warp() const { return columns() ? chosen().threads_along : 1; }
  /// What is left to be joined after that.
  int parts() const {
    return columns() ? chosen().threads_across / joined_in_warp() : threads() / joined_in_warp();
  }

  /// Opens loops over the rows of a thread and, in the column walk, over its lanes.
  void open_sums() { columns() ? open_lanes() : open_rows(); }
  void close_sums() { columns() ? out_.close() : close_rows(); }
  std::string_view sum_lane() const { return columns() ? "e" : "0"; }

  void exchange_in_warp(std::uint32_t i, const instruction& made, int farthest, int nearest) {
    out_.line("#pragma unroll");
    out_.open(fmt::format("for (int distance = {}; distance >= {}; distance /= 2) {{", farthest, nearest));
    open_sums();
    out_.line(
        fmt::format("const {} other = exchange({}, distance);", spelling(made.compute), sum(i, sum_lane())));
    if (finds_position(made.op))
      out_.line(fmt::format("const long long other_where = exchange({}, distance);", where(i, sum_lane())));
    join(made, sum(i, sum_lane()), where(i, sum_lane()), "other", "other_where");
    close_sums();
    out_.close();
  }

  void join_in_warp(std::uint32_t i, const instruction& made) {
    if (joined_in_warp() > 1)
      exchange_in_warp(i, made, joined_in_warp() / 2 * distance_in_warp(), distance_in_warp());
  }

  /// The place of a part in shared memory.
  std::string part(std::uint32_t i, std::string_view kind, std::string_view number) const {
    return columns() ? fmt::format("{}{}[{}][x + e]", kind, i, number)
                     : fmt::format("{}{}{}[threadIdx.y][{}]", kind, i, of_row(), number);
  }

  void declare_parts(std::uint32_t i, const instruction& made) {
    const std::string extents =
        columns() ? fmt::format("[{}][{}]", parts(), chosen().threads_along * vector())
        : rows_per_thread() > 1
            ? fmt::format("[{}][{}][{}]", rows_per_thread(), chosen().threads_across, parts())
            : fmt::format("[{}][{}]", chosen().threads_across, parts());
    out_.line(fmt::format("__shared__ {} part{}{};", spelling(made.compute), i, extents));
    if (finds_position(made.op)) out_.line(fmt::format("__shared__ long long place{}{};", i, extents));
  }

  void write_part(std::uint32_t i, const instruction& made) {
    const auto write = [&](std::string_view kind, const std::string& value, std::string_view number) {
      const std::string place = part(i, kind, number);
      out_.line(clustered() ? fmt::format("*in_block(&{}, threadIdx.x % {}) = {};", place, warp, value)
                            : fmt::format("{} = {};", place, value));
    };
    std::string condition = fmt::format("threadIdx.x % {} == 0", warp),
                number = fmt::format("threadIdx.x / {}", warp);
    if (columns()) {
      condition = fmt::format("threadIdx.y % {} == 0", joined_in_warp());
      number = fmt::format("threadIdx.y / {}", joined_in_warp());
    } else if (clustered()) {
      // each of the first lanes of a warp writes to one of the cluster's blocks
      condition = fmt::format("threadIdx.x % {} < {}", warp, chosen().cluster);
      number = fmt::format("thread / {}", warp);
    }
    out_.open(fmt::format("if ({}) {{", condition));
    open_sums();
    write("part", sum(i, sum_lane()), number);
    if (finds_position(made.op)) write("place", where(i, sum_lane()), number);
    close_sums();
    out_.close();
  }

  void join_parts(std::uint32_t i, const instruction& made) {
    const bool places = finds_position(made.op);
    const std::string to = sum(i, sum_lane()), to_place = where(i, sum_lane());
    const bool by_each_thread = columns() || parts() <= most_parts_of_a_thread;
    open_sums();
    if (by_each_thread) {
      out_.open("{");
      join_in_pairs(i, made);
      out_.close();
      close_sums();
      return;
    }
    out_.line(fmt::format("{} = {};", to, start_text(made)));
    if (places) out_.line(fmt::format("{} = 0x7fffffffffffffffll;", to_place));
    unroll(fmt::format("for (int w = threadIdx.x % {}; w < {}; w += {}) {{", warp, parts(), warp));
    join(made, to, to_place, part(i, "part", "w"), part(i, "place", "w"));
    out_.close();
    close_sums();
    exchange_in_warp(i, made, warp / 2, 1);  // every lane needs the value
  }

  /// A tree, so that no sum passes through more additions than it has to.
  void join_in_pairs(std::uint32_t i, const instruction& made) {
    const bool places = finds_position(made.op);
    const auto count = static_cast<int>(power_above(parts()));
    const bool fills = count == parts();
    const auto take = [&](std::string_view kind, const std::string& otherwise) {
      return fills ? part(i, kind, "w")
                   : fmt::format("w < {} ? {} : {}", parts(), part(i, kind, "w"), otherwise);
    };
    out_.line(fmt::format("{} pair[{}];", spelling(made.compute), count));
    if (places) out_.line(fmt::format("long long pair_place[{}];", count));
    unroll(fmt::format("for (int w = 0; w < {}; ++w) {{", count));
    out_.line(fmt::format("pair[w] = {};", take("part", start_text(made))));
    if (places) out_.line(fmt::format("pair_place[w] = {};", take("place", "0x7fffffffffffffffll")));
    out_.close();
    unroll(fmt::format("for (int half = {}; half > 0; half /= 2) {{", count / 2));
    unroll("for (int w = 0; w < half; ++w) {");
    join(made, "pair[w]", "pair_place[w]", "pair[w + half]", "pair_place[w + half]");
    out_.close();
    out_.close();
    out_.line(fmt::format("{} = pair[0];", sum(i, sum_lane())));
    if (places) out_.line(fmt::format("{} = pair_place[0];", where(i, sum_lane())));
  }

  void store_row() override {
    for (const store& made : body().stores) {
      if (stores_elements(body(), made)) continue;
      const std::uint32_t i = made.target;
      const std::string text = stored_text(kernel_, at(i).type, value(made.value));
      std::vector<std::string> names(kernel_.rank());
      if (!columns()) {
        open_rows();
        out_.line(fmt::format("if (active{} && thread == 0) *{} = {};", of_row(), pointer(i), text));
        close_rows();
      } else if (is_wide(i)) {
        out_.open("if (threadIdx.y == 0 && x < left0) {");
        out_.line(fmt::format("pack<{}, {}> out{};", storage(i), vector(), i));
        open_lanes();
        out_.line(fmt::format("out{}.e[e] = {};", i, text));
        out_.close();
        names[0] = "x";
        out_.line(fmt::format("store(q{0} + ({1}), out{0}, left0 - x);", i,
                              index_expression(kernel_, at(i).group, names)));
        out_.close();
      } else {
        names[0] = "(x + e)";
        open_lanes();
        out_.line(fmt::format("if (threadIdx.y == 0 && x + e < left0) q{}[{}] = {};", i,
                              index_expression(kernel_, at(i).group, names), text));
        out_.close();
      }
    }
  }

  std::vector<std::uint32_t> terms_;  ///< instructions whose values are set aside until sums are formed
  bool are_aside_ = false;
  bool in_shared_ = false;         ///< the loop being emitted is that over shared memory
  bool waits_for_copies_ = false;  ///< copies to shared memory are on their way
  bool is_whole_turn_ = false;     ///< no test whether a step lies in the row
  bool begun_ = false;             ///< all blocks of the cluster are known to have begun
};

}  // namespace

std::string emit_cuda_reduction(emission& kernel) { return cuda_reduction_emitter(kernel).run(); }

}  // namespace sinter::codegen
