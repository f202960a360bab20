// Kernels that reduce, for both targets. A row is the elements that one position of the kept axes is made of,
// a lane one of the consecutive elements that are evaluated side by side. In the row walk lanes lie along the
// reduced axes, in the column walk along axis 0, which is kept. Sums are joined in an order that depends on
// the schedule and the extents alone: steps of a lane, lanes, threads.

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include <sinter/codegen/cuda_helpers.hpp>
#include <sinter/codegen/emit_body.hpp>
#include <sinter/codegen/host_helpers.hpp>
#include <sinter/codegen/phase_plan.hpp>
#include <sinter/codegen/reduction.hpp>

namespace sinter::codegen {
namespace {

class reduction_emitter {
 public:
  explicit reduction_emitter(emission& kernel) : kernel_(kernel), plan_(kernel.body, kernel.chosen.kept) {
    for (unsigned axis = 0; axis < kernel.rank(); ++axis)
      (kernel.body.is_reduced(axis) ? reduced_ : rows_).push_back(axis);
  }

  std::string run() {
    emit_arguments(kernel_, out_);
    const std::string arguments = std::move(out_.str());
    out_ = {};
    if (cuda())
      cuda_kernel();
    else
      host_kernel();
    const std::string preamble = cuda() ? cuda_preamble() : host_preamble({});
    const std::string helpers =
        cuda() ? std::string(cuda_divide_wide) + std::string(cuda_exchange) : std::string();
    return preamble + arguments + helpers + device_function_text(kernel_) + out_.str();
  }

 private:
  const nest& body() const { return kernel_.body; }
  const schedule& chosen() const { return kernel_.chosen; }
  const access& at(std::uint32_t i) const { return body().accesses[i]; }
  const instruction& code(std::uint32_t i) const { return body().body[i]; }
  bool cuda() const { return kernel_.is_cuda(); }
  bool columns() const { return chosen().order == walk::column_reduction; }
  int vector() const { return chosen().vector; }
  std::uint32_t count() const { return static_cast<std::uint32_t>(body().accesses.size()); }
  std::uint32_t code_count() const { return static_cast<std::uint32_t>(body().body.size()); }
  std::string_view storage(std::uint32_t i) const { return facts(at(i).type).storage; }
  static std::string_view spelling(element_type type) { return facts(type).spelling; }

  // names and places

  std::string value(std::uint32_t i) const {
    if (code(i).per_element) return fmt::format("v{}{}", i, plan_.lasts(i) ? "[s][e]" : "");
    return fmt::format("k{}{}", i, columns() ? "[e]" : "");
  }

  /// Names of positions along every axis, relative to where an access' pointer is in this row; lanes
  /// included.
  std::vector<std::string> positions(std::string_view lane) const {
    std::vector<std::string> names(kernel_.rank());
    if (reduced_.size() == 1)
      names[reduced_[0]] = columns() ? "r" : "x";
    else
      for (const unsigned axis : reduced_) names[axis] = fmt::format("r{}", axis);
    if (columns()) names[0] = "x";
    if (!lane.empty()) {
      std::string& along = names[columns() ? 0 : reduced_[0]];
      along = fmt::format("({} + {})", along, lane);
    }
    return names;
  }
  unsigned lane_axis() const { return columns() ? 0 : reduced_[0]; }
  bool is_wide(std::uint32_t i) const {
    return vector() > 1 && !chosen().scalar_loads && at(i).strides[lane_axis()] == 1;
  }
  /// Lanes of a read that differ.
  int lanes(std::uint32_t i) const { return at(i).strides[lane_axis()] == 0 ? 1 : vector(); }
  std::string index(std::uint32_t i, std::string_view lane) const {
    return index_expression(kernel_, at(i).group, positions(lane)) + kernel_.window_distance(i);
  }

