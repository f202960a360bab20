// Pointwise kernels for NVIDIA GPUs that walk tiles of axis 0 by axis 1, one a block: where the tile lies is
// worked out once a block in 64 bits, positions inside it are 32-bit.

#include <fmt/format.h>

#include <sinter/codegen/base/integers.hpp>
#include <sinter/codegen/print/cuda/cuda_helpers.hpp>
#include <sinter/codegen/print/cuda/emit_cuda_pointwise.hpp>

namespace sinter::codegen {
namespace {

class tile_walk final : public cuda_walk {
 public:
  explicit tile_walk(emission& kernel) : cuda_walk(kernel) {}

 private:
  std::string index_functions() const override {
    std::string text(kernel_.cut.digits > 1 ? cuda_divide : std::string_view());
    if (kernel_.kept.shared_count() != 0) text += cuda_divide_wide;
    return text.append(shared_digit_helper(kernel_));
  }
  void walk_elements() override { kernel_.chosen.order == walk::tiled ? tiled() : rows(); }

  bool turned(std::uint32_t i) const { return kernel_.chosen.order == walk::tiled && is_turned(at(i)); }

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
    declare_shared_offsets(kernel_, false, fmt::format("t{}", digits - 1), out_);
    std::vector<std::string> starts(rank);
    for (unsigned axis = 0; axis < std::min(rank, digits); ++axis) {
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
        out_.line(fmt::format("{}{}* const q{} = {} + ({});", is_read(i) ? "const " : "", storage(i), i,
                              kernel_.base_pointer(i), offset));
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
  bool varies_along(std::uint32_t i) const { return at(i).moves_along(0); }
  bool varies_across(std::uint32_t i) const { return kernel_.rank() > 1 && at(i).moves_along(1); }
  int lanes(std::uint32_t i) const { return varies_along(i) ? vector() : 1; }
  bool is_wide(std::uint32_t i) const { return at(i).pattern(0) == step_pattern::unit && vector() > 1; }

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
    if (kernel_.chosen.order != walk::rows || kernel_.rank() == 0 || !is_read(i) ||
        at(i).pattern(0) != step_pattern::unit)
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
      } else if (is_read(i) && !turned(i)) {
        out_.line(fmt::format("pack<{}, {}> in{}[{}][{}] = {{}};", storage(i), lanes(i), i,
                              varies_across(i) ? rows : 1, varies_along(i) ? steps : 1));
      }
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
      return is_read(i) && !turned(i) && !in_window(i) && varies_across(i) == across &&
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

  void compute_and_store() {
    over_positions(true, true, [&] {
      declare_results();
      compute_lanes({[&](std::uint32_t i) {
                       if (!is_memory(i))
                         return fmt::format("q{} + {}", at(i).base, local_index(i, "(x + e)", "y"));
                       if (in_window(i)) return window_element(i);
                       if (turned(i)) return fmt::format("stage{}[x + e][y]", i);
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
      if (turned(i))
        out_.line(fmt::format("__shared__ {} stage{}[{}][{}];", storage(i), i, s.tile, s.tile + 1));
    decode_tile();
    out_.line(fmt::format("const int x0 = threadIdx.x * {}, y0 = threadIdx.y;", vector()));
    declare_reads(s.rows_per_thread, 1);
    for (std::uint32_t i = 0; i < count(); ++i)
      if (turned(i))
        out_.line(
            fmt::format("pack<{}, {}> turned{}[{}] = {{}};", storage(i), vector(), i, s.rows_per_thread));
    // here threadIdx.x walks axis 1 and threadIdx.y axis 0
    unroll(fmt::format("for (int u = 0; u < {}; ++u) {{", s.rows_per_thread));
    out_.line(fmt::format("const int x = y0 + u * {}, y = x0;", s.threads_across));
    out_.open("if (x < left0 && y < left1) {");
    for (std::uint32_t i = 0; i < count(); ++i)
      if (turned(i))
        out_.line(fmt::format("load(turned{}[u], q{} + ({}), left1 - y);", i, at(i).base,
                              local_index(i, "x", "y")));
    out_.close();
    out_.close();
    load_all();
    unroll(fmt::format("for (int u = 0; u < {}; ++u) {{", s.rows_per_thread));
    for (std::uint32_t i = 0; i < count(); ++i)
      if (turned(i))
        each_lane(fmt::format("stage{0}[y0 + u * {1}][x0 + e] = turned{0}[u].e[e];", i, s.threads_across));
    out_.close();
    out_.line("__syncthreads();");
    compute_and_store();
  }

  bool inside_ = false;  ///< the text being written is for threads that lie wholly inside the array
};

}  // namespace

std::string emit_cuda_tiles(emission& kernel) { return tile_walk(kernel).run(); }

}  // namespace sinter::codegen
