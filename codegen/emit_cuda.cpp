// Kernels for NVIDIA GPUs. One tile per block: where the tile lies is worked out once a block in 64 bits,
// positions inside it are 32-bit. Every load of a thread is issued before its first store, so that bytes are
// in flight and an output may be one of the inputs.

#include <fmt/format.h>

#include <sinter/codegen/cuda_helpers.hpp>
#include <sinter/codegen/emit_body.hpp>
#include <sinter/codegen/integers.hpp>

namespace sinter::codegen {
namespace {

class cuda_emitter {
 public:
  explicit cuda_emitter(emission& kernel) : kernel_(kernel) {}

  std::string run() {
    emit_arguments(kernel_, out_);
    if (is_flat() || kernel_.cut.digits > 1) out_.str() += cuda_divide;
    if (is_flat()) out_.str() += cuda_divide_wide;
    const std::string arguments = std::move(out_.str());
    out_ = {};
    const int threads = kernel_.chosen.threads_along * kernel_.chosen.threads_across;
    out_.open(fmt::format("extern \"C\" __global__ void __launch_bounds__({}) {}({}) {{", threads,
                          kernel_.entry,
                          kernel_.argument_block ? "const arguments* __restrict__ block"
                                                 : "const __grid_constant__ arguments a"));
    if (kernel_.argument_block) out_.line("const arguments& a = *block;");
    switch (kernel_.chosen.order) {
      case walk::rows:
        rows();
        break;
      case walk::flat:
        flat();
        break;
      case walk::tiled:
        tiled();
        break;
      case walk::row_reduction:
      case walk::column_reduction:
        break;  // emit_reduction.cpp
    }
    out_.close();
    return cuda_preamble() + arguments + device_function_text(kernel_) + out_.str();
  }

 private:
  const access& at(std::uint32_t i) const { return kernel_.body.accesses[i]; }
  std::string_view storage(std::uint32_t i) const { return facts(at(i).type).storage; }
  bool is_memory(std::uint32_t i) const { return at(i).what != access::kind::position; }
  bool is_read(std::uint32_t i) const { return at(i).what == access::kind::read; }
  bool is_write(std::uint32_t i) const { return at(i).what == access::kind::write; }
  bool is_flat() const { return kernel_.chosen.order == walk::flat; }
  bool staged(std::uint32_t i) const { return kernel_.chosen.order == walk::tiled && is_staged(at(i)); }
  bool linear(std::uint32_t i) const { return is_linear(at(i), kernel_.body); }
  std::uint32_t count() const { return static_cast<std::uint32_t>(kernel_.body.accesses.size()); }
  int vector() const { return kernel_.chosen.vector; }

  void unroll(std::string_view loop) {
    out_.line("#pragma unroll");
    out_.open(loop);
  }
  void each_lane(std::string_view statement) {
    unroll(fmt::format("for (int e = 0; e < {}; ++e) {{", vector()));
    out_.line(statement);
    out_.close();
  }

  // rows and tiled: a tile of axis 0 by axis 1

  /// t0, t1, t2 … from the block's number; what is left of the array in this tile; where the tile starts in
  /// every array.
  void decode_tile() {
    const unsigned digits = kernel_.cut.digits, rank = kernel_.rank();
    std::string rest = "blockIdx.x";
    for (unsigned digit = 0; digit + 1 < digits; ++digit) {
      out_.line(fmt::format(
          "const unsigned int r{0} = divide({1}, a.d{0}), t{0} = {1} - r{0} * (unsigned int)a.d{0}.value;",
          digit, rest));
      rest = fmt::format("r{}", digit);
    }
    out_.line(fmt::format("const unsigned int t{} = {};", digits - 1, rest));
    std::vector<std::string> starts(rank);
    for (unsigned axis = 0; axis < rank; ++axis) {
      starts[axis] = fmt::format("(long long)t{}", axis);
      if (axis > 1) continue;
      const std::int64_t side = axis == 0 ? kernel_.cut.along : kernel_.cut.across;
      out_.line(fmt::format("const long long start{0} = (long long)t{0} * {1};", axis, side));
      out_.line(fmt::format("const int left{0} = a.e{0} - start{0} < {1} ? (int)(a.e{0} - start{0}) : {1};",
                            axis, side));
      starts[axis] = fmt::format("start{}", axis);
    }
    for (std::uint32_t i = 0; i < count(); ++i) {
      if (at(i).base != i) continue;
      const std::string offset = index_expression(kernel_, at(i).group, starts);
      if (is_memory(i))
        out_.line(fmt::format("{}{}* const q{} = a.p{} + ({});", is_read(i) ? "const " : "", storage(i), i, i,
                              offset));
      else
        out_.line(fmt::format("const long long q{} = a.o{} + ({});", i, i, offset));
    }
  }