  std::string element(std::uint32_t i) const {
    if (at(i).what == access::kind::position) return fmt::format("q{} + {}", at(i).base, index(i, "e"));
    if (walks_reduced_axes(body(), at(i)))
      return cuda() ? fmt::format("in{}[s].e[{}]", i, lanes(i) > 1 ? "e" : "0")
                    : fmt::format("q{}[{}]", at(i).base, index(i, "e"));
    return row_element(i);
  }
  /// An element that is the same along the whole row. Lanes past the end of axis 0 take the last one's.
  std::string row_element(std::uint32_t i) const {
    if (at(i).what == access::kind::position) {
      if (!columns() || at(i).strides[0] == 0) return fmt::format("q{}", at(i).base);
    }
    std::vector<std::string> names(kernel_.rank());
    if (columns()) names[0] = "(x + e < left0 ? x + e : left0 - 1)";
    const std::string offset = index_expression(kernel_, at(i).group, names) + kernel_.window_distance(i);
    return at(i).what == access::kind::position ? fmt::format("q{} + {}", at(i).base, offset)
                                                : fmt::format("q{}[{}]", at(i).base, offset);
  }

  instruction_names names_in_row() {
    return {[this](std::uint32_t i) { return value(i); }, [this](std::uint32_t i) { return row_element(i); }};
  }
  instruction_names names_in_loop() {
    return {[this](std::uint32_t i) { return value(i); }, [this](std::uint32_t i) { return element(i); }};
  }

  void unroll(std::string_view loop) {
    if (cuda()) out_.line("#pragma unroll");
    out_.open(loop);
  }
  void open_lanes() { unroll(fmt::format("for (int e = 0; e < {}; ++e) {{", vector())); }

  // one row

  /// t of every kept axis from the number of the row; the column walk's first digit is a strip of axis 0.
  void decode_rows(std::string_view number) {
    if (!rows_.empty()) split_digits(number, rows_, "t");
    std::vector<std::string> starts(kernel_.rank());
    for (const unsigned axis : rows_) starts[axis] = fmt::format("t{}", axis);
    if (columns()) {
      const int strip = chosen().threads_along * vector();
      out_.line(fmt::format("const long long start0 = t0 * {};", strip));
      out_.line(fmt::format("const int left0 = a.e0 - start0 < {0} ? (int)(a.e0 - start0) : {0};", strip));
      starts[0] = "start0";
    }
    if (body().split >= 0) starts[reduced_[0]] = fmt::format("t{} * a.e{}", body().split, reduced_[0]);
    for (std::uint32_t i = 0; i < count(); ++i) {
      if (at(i).base != i) continue;
      const std::string offset = index_expression(kernel_, at(i).group, starts);
      if (at(i).what == access::kind::position)
        out_.line(fmt::format("const long long q{0} = a.o{0} + ({1});", i, offset));
      else
        out_.line(fmt::format("{}{}* const q{} = a.p{} + ({});",
                              at(i).what == access::kind::read ? "const " : "", storage(i), i, i, offset));
    }
    if (body().split >= 0)
      out_.line(fmt::format(
          "const long long n = a.whole - t{0} * a.e{1} < a.e{1} ? a.whole - t{0} * a.e{1} : a.e{1};",
          body().split, reduced_[0]));
    else
      out_.line("const long long n = a.elements;");
  }

  void row() {
    declare_lasting();
    row_values(0);
    for (unsigned phase = 0; phase < body().phases; ++phase) {
      if (plan_.has_loop(phase)) {
        begin_sums(phase);
        loop(phase);
        join_sums(phase);
      }
      row_values(phase + 1);
    }
    store_row();
  }

  void declare_lasting() {
    for (std::uint32_t i = 0; i < code_count(); ++i)
      if (plan_.lasts(i))
        out_.line(fmt::format("{} v{}[{}][{}];", spelling(code(i).type), i, chosen().steps, vector()));
  }

  /// Values that are the same along the row, as soon as what they need is there.
  void row_values(unsigned phase) {
    for (std::uint32_t i = 0; i < code_count(); ++i) {
      const instruction& made = code(i);
      if (made.per_element || is_reduction(made.op) || made.phase != phase) continue;
      const std::string text = instruction_text(kernel_, i, names_in_row());
      if (columns()) {
        out_.line(fmt::format("{} k{}[{}];", spelling(made.type), i, vector()));
        open_lanes();
        out_.line(fmt::format("k{}[e] = {};", i, text));
        out_.close();
      } else {
        out_.line(fmt::format("const {} k{} = {};", spelling(made.type), i, text));
      }
    }
  }

  template <typename Visit>
  void each_reduction(unsigned phase, Visit visit) {
    for (std::uint32_t i = 0; i < code_count(); ++i)
      if (is_reduction(code(i).op) && code(i).phase == phase) visit(i, code(i));
  }

  /// Whether a lane meets elements in the order of their positions, which are then what it counts: an equal
  /// one that comes later is never preferred.
  bool meets_in_order(const instruction& made) const {
    const instruction& position = code(made.arguments[1]);
    return finds_position(made.op) && cuda() && !columns() && reduced_.size() == 1 && body().split < 0 &&
           position.op == operation::coordinate &&
           at(static_cast<std::uint32_t>(position.payload)).strides[reduced_[0]] == 1;
  }

  void begin_sums(unsigned phase) {
    each_reduction(phase, [&](std::uint32_t i, const instruction& made) {
      out_.line(fmt::format("{} sum{}[{}];", spelling(made.compute), i, vector()));
      if (finds_position(made.op)) out_.line(fmt::format("long long where{}[{}];", i, vector()));
      open_lanes();
      out_.line(fmt::format("sum{}[e] = {};", i, start_text(made)));
      if (meets_in_order(made))
        out_.line(fmt::format(
            "where{0}[e] = threadIdx.x * {1} + e < n ? threadIdx.x * {1} + e : 0x7fffffffffffffffll;", i,
            vector()));
      else if (finds_position(made.op))
        out_.line(fmt::format("where{}[e] = 0x7fffffffffffffffll;", i));
      out_.close();
    });
  }

  /// Joins `from` to `to`; of argmax and argmin the names are those of value and position.
  void join(const instruction& made, const std::string& to, const std::string& to_position,
            const std::string& from, const std::string& from_position) {
    if (finds_position(made.op))
      out_.line(fmt::format("if ({0}) {{ {1} = {2}; {3} = {4}; }}",
                            prefers_text(kernel_, made, from, from_position, to, to_position), to, from,
                            to_position, from_position));
    else
      out_.line(fmt::format("{} = {};", to, combined_text(kernel_, made, to, from)));
  }

  void reduced_positions(std::string_view linear) {
    if (reduced_.size() > 1) split_digits(linear, reduced_, "r");
  }

  /// Positions along axes, innermost first, from a number that counts through all of them.
  void split_digits(std::string_view number, std::span<const unsigned> axes, std::string_view name) {
    std::string rest(number);
    for (const unsigned axis : axes.first(axes.size() - 1)) {
      const std::string quotient = cuda() ? fmt::format("divide_wide({}, a.d{})", rest, axis)
                                          : fmt::format("{} / a.d{}.value", rest, axis);
      out_.line(fmt::format("const long long w{0} = {1}, {3}{0} = {2} - w{0} * a.d{0}.value;", axis, quotient,
                            rest, name));
      rest = fmt::format("w{}", axis);
    }
    out_.line(fmt::format("const long long {}{} = {};", name, axes.back(), rest));
  }