  /// Index of a position inside the tile, from the start of its access.
  std::string local_index(std::uint32_t i, std::string_view x, std::string_view y) const {
    const std::string positions[] = {std::string(x), std::string(y)};
    std::string text =
        index_expression(kernel_, at(i).group, std::span(positions).first(std::min(2u, kernel_.rank())));
    return text + kernel_.window_distance(i);
  }

  /// What an access varies with decides how many packs a thread keeps: rows (u), steps (s), lanes (e).
  bool varies_along(std::uint32_t i) const { return at(i).strides[0] != 0; }
  bool varies_across(std::uint32_t i) const { return kernel_.rank() > 1 && at(i).strides[1] != 0; }
  int lanes(std::uint32_t i) const { return varies_along(i) ? vector() : 1; }
  bool is_wide(std::uint32_t i) const { return at(i).strides[0] == 1 && vector() > 1; }

  /// A window is loaded by a thread of the rows walk as a whole: its elements' neighbours, each once. The
  /// span is the distance of its farthest member along both axes.
  struct window_span {
    int elements = 0, rows = 0;
  };
  window_span span_of(std::uint32_t base) const {
    window_span span;
    for (std::uint32_t i = base; i < count(); ++i)
      if (at(i).base == base)
        span = {std::max<int>(span.elements, at(i).shift), std::max<int>(span.rows, at(i).row_shift)};
    return span;
  }
  bool in_window(std::uint32_t i) const {
    if (kernel_.chosen.order != walk::rows || kernel_.rank() == 0 || !is_read(i) || at(i).strides[0] != 1)
      return false;
    const window_span span = span_of(at(i).base);
    return span.elements != 0 || span.rows != 0;
  }
  /// Vectors of a window's row.
  int window_columns(std::uint32_t base) const {
    return divide_up(vector() + span_of(base).elements, vector());
  }

  void declare_window(std::uint32_t base) {
    out_.line(fmt::format("pack<{}, {}> in{}[{}][{}][{}] = {{}};", storage(base), vector(), base,
                          kernel_.chosen.rows_per_thread + span_of(base).rows, kernel_.chosen.steps,
                          window_columns(base)));
  }
  void load_window(std::uint32_t base) {
    const schedule& s = kernel_.chosen;
    const window_span span = span_of(base);
    const bool two_axes = kernel_.rank() > 1;
    if (two_axes) {
      unroll(fmt::format("for (int u = 0; u < {}; ++u) {{", s.rows_per_thread + span.rows));
      out_.line("const int y = y0 + u;");
    }
    unroll(fmt::format("for (int s = 0; s < {}; ++s) {{", s.steps));
    out_.line(fmt::format("const int x = x0 + s * {};", s.threads_along * s.vector));
    out_.open(inside_    ? "{"
              : two_axes ? fmt::format("if (x < left0 && y < left1 + {}) {{", span.rows)
                         : "if (x < left0) {");
    unroll(fmt::format("for (int c = 0; c < {}; ++c) {{", window_columns(base)));
    const std::string positions[] = {fmt::format("(x + c * {})", vector()), "y"};
    load_vector(
        fmt::format("in{}[{}][s][c]", base, two_axes ? "u" : "0"), base,
        index_expression(kernel_, at(base).group, std::span(positions).first(std::min(2u, kernel_.rank()))),
        fmt::format("left0 + {} - x - c * {}", span.elements, vector()));
    out_.close();
    out_.close();
    out_.close();
    if (two_axes) out_.close();
  }
  std::string window_element(std::uint32_t i) const {
    const std::string row = kernel_.rank() > 1 ? fmt::format("u + {}", at(i).row_shift) : "0";
    if (vector() == 1) return fmt::format("in{}[{}][s][{}].e[0]", at(i).base, row, at(i).shift);
    return fmt::format("in{0}[{1}][s][(e + {2}) / {3}].e[(e + {2}) % {3}]", at(i).base, row, at(i).shift,
                       vector());
  }