  /// Statements of one lane: values of a phase, sums, results.
  void lane(unsigned phase, std::string_view guard) {
    for (const std::uint32_t i : plan_.evaluated(phase)) {
      const std::string text = instruction_text(kernel_, i, names_in_loop());
      out_.line(plan_.lasts(i) ? fmt::format("{} = {};", value(i), text)
                               : fmt::format("const {} {} = {};", spelling(code(i).type), value(i), text));
    }
    if (!guard.empty()) out_.open(fmt::format("if ({}) {{", guard));
    each_reduction(phase, [&](std::uint32_t i, const instruction& made) {
      if (meets_in_order(made)) {
        const std::string sum = fmt::format("sum{}[e]", i), from = value(made.arguments[0]);
        out_.line(fmt::format("if ({}) {{ {} = {}; where{}[e] = x + e; }}",
                              prefers_later_text(kernel_, made, from, sum), sum, from, i));
        return;
      }
      join(made, fmt::format("sum{}[e]", i), fmt::format("where{}[e]", i), value(made.arguments[0]),
           finds_position(made.op) ? value(made.arguments[1]) : std::string());
    });
    if (!guard.empty()) out_.close();
    for (std::size_t s = 0; s < body().stores.size(); ++s) {
      const store& made = body().stores[s];
      if (!stores_elements(body(), made) || phase_of_store(body(), made) != phase) continue;
      const std::string text = stored_text(kernel_, at(made.target).type, value(made.value));
      if (cuda())
        out_.line(fmt::format("out{}.e[e] = {};", made.target, text));
      else
        out_.line(fmt::format("q{}[{}] = {};", made.target, index(made.target, "e"), text));
    }
  }

  void loop(unsigned phase) {
    if (cuda())
      cuda_loop(phase);
    else
      host_loop(phase);
  }

  // CUDA

  void cuda_kernel() {
    const schedule& s = chosen();
    out_.open(fmt::format("extern \"C\" __global__ void __launch_bounds__({}) {}({}) {{",
                          s.threads_along * s.threads_across, kernel_.entry,
                          kernel_.argument_block ? "const arguments* __restrict__ block"
                                                 : "const __grid_constant__ arguments a"));
    if (kernel_.argument_block) out_.line("const arguments& a = *block;");
    out_.line("const long long tile = (long long)blockIdx.y * 2147483647ll + blockIdx.x;");
    if (columns()) {
      out_.line(fmt::format("const int x = threadIdx.x * {};", vector()));
      decode_rows("tile");
    } else {
      out_.line(fmt::format("long long number = tile * {} + threadIdx.y;", s.threads_across));
      out_.line("const bool mine = number < a.rows && threadIdx.x == 0;");
      // threads without a row work on the last one, so that none is missing where values are exchanged
      out_.line("const bool active = number < a.rows;");
      out_.line("if (!active) number = a.rows - 1;");
      decode_rows("number");
    }
    row();
    out_.close();
  }

  std::vector<std::uint32_t> reads_of(unsigned phase) const {
    std::vector<std::uint32_t> reads;
    for (const std::uint32_t i : plan_.evaluated(phase))
      if (code(i).op == operation::input) {
        const auto read = static_cast<std::uint32_t>(code(i).payload);
        if (std::find(reads.begin(), reads.end(), read) == reads.end()) reads.push_back(read);
      }
    return reads;
  }

  /// Lanes of a step that lie in the row, and whether the step has any.
  std::string lane_guard() const {
    if (columns() || chosen().whole_rows || vector() == 1) return {};
    return "x + e < n";
  }

  void open_step() {
    const schedule& s = chosen();
    unroll(fmt::format("for (int s = 0; s < {}; ++s) {{", s.steps));
    if (columns()) {
      out_.line(fmt::format("const long long r = start + s * {} + threadIdx.y;", s.threads_across));
      out_.open("if (r < n && x < left0) {");
      reduced_positions("r");
    } else {
      out_.line(fmt::format("const long long x = start + (s * {} + (int)threadIdx.x) * {};", s.threads_along,
                            vector()));
      out_.open("if (x < n) {");
      reduced_positions("x");
    }
  }
  void close_step() {
    out_.close();
    out_.close();
  }
  std::string lanes_left() const {
    return columns() ? "left0 - x" : fmt::format("n - x < {0} ? (int)(n - x) : {0}", vector());
  }

  void declare_reads(std::span<const std::uint32_t> reads) {
    for (const std::uint32_t i : reads)
      out_.line(fmt::format("pack<{}, {}> in{}[{}] = {{}};", storage(i), lanes(i), i, chosen().steps));
  }

  void cuda_loop(unsigned phase) {
    const schedule& s = chosen();
    const std::vector<std::uint32_t> reads = reads_of(phase);
    if (s.kept) {
      out_.open("{");
      out_.line("const long long start = 0;");
    } else {
      const int stride = columns() ? s.threads_across * s.steps : s.threads_along * vector() * s.steps;
      out_.open(fmt::format("for (long long start = 0; start < n; start += {}) {{", stride));
    }
    declare_reads(reads);
    if (!reads.empty()) {
      open_step();
      for (const std::uint32_t i : reads) cuda_load(i);
      close_step();
    }
    open_step();
    for (const store& made : body().stores)
      if (stores_elements(body(), made) && phase_of_store(body(), made) == phase)
        out_.line(fmt::format("pack<{}, {}> out{};", storage(made.target), vector(), made.target));
    open_lanes();
    lane(phase, lane_guard());
    out_.close();
    for (const store& made : body().stores)
      if (stores_elements(body(), made) && phase_of_store(body(), made) == phase) cuda_store(made.target);
    close_step();
    out_.close();
  }

  void cuda_load(std::uint32_t i) {
    if (lanes(i) == 1) {
      out_.line(fmt::format("in{}[s].e[0] = q{}[{}];", i, at(i).base, index(i, "")));
      return;
    }
    if (is_wide(i)) {
      out_.line(fmt::format("load(in{}[s], q{} + ({}), {});", i, at(i).base, index(i, ""), lanes_left()));
      return;
    }
    open_lanes();
    const std::string guard = columns() ? "x + e < left0" : "x + e < n";
    out_.line(fmt::format("{}in{}[s].e[e] = q{}[{}];", vector() == 1 ? "" : fmt::format("if ({}) ", guard), i,
                          at(i).base, index(i, "e")));
    out_.close();
  }
  void cuda_store(std::uint32_t i) {
    if (!columns()) out_.open("if (active) {");
    if (is_wide(i)) {
      out_.line(fmt::format("store(q{} + ({}), out{}, {});", i, index(i, ""), i, lanes_left()));
    } else {
      open_lanes();
      out_.line(fmt::format("if ({}) q{}[{}] = out{}.e[e];", columns() ? "x + e < left0" : "x + e < n", i,
                            index(i, "e"), i));
      out_.close();
    }
    if (!columns()) out_.close();
  }

  /// Sums of lanes, then of threads, become the row's value.
  void join_sums(unsigned phase) {
    each_reduction(phase, [&](std::uint32_t i, const instruction& made) {
      if (!cuda())
        join_on_host(i, made);
      else if (columns())
        join_columns(i, made);
      else
        join_rows(i, made);
    });
  }

  void join_lanes(std::uint32_t i, const instruction& made) {
    for (int half = vector() / 2; half > 0; half /= 2) {
      unroll(fmt::format("for (int e = 0; e < {}; ++e) {{", half));
      join(made, fmt::format("sum{}[e]", i), fmt::format("where{}[e]", i),
           fmt::format("sum{}[e + {}]", i, half), fmt::format("where{}[e + {}]", i, half));
      out_.close();
    }
  }
  std::string result_of(std::uint32_t i, const instruction& made, std::string_view lane) const {
    return fmt::format("{}{}[{}]", finds_position(made.op) ? "where" : "sum", i, lane);
  }