  std::string kept(std::uint32_t i) const {
    return fmt::format("in{}[{}][{}]", i, varies_across(i) ? "u" : "0", varies_along(i) ? "s" : "0");
  }

  void load_vector(std::string_view to, std::uint32_t i, std::string_view index, std::string_view left) {
    if (inside_)
      out_.line(fmt::format("load_whole({}, q{} + ({}));", to, at(i).base, index));
    else
      out_.line(fmt::format("load({}, q{} + ({}), {});", to, at(i).base, index, left));
  }
  void load(std::uint32_t i) {
    if (lanes(i) == 1)
      out_.line(fmt::format("{}.e[0] = q{}[{}];", kept(i), at(i).base, local_index(i, "x", "y")));
    else if (is_wide(i))
      load_vector(kept(i), i, local_index(i, "x", "y"), "left0 - x");
    else
      each_lane(fmt::format("{}{}.e[e] = q{}[{}];", inside_ ? "" : "if (x + e < left0) ", kept(i), at(i).base,
                            local_index(i, "(x + e)", "y")));
  }
  void store(std::uint32_t i) {
    if (is_wide(i))
      out_.line(fmt::format("store(q{0} + ({1}), out{0}, left0 - x);", i, local_index(i, "x", "y")));
    else
      each_lane(
          fmt::format("if (x + e < left0) q{0}[{1}] = out{0}.e[e];", i, local_index(i, "(x + e)", "y")));
  }

  /// Lanes past the end are zero, not undefined: ptxas 13.0 was seen to exchange "and" with "or" of booleans
  /// made from undefined ones, in lanes that were stored.
  void declare_reads(int rows, int steps) {
    for (std::uint32_t i = 0; i < count(); ++i)
      if (in_window(i)) {
        if (at(i).base == i) declare_window(i);
      } else if (is_read(i) && !staged(i)) {
        out_.line(fmt::format("pack<{}, {}> in{}[{}][{}] = {{}};", storage(i), lanes(i), i,
                              varies_across(i) ? rows : 1, varies_along(i) ? steps : 1));
      }
  }
  void declare_results() {
    for (std::uint32_t i = 0; i < count(); ++i)
      if (is_write(i)) out_.line(fmt::format("pack<{}, {}> out{};", storage(i), vector(), i));
  }

  /// Emits loops over a thread's rows and steps around `inside`, with the position x, y in the tile and its
  /// bounds test.
  template <typename Statements>
  void over_positions(bool rows, bool steps, Statements statements) {
    const schedule& s = kernel_.chosen;
    const bool two_axes = kernel_.rank() > 1;
    if (two_axes) {
      unroll(fmt::format("for (int u = 0; u < {}; ++u) {{", rows ? s.rows_per_thread : 1));
      // rows of a thread are neighbours, but for a transposed tile's, which its other direction has to meet
      out_.line(s.order == walk::rows ? std::string("const int y = y0 + u;")
                                      : fmt::format("const int y = y0 + u * {};", s.threads_across));
    }
    unroll(fmt::format("for (int s = 0; s < {}; ++s) {{", steps ? s.steps : 1));
    out_.line(fmt::format("const int x = x0 + s * {};", s.threads_along * s.vector));
    out_.open(inside_ ? "{" : two_axes ? "if (x < left0 && y < left1) {" : "if (x < left0) {");
    statements();
    out_.close();
    out_.close();
    if (two_axes) out_.close();
  }

  /// In the rows walk the loads of a thread that has several are written twice: first for threads that lie
  /// inside the array with all they touch, so that nothing stands between one load and the next.
  void load_all() {
    const schedule& s = kernel_.chosen;
    if (s.order != walk::rows || s.steps * s.rows_per_thread == 1) {
      load_each();
      return;
    }
    int beyond = vector();  // elements from a thread's last position to the end of what it loads there
    for (std::uint32_t i = 0; i < count(); ++i)
      if (in_window(i))
        beyond = std::max(beyond, window_columns(at(i).base) * vector() - span_of(at(i).base).elements);
    std::string inside = fmt::format("x0 + {} <= left0", (s.steps - 1) * s.threads_along * vector() + beyond);
    if (kernel_.rank() > 1) inside += fmt::format(" && y0 + {} <= left1", s.rows_per_thread);
    out_.open(fmt::format("if ({}) {{", inside));
    inside_ = true;
    load_each();
    inside_ = false;
    out_.reopen("} else {");
    load_each();
    out_.close();
  }
  /// What no loop changes comes first, and is loaded once.
  void load_each() {
    for (std::uint32_t i = 0; i < count(); ++i)
      if (in_window(i) && at(i).base == i) load_window(i);
    for (const bool across : {false, true})
      for (const bool along : {false, true}) load_varying(across, along);
  }
  void load_varying(bool across, bool along) {
    const auto wanted = [&](std::uint32_t i) {
      return is_read(i) && !staged(i) && !in_window(i) && varies_across(i) == across &&
             varies_along(i) == along;
    };
    bool any = false;
    for (std::uint32_t i = 0; i < count(); ++i) any |= wanted(i);
    if (!any) return;
    over_positions(across, along, [&] {
      for (std::uint32_t i = 0; i < count(); ++i)
        if (wanted(i)) load(i);
    });
  }