  void join_rows(std::uint32_t i, const instruction& made) {
    join_lanes(i, made);
    const int threads = chosen().threads_along, in_warp = std::min(threads, 32), warps = threads / 32;
    const bool places = finds_position(made.op);
    const std::string sum = fmt::format("sum{}[0]", i), where = fmt::format("where{}[0]", i);
    if (in_warp > 1) {
      unroll(fmt::format("for (int distance = {}; distance > 0; distance /= 2) {{", in_warp / 2));
      out_.line(fmt::format("const {} other = exchange({}, distance);", spelling(made.compute), sum));
      if (places) out_.line(fmt::format("const long long other_where = exchange({}, distance);", where));
      join(made, sum, where, "other", "other_where");
      out_.close();
    }
    if (warps > 1) {
      out_.line(fmt::format("__shared__ {} part{}[{}][{}];", spelling(made.compute), i,
                            chosen().threads_across, warps));
      if (places)
        out_.line(fmt::format("__shared__ long long place{}[{}][{}];", i, chosen().threads_across, warps));
      out_.open("if (threadIdx.x % 32 == 0) {");
      out_.line(fmt::format("part{}[threadIdx.y][threadIdx.x / 32] = {};", i, sum));
      if (places) out_.line(fmt::format("place{}[threadIdx.y][threadIdx.x / 32] = {};", i, where));
      out_.close();
      out_.line("__syncthreads();");
      out_.line(fmt::format("{} = part{}[threadIdx.y][0];", sum, i));
      if (places) out_.line(fmt::format("{} = place{}[threadIdx.y][0];", where, i));
      unroll(fmt::format("for (int w = 1; w < {}; ++w) {{", warps));
      join(made, sum, where, fmt::format("part{}[threadIdx.y][w]", i),
           fmt::format("place{}[threadIdx.y][w]", i));
      out_.close();
    }
    out_.line(fmt::format("const {} k{} = {};", spelling(made.type), i, result_of(i, made, "0")));
  }

  void join_columns(std::uint32_t i, const instruction& made) {
    const int threads = chosen().threads_across, lanes = chosen().threads_along * vector();
    const bool places = finds_position(made.op);
    if (threads > 1) {
      out_.line(fmt::format("__shared__ {} part{}[{}][{}];", spelling(made.compute), i, threads, lanes));
      if (places) out_.line(fmt::format("__shared__ long long place{}[{}][{}];", i, threads, lanes));
      open_lanes();
      out_.line(fmt::format("part{0}[threadIdx.y][x + e] = sum{0}[e];", i));
      if (places) out_.line(fmt::format("place{0}[threadIdx.y][x + e] = where{0}[e];", i));
      out_.close();
      out_.line("__syncthreads();");
      open_lanes();
      out_.line(fmt::format("sum{0}[e] = part{0}[0][x + e];", i));
      if (places) out_.line(fmt::format("where{0}[e] = place{0}[0][x + e];", i));
      unroll(fmt::format("for (int w = 1; w < {}; ++w) {{", threads));
      join(made, fmt::format("sum{}[e]", i), fmt::format("where{}[e]", i), fmt::format("part{}[w][x + e]", i),
           fmt::format("place{}[w][x + e]", i));
      out_.close();
      out_.close();
    }
    column_values(i, made);
  }
  void column_values(std::uint32_t i, const instruction& made) {
    out_.line(fmt::format("{} k{}[{}];", spelling(made.type), i, vector()));
    open_lanes();
    out_.line(fmt::format("k{}[e] = {};", i, result_of(i, made, "e")));
    out_.close();
  }

  void store_row() {
    for (const store& made : body().stores) {
      if (stores_elements(body(), made)) continue;
      const std::uint32_t i = made.target;
      std::vector<std::string> names(kernel_.rank());
      if (columns() && cuda() && is_wide(i)) {
        out_.open("if (threadIdx.y == 0 && x < left0) {");
        out_.line(fmt::format("pack<{}, {}> out{};", storage(i), vector(), i));
        open_lanes();
        out_.line(fmt::format("out{}.e[e] = {};", i, stored_text(kernel_, at(i).type, value(made.value))));
        out_.close();
        names[0] = "x";
        out_.line(fmt::format("store(q{0} + ({1}), out{0}, left0 - x);", i,
                              index_expression(kernel_, at(i).group, names)));
        out_.close();
      } else if (columns()) {
        names[0] = "(x + e)";
        open_lanes();
        out_.line(fmt::format("if ({}x + e < left0) q{}[{}] = {};", cuda() ? "threadIdx.y == 0 && " : "", i,
                              index_expression(kernel_, at(i).group, names),
                              stored_text(kernel_, at(i).type, value(made.value))));
        out_.close();
      } else {
        out_.line(fmt::format("{}*q{} = {};", cuda() ? "if (mine) " : "", i,
                              stored_text(kernel_, at(i).type, value(made.value))));
      }
    }
  }

  // the CPU

  void host_kernel() {
    out_.open(fmt::format("extern \"C\" void {}(const void* block, long long first, long long last) {{",
                          kernel_.entry));
    out_.line("const arguments& a = *static_cast<const arguments*>(block);");
    if (columns()) {
      out_.open("for (long long tile = first; tile < last; ++tile) {");
      decode_rows("tile");
      out_.line("const int x = 0;");
      row();
      out_.close();
    } else {
      out_.line(
          "const long long begin = first * a.across, end = last * a.across < a.rows ? last * a.across : "
          "a.rows;");
      out_.open("for (long long number = begin; number < end; ++number) {");
      decode_rows("number");
      row();
      out_.close();
    }
    out_.close();
  }

  /// Lanes have sums of their own, so that Clang vectorises them without changing their order.
  void host_loop(unsigned phase) {
    if (columns()) {
      out_.open("for (long long r = 0; r < n; ++r) {");
      reduced_positions("r");
      host_lanes(phase, "left0", fmt::format("{}", vector()));
      out_.close();
      return;
    }
    // lanes do not reach from one row of the innermost reduced axis into the next
    const bool nested = reduced_.size() > 1;
    const std::string end = nested ? fmt::format("a.e{}", reduced_[0]) : std::string("n");
    if (nested) {
      out_.open(fmt::format("for (long long outer = 0; outer < n / {}; ++outer) {{", end));
      split_digits("outer", std::span(reduced_).subspan(1), "r");
    }
    out_.open(fmt::format("for (long long x = 0; x < {}; x += {}) {{", end, vector()));
    if (nested) out_.line(fmt::format("const long long r{} = x;", reduced_[0]));
    out_.line(fmt::format("const int lanes = {1} - x < {0} ? (int)({1} - x) : {0};", vector(), end));
    host_lanes(phase, "lanes", fmt::format("{}", vector()));
    out_.close();
    if (nested) out_.close();
  }

  /// Whole groups of lanes without a test, others lane by lane.
  void host_lanes(unsigned phase, std::string_view lanes, std::string_view all) {
    out_.open(fmt::format("if ({} == {}) {{", lanes, all));
    out_.line("#pragma clang loop vectorize(assume_safety) unroll(full)");
    out_.open(fmt::format("for (int e = 0; e < {}; ++e) {{", all));
    lane(phase, {});
    out_.close();
    out_.reopen("} else {");
    out_.line("#pragma clang loop vectorize(disable) unroll(disable)");
    out_.open(fmt::format("for (int e = 0; e < {}; ++e) {{", lanes));
    lane(phase, {});
    out_.close();
    out_.close();
  }

  void join_on_host(std::uint32_t i, const instruction& made) {
    if (columns()) {
      column_values(i, made);
      return;
    }
    join_lanes(i, made);
    out_.line(fmt::format("const {} k{} = {};", spelling(made.type), i, result_of(i, made, "0")));
  }

  emission& kernel_;
  text_writer out_;
  std::vector<unsigned> reduced_, rows_;  ///< axes, innermost first
  phase_plan plan_;
};

}  // namespace

std::string emit_cuda_reduction(emission& kernel) { return reduction_emitter(kernel).run(); }
std::string emit_host_reduction(emission& kernel) { return reduction_emitter(kernel).run(); }

}  // namespace sinter::codegen