  void lanes(argument_range range, const body_hooks& hooks) {
    kernel_.range = range;
    unroll(fmt::format("for (int e = 0; e < {}; ++e) {{", vector()));
    emit_body(kernel_, hooks, out_);
    if (range == argument_range::tested)
      for (const std::string& test : kernel_.tests) out_.line(fmt::format("near = near & {};", test));
    out_.close();
  }

  /// The body for every element of a thread's vector. Where functions have a form without branches for most
  /// arguments, it is taken first; a thread that holds any other argument computes its elements again.
  void compute_lanes(const body_hooks& hooks) {
    emission probe = kernel_;
    text_writer unused;
    emit_body(probe, hooks, unused);
    // with fewer, memory hides the branches of several elements, and the text is half as long
    const std::size_t fewest_tests = kernel_.chosen.rows_per_thread * kernel_.chosen.steps > 1 ? 3 : 1;
    if (probe.tests.size() < fewest_tests) {
      lanes(argument_range::any, hooks);
      return;
    }
    out_.line("bool near = true;");
    lanes(argument_range::tested, hooks);
    out_.open("if (!near) {");
    lanes(argument_range::any, hooks);
    out_.close();
  }

  void compute_and_store() {
    over_positions(true, true, [&] {
      declare_results();
      compute_lanes({[&](std::uint32_t i) {
                       if (!is_memory(i))
                         return fmt::format("q{} + {}", at(i).base, local_index(i, "(x + e)", "y"));
                       if (in_window(i)) return window_element(i);
                       if (staged(i)) return fmt::format("stage{}[x + e][y]", i);
                       return fmt::format("{}.e[{}]", kept(i), lanes(i) > 1 ? "e" : "0");
                     },
                     [&](std::uint32_t i, const std::string& value) {
                       return fmt::format("out{}.e[e] = {};", i, value);
                     }});
      for (std::uint32_t i = 0; i < count(); ++i)
        if (is_write(i)) store(i);
    });
  }

  void rows() {
    if (kernel_.rank() == 0) {
      scalar();
      return;
    }
    decode_tile();
    out_.line(fmt::format("const int x0 = threadIdx.x * {}, y0 = threadIdx.y * {};", vector(),
                          kernel_.chosen.rows_per_thread));
    declare_reads(kernel_.chosen.rows_per_thread, kernel_.chosen.steps);
    load_all();
    compute_and_store();
  }

  /// Rank 0: one element.
  void scalar() {
    out_.line("if (threadIdx.x != 0) return;");
    emit_body(
        kernel_,
        {[&](std::uint32_t i) { return is_memory(i) ? "*" + kernel_.pointer(i) : fmt::format("a.o{}", i); },
         [&](std::uint32_t i, const std::string& value) { return fmt::format("*a.p{} = {};", i, value); }},
        out_);
  }

  /// Square tiles: transposed operands are read along axis 1, laid down in shared memory, and taken up along
  /// axis 0. One column of padding keeps both directions to two-way bank conflicts.
  void tiled() {
    const schedule& s = kernel_.chosen;
    for (std::uint32_t i = 0; i < count(); ++i)
      if (staged(i))
        out_.line(fmt::format("__shared__ {} stage{}[{}][{}];", storage(i), i, s.tile, s.tile + 1));
    decode_tile();
    out_.line(fmt::format("const int x0 = threadIdx.x * {}, y0 = threadIdx.y;", vector()));
    declare_reads(s.rows_per_thread, 1);
    for (std::uint32_t i = 0; i < count(); ++i)
      if (staged(i))
        out_.line(
            fmt::format("pack<{}, {}> turned{}[{}] = {{}};", storage(i), vector(), i, s.rows_per_thread));
    // here threadIdx.x walks axis 1 and threadIdx.y axis 0
    unroll(fmt::format("for (int u = 0; u < {}; ++u) {{", s.rows_per_thread));
    out_.line(fmt::format("const int x = y0 + u * {}, y = x0;", s.threads_across));
    out_.open("if (x < left0 && y < left1) {");
    for (std::uint32_t i = 0; i < count(); ++i)
      if (staged(i))
        out_.line(fmt::format("load(turned{}[u], q{} + ({}), left1 - y);", i, at(i).base,
                              local_index(i, "x", "y")));
    out_.close();
    out_.close();
    load_all();
    unroll(fmt::format("for (int u = 0; u < {}; ++u) {{", s.rows_per_thread));
    for (std::uint32_t i = 0; i < count(); ++i)
      if (staged(i))
        each_lane(fmt::format("stage{0}[y0 + u * {1}][x0 + e] = turned{0}[u].e[e];", i, s.threads_across));
    out_.close();
    out_.line("__syncthreads();");
    compute_and_store();
  }

  // flat: consecutive elements of the whole space

  /// Accesses that are linear are vectors; the others' indices are decoded once a vector and stepped from
  /// lane to lane.
  void flat() {
    const schedule& s = kernel_.chosen;
    const unsigned rank = kernel_.rank();
    out_.line(fmt::format("const long long start = (long long)blockIdx.x * {};", kernel_.cut.along));
    out_.line(fmt::format("const int left = a.size - start < {0} ? (int)(a.size - start) : {0};",
                          kernel_.cut.along));
    std::string rest = "start";
    for (unsigned digit = 0; digit + 1 < rank; ++digit) {
      out_.line(fmt::format(
          "const long long r{0} = divide_wide({1}, a.d{0}), b{0} = {1} - r{0} * a.d{0}.value;", digit, rest));
      rest = fmt::format("r{}", digit);
    }
    out_.line(fmt::format("const long long b{} = {};", rank - 1, rest));
    out_.line(fmt::format("const int x0 = threadIdx.x * {};", vector()));
    for (std::uint32_t i = 0; i < count(); ++i)
      if (is_read(i))
        out_.line(fmt::format("pack<{}, {}> in{}[{}] = {{}};", storage(i), flat_lanes(i), i, s.steps));
    const int indices = s.whole_rows ? 1 : vector();
    for (unsigned group = 0; group < kernel_.groups(); ++group)
      if (!kernel_.group_is_linear(group))
        out_.line(fmt::format("long long i{}[{}][{}];", group, s.steps, indices));
    over_steps([&] { flat_loads(); });
    over_steps([&] { flat_stores(); });
  }

  template <typename Inside>
  void over_steps(Inside inside) {
    unroll(fmt::format("for (int s = 0; s < {}; ++s) {{", kernel_.chosen.steps));
    out_.line(fmt::format("const int x = x0 + s * {};", kernel_.chosen.threads_along * vector()));
    out_.open("if (x < left) {");
    inside();
    out_.close();
    out_.close();
  }

  void flat_loads() {
    const unsigned rank = kernel_.rank();
    for (std::uint32_t i = 0; i < count(); ++i)
      if (is_read(i) && linear(i))
        out_.line(fmt::format("load(in{}[s], {} + start + x, left - x);", i, kernel_.pointer(i)));
    // the first axis is short: its digit takes 32-bit arithmetic, whatever the size of the whole
    if (rank == 1) {
      out_.line("long long t0 = b0 + x;");
    } else {
      out_.line("const unsigned int c0 = divide((unsigned int)b0 + x, a.row);");
      out_.line("unsigned int t0 = (unsigned int)b0 + x - c0 * (unsigned int)a.row.value;");
    }
    for (unsigned digit = 1; digit + 1 < rank; ++digit) {
      out_.line(fmt::format("const long long c{0} = divide_wide(b{0} + c{1}, a.d{0});", digit, digit - 1));
      out_.line(fmt::format("long long t{0} = b{0} + c{1} - c{0} * a.d{0}.value;", digit, digit - 1));
    }
    if (rank > 1) out_.line(fmt::format("long long t{0} = b{0} + c{1};", rank - 1, rank - 2));
    std::vector<std::string> digits(rank);
    for (unsigned axis = 0; axis < rank; ++axis) digits[axis] = fmt::format("t{}", axis);
    if (kernel_.chosen.whole_rows)
      load_from_whole_rows(digits);
    else
      load_lane_by_lane(digits);
  }

  /// A vector lies in one row: one index a group, and what is contiguous or constant in the row is one load.
  void load_from_whole_rows(const std::vector<std::string>& digits) {
    for (unsigned group = 0; group < kernel_.groups(); ++group)
      if (!kernel_.group_is_linear(group))
        out_.line(fmt::format("i{}[s][0] = {};", group, index_expression(kernel_, group, digits)));
    for (std::uint32_t i = 0; i < count(); ++i) {
      if (!is_read(i) || linear(i)) continue;
      const std::string pointer = kernel_.pointer(i);
      switch (pattern_of(at(i).strides[0])) {
        case step_pattern::none:
          out_.line(fmt::format("in{}[s].e[0] = {}[i{}[s][0]];", i, pointer, at(i).group));
          break;
        case step_pattern::unit:
          out_.line(fmt::format("load(in{}[s], {} + i{}[s][0], {});", i, pointer, at(i).group, vector()));
          break;
        case step_pattern::strided:
          each_lane(fmt::format("in{}[s].e[e] = {}[{}];", i, pointer, lane_index(i)));
          break;
      }
    }
  }

  void load_lane_by_lane(const std::vector<std::string>& digits) {
    unroll(fmt::format("for (int e = 0; e < {}; ++e) {{", vector()));
    for (unsigned group = 0; group < kernel_.groups(); ++group)
      if (!kernel_.group_is_linear(group))
        out_.line(fmt::format("i{}[s][e] = {};", group, index_expression(kernel_, group, digits)));
    for (std::uint32_t i = 0; i < count(); ++i)
      if (is_read(i) && !linear(i))
        out_.line(
            fmt::format("if (x + e < left) in{}[s].e[e] = {}[{}];", i, kernel_.pointer(i), lane_index(i)));
    if (vector() > 1) {
      std::string carry = fmt::format("++t{};", kernel_.rank() - 1);
      for (unsigned axis = kernel_.rank() - 1; axis-- > 0;)
        carry = fmt::format("if (++t{0} == a.e{0}) {{ t{0} = 0; {1} }}", axis, carry);
      out_.line(carry);
    }
    out_.close();
  }

  /// Lanes that a thread keeps of a read.
  int flat_lanes(std::uint32_t i) const {
    return kernel_.chosen.whole_rows && !linear(i) && at(i).strides[0] == 0 ? 1 : vector();
  }
  /// Index of lane e of an access that is not linear.
  std::string lane_index(std::uint32_t i) const {
    if (!kernel_.chosen.whole_rows) return fmt::format("i{}[s][e]", at(i).group);
    switch (pattern_of(at(i).strides[0])) {
      case step_pattern::none:
        return fmt::format("i{}[s][0]", at(i).group);
      case step_pattern::unit:
        return fmt::format("i{}[s][0] + e", at(i).group);
      case step_pattern::strided:
        return fmt::format("i{0}[s][0] + e * a.s{0}_0", at(i).group);
    }
    return {};
  }

  void flat_stores() {
    declare_results();
    compute_lanes({[&](std::uint32_t i) {
                     if (is_memory(i)) return fmt::format("in{}[s].e[{}]", i, flat_lanes(i) > 1 ? "e" : "0");
                     return fmt::format("a.o{} + {}", i, linear(i) ? "start + x + e" : lane_index(i));
                   },
                   [&](std::uint32_t i, const std::string& value) {
                     return fmt::format("out{}.e[e] = {};", i, value);
                   }});
    for (std::uint32_t i = 0; i < count(); ++i) {
      if (!is_write(i)) continue;
      if (linear(i))
        out_.line(fmt::format("store(a.p{0} + start + x, out{0}, left - x);", i));
      else
        each_lane(fmt::format("if (x + e < left) a.p{0}[{1}] = out{0}.e[e];", i, lane_index(i)));
    }
  }

  emission& kernel_;
  text_writer out_;
  bool inside_ = false;  ///< the text being written is for threads that lie wholly inside the array
};

}  // namespace

std::string emit_cuda(emission& kernel) { return cuda_emitter(kernel).run(); }

}  // namespace sinter::codegen
