// Kernels for the CPU: a range of tiles, each walked in pieces of a fixed number of elements. The loop over a
// piece is all that is vectorised: its length is a constant, every operand is contiguous in it, and it has no
// branch. What is strided, broadcast inside short rows, or shorter than a piece is laid out in a buffer
// first; there is no scalar tail, so that an element's bits cannot depend on where it stands. Lanes of a
// piece that belong to no element are elements near it again: nothing is evaluated that was never written.

#include <sinter/codegen/print/cpu/cpu_helpers.hpp>
#include <sinter/codegen/print/emit_body.hpp>

#include <fmt/format.h>

namespace sinter::codegen {
namespace {

constexpr std::string_view vectorised =
    "#pragma clang loop vectorize(assume_safety) interleave_count(2) unroll(disable)";

class host_emitter {
 public:
  explicit host_emitter(emission& kernel) : kernel_(kernel), has_near_form_(find_near_form()) {}

  std::string run() {
    emit_arguments(kernel_, out_);
    out_.str() += shared_digit_helper(kernel_);
    const std::string arguments = std::move(out_.str());
    out_ = {};
    out_.open(fmt::format("extern \"C\" void {}(const void* block, long long first, long long last) {{",
                          kernel_.entry));
    out_.line("const arguments& a = *static_cast<const arguments*>(block);");
    declare_buffers();
    if (is_flat()) lay_constant_rows();
    out_.open("for (long long tile = first; tile < last; ++tile) {");
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
    out_.line("if (a.streaming != 0) __builtin_ia32_sfence();");
    out_.close();
    return host_preamble(helpers_) + arguments + device_function_text(kernel_) + out_.str();
  }

 private:
  const access& at(std::uint32_t i) const { return kernel_.body.accesses[i]; }
  std::string_view storage(std::uint32_t i) const { return facts(at(i).type).storage; }
  bool is_memory(std::uint32_t i) const { return at(i).what != access::kind::position; }
  bool is_read(std::uint32_t i) const { return at(i).what == access::kind::read; }
  bool is_write(std::uint32_t i) const { return at(i).what == access::kind::write; }
  std::uint32_t count() const { return static_cast<std::uint32_t>(kernel_.body.accesses.size()); }
  bool is_flat() const { return kernel_.chosen.order == walk::flat; }
  bool turned(std::uint32_t i) const { return kernel_.chosen.order == walk::tiled && is_turned(at(i)); }
  bool linear(std::uint32_t i) const { return is_linear(at(i), kernel_.body); }
  /// Laid out in a buffer for a whole chunk, long before it is read: what was stored as elements a moment ago
  /// cannot be loaded as a vector yet. In the flat walk that is whatever is not linear, in rows what is
  /// strided along them.
  bool spread(std::uint32_t i) const { return is_flat() ? !linear(i) : packed(i); }
  bool packed(std::uint32_t i) const {
    return !is_flat() && is_read(i) && !turned(i) && pattern(i) == step_pattern::strided;
  }

  step_pattern pattern(std::uint32_t i) const {
    if (turned(i)) return step_pattern::unit;
    return kernel_.rank() == 0 ? step_pattern::none : at(i).pattern(0);
  }
  std::string stride(std::uint32_t i, unsigned axis) const {
    if (axis >= kernel_.rank()) return "0";
    switch (at(i).pattern(axis)) {
      case step_pattern::none:
        return "0";
      case step_pattern::unit:
        return "1";
      case step_pattern::strided:
        return fmt::format("a.s{}_{}", at(i).group, axis);
    }
    return {};
  }

  std::string_view helper(host_helper what) {
    helpers_.insert(what);
    return name_of(what);
  }

  /// Buffers reach a piece beyond both ends: a piece is always read whole.
  void declare_buffers() {
    for (std::uint32_t i = 0; i < count(); ++i) {
      const std::string_view type = is_memory(i) ? storage(i) : "long long";
      const int tile = kernel_.chosen.tile;
      if (turned(i)) out_.line(buffer(type, "stage", i, tile * tile));
      if (spread(i))
        out_.line(buffer(type, is_write(i) ? "out" : "in", i, host_chunk));
      else if (is_memory(i) && (is_write(i) || pattern(i) != step_pattern::none))
        out_.line(fmt::format("alignas(64) {} {}{}[{}];", type, is_write(i) ? "out" : "in", i, host_step));
    }
  }
  static std::string buffer(std::string_view type, std::string_view name, std::uint32_t i, int elements) {
    return fmt::format("alignas(64) {0} {1}{2}_whole[{3}]; {0}* const {1}{2} = {1}{2}_whole + {4};", type,
                       name, i, elements + 2 * host_step, host_step);
  }

  void decode(std::string_view number, unsigned from, unsigned digits, bool mutable_digits) {
    std::string rest(number);
    for (unsigned digit = from; digit + 1 < digits; ++digit) {
      out_.line(fmt::format("const long long r{0} = {1} / a.d{0}.value;", digit, rest));
      out_.line(fmt::format("{2}long long t{0} = {1} - r{0} * a.d{0}.value;", digit, rest,
                            mutable_digits ? "" : "const "));
      rest = fmt::format("r{}", digit);
    }
    out_.line(fmt::format("{}long long t{} = {};", mutable_digits ? "" : "const ", digits - 1, rest));
  }

  void rows() {
    const unsigned rank = kernel_.rank();
    decode("tile", 0, kernel_.cut.digits, false);
    declare_shared_offsets(kernel_, false, last_digit(), out_);
    if (rank == 0) {
      out_.line("const long long x0 = 0, x1 = 1;");
    } else {
      out_.line("const long long x0 = t0 * a.along, x1 = x0 + a.along < a.e0 ? x0 + a.along : a.e0;");
    }
    if (rank > 1) {
      out_.line("const long long y0 = t1 * a.across, y1 = y0 + a.across < a.e1 ? y0 + a.across : a.e1;");
      out_.open("for (long long y = y0; y < y1; ++y) {");
    }
    walk_row();
    if (rank > 1) out_.close();
  }

  std::string last_digit() const { return fmt::format("t{}", kernel_.cut.digits - 1); }

  std::string position_index(std::uint32_t i, std::string_view x, std::string_view y) const {
    std::vector<std::string> positions(kernel_.rank());
    if (kernel_.rank() > 0) positions[0] = x;
    if (kernel_.rank() > 1) positions[1] = y;
    for (unsigned axis = 2; axis < std::min(kernel_.rank(), kernel_.cut.digits); ++axis)
      positions[axis] = fmt::format("t{}", axis);
    return index_expression(kernel_, at(i).group, positions);
  }

  /// One row from x0 to x1.
  void walk_row() {
    bool packs = false;
    for (std::uint32_t i = 0; i < count(); ++i) packs |= packed(i);
    if (!packs) {
      out_.line("const long long x = x0, chunk = x1 - x0;");
      row_pieces();
      return;
    }
    out_.open("for (long long x = x0, chunk; x < x1; x += chunk) {");
    out_.line(fmt::format("chunk = x1 - x < {0} ? x1 - x : {0};", host_chunk));
    for (std::uint32_t i = 0; i < count(); ++i)
      if (packed(i))
        out_.line(fmt::format("{}(in{}, {} + {}, {}, chunk);", helper(host_helper::pack_row), i,
                              kernel_.pointer(i), position_index(i, "x", "y"), stride(i, 0)));
    surround([&](std::uint32_t i) { return packed(i); });
    row_pieces();
    out_.close();
  }
  void row_pieces() {
    pieces([&](std::uint32_t i, std::string_view x) {
      if (turned(i)) return fmt::format("stage{} + (y - y0) * {} + ({} - x0)", i, kernel_.chosen.tile, x);
      const std::string index = position_index(i, x, "y");
      return is_memory(i) ? fmt::format("{} + {}", kernel_.pointer(i), index)
                          : fmt::format("a.o{} + {}", i, index);
    });
  }

  /// Gives a chunk's last pieces, and a row's last one, something to read beyond the chunk.
  template <typename Chosen>
  void surround(Chosen chosen) {
    out_.open(fmt::format("if (chunk % {} != 0 || a.streaming != 0) {{", host_step));
    for (std::uint32_t i = 0; i < count(); ++i)
      if (chosen(i)) out_.line(fmt::format("{}(in{}, chunk);", helper(host_helper::surround), i));
    out_.close();
  }

  /// The chunk at x in pieces of n elements from `to` on. A piece that is cut short, by the end of the row or
  /// to end with a cache line, is computed whole: it begins at `from` and is read where the row goes on,
  /// before it or behind; what lies outside is not stored. `start` tells where an access is at a position.
  template <typename Start>
  void pieces(Start start) {
    out_.open("for (long long j = 0, n; j < chunk; j += n) {");
    out_.line("const long long to = x + j;");
    std::string longest = std::to_string(host_step);
    for (std::uint32_t i = 0; i < count(); ++i) {
      if (!is_write(i) || spread(i)) continue;
      out_.line(fmt::format("{0}* const result{1} = {2};", storage(i), i, start(i, "to")));
      if (pattern(i) != step_pattern::unit || longest.size() > 2) continue;
      const std::size_t size = size_of(at(i).type);  // lines bypass the cache whole
      longest = fmt::format("{} - (a.streaming != 0 ? (long long)result{} / {} & {} : 0)", host_step, i, size,
                            64 / size - 1);
    }
    out_.line(fmt::format("n = {};", longest));
    out_.line("if (n > chunk - j) n = chunk - j;");
    out_.line(fmt::format("const long long from = x1 < {0} || to + {0} <= x1 ? to : x1 - {0};", host_step));
    for (const bool writes : {false, true})
      for (std::uint32_t i = 0; i < count(); ++i)
        if (is_write(i) == writes) begin(i, start);
    compute();
    for (std::uint32_t i = 0; i < count(); ++i) {
      if (!is_write(i) || spread(i)) continue;
      if (pattern(i) == step_pattern::unit)
        out_.line(fmt::format("if (to{0} == out{0}) {1}(result{0}, out{0} + (to - from), n, a.streaming);", i,
                              helper(host_helper::put)));
      else
        out_.line(fmt::format("{1}(out{0} + (to - from), result{0}, 0, {2}, n, 1);", i,
                              helper(host_helper::scatter_rows), stride(i, 0)));
    }
    out_.close();
  }

  /// What the loop over a piece needs of an access.
  template <typename Start>
  void begin(std::uint32_t i, Start start) {
    const std::string_view type = is_memory(i) ? storage(i) : "long long";
    if (spread(i)) {
      out_.line(fmt::format("{0}* const {1}{3} = {2}{3} + (from - x);", type, is_write(i) ? "to" : "from",
                            is_write(i) ? "out" : "in", i));
    } else if (is_write(i)) {
      // Not straight to memory where lines bypass the cache, nor over arguments that may be needed again.
      std::string direct = fmt::format("a.streaming == 0 && n == {}", host_step);
      for (std::uint32_t r = 0; has_near_form_ && r < count(); ++r)
        if (is_read(r) && !spread(r) && pattern(r) == step_pattern::unit)
          direct += fmt::format(" && (const void*)from{} != (const void*)result{}", r, i);
      out_.line(pattern(i) == step_pattern::unit
                    ? fmt::format("{0}* const to{1} = {2} ? result{1} : out{1};", type, i, direct)
                    : fmt::format("{0}* const to{1} = out{1};", type, i));
    } else if (!is_memory(i)) {
      out_.line(fmt::format("const long long from{} = {};", i, start(i, "from")));
    } else if (pattern(i) == step_pattern::none) {
      out_.line(fmt::format("const {} from{} = *({});", type, i, start(i, "from")));
    } else {
      out_.line(fmt::format("const {0}* const from{1} = x1 < {2} ? {3}(in{1}, {4}, n) : {4};", type, i,
                            host_step, helper(host_helper::lay), start(i, "from")));
    }
  }

  std::string element(std::uint32_t i) const {
    if (spread(i) || (is_memory(i) && pattern(i) != step_pattern::none)) return fmt::format("from{}[i]", i);
    if (is_memory(i) || pattern(i) == step_pattern::none) return fmt::format("from{}", i);
    return fmt::format("from{} + i * {}", i, stride(i, 0));
  }

  void inner_loop(argument_range range) {
    kernel_.range = range;
    out_.line(vectorised);
    out_.open(fmt::format("for (int i = 0; i < {}; ++i) {{", host_step));
    emit_body(
        kernel_,
        {[&](std::uint32_t i) { return element(i); },
         [&](std::uint32_t i, const std::string& value) { return fmt::format("to{}[i] = {};", i, value); }},
        out_);
    if (range == argument_range::tested)
      for (const std::string& test : kernel_.tests) out_.line(fmt::format("far |= !{};", test));
    out_.close();
  }

  bool find_near_form() const {
    emission probe = kernel_;
    text_writer unused;
    emit_body(probe, {[](std::uint32_t) { return ""; }, [](std::uint32_t, const std::string&) { return ""; }},
              unused);
    return !probe.tests.empty();
  }

  /// The loop over a piece. Where functions have a cheaper form for most arguments it runs first, and again
  /// in the other form if an argument fails its test: same bits, decided for whole pieces so that the loop
  /// stays free of branches.
  void compute() {
    if (!has_near_form_) {
      inner_loop(argument_range::any);
      return;
    }
    out_.line("int far = 0;");
    inner_loop(argument_range::tested);
    out_.open("if (__builtin_expect(far, 0) != 0) {");
    inner_loop(argument_range::any);
    out_.close();
  }

  /// Consecutive elements of the whole space, in chunks of whole rows (of one row's part where there is one
  /// axis alone). Operands that are not linear are laid out for a chunk.
  void flat() {
    const unsigned rank = kernel_.rank(), digits = kernel_.cut.digits;
    out_.line("const long long x0 = tile * a.along, x1 = x0 + a.along < a.size ? x0 + a.along : a.size;");
    if (rank > 1) decode("x0 / a.e0", 1, digits, true);
    out_.open("for (long long x = x0, chunk; x < x1; x += chunk) {");
    if (rank > 1)
      out_.line("const long long height = (x1 - x) / a.e0 < a.across ? (x1 - x) / a.e0 : a.across;");
    out_.line(rank > 1 ? "chunk = height * a.e0;"
                       : fmt::format("chunk = x1 - x < {0} ? x1 - x : {0};", host_chunk));
    bool scattered = false, read = false;
    for (std::uint32_t i = 0; i < count(); ++i) {
      scattered |= is_write(i) && spread(i);
      read |= !is_write(i) && spread(i) && !is_constant_row(i);
    }
    if (scattered && read)
      for (unsigned axis = 1; axis < digits; ++axis)
        out_.line(fmt::format("const long long t{0}_0 = t{0};", axis));
    if (read) {
      const auto laid_out = [&](std::uint32_t i) { return !is_write(i) && spread(i) && !is_constant_row(i); };
      run_through_rows(laid_out);
      surround(laid_out);
    }
    pieces([&](std::uint32_t i, std::string_view x) {
      return is_memory(i) ? fmt::format("{} + {}", kernel_.pointer(i), x) : fmt::format("a.o{} + {}", i, x);
    });
    if (scattered) {
      if (read)
        for (unsigned axis = 1; axis < digits; ++axis) out_.line(fmt::format("t{0} = t{0}_0;", axis));
      run_through_rows([&](std::uint32_t i) { return is_write(i) && spread(i); });
    }
    out_.close();
  }

  /// Whether all rows of the flat walk see the same elements.
  bool is_constant_row(std::uint32_t i) const {
    if (is_write(i) || kernel_.rank() < 2) return false;
    for (unsigned axis = 1; axis < kernel_.rank(); ++axis)
      if (at(i).moves_along(axis)) return false;
    return true;
  }
  void lay_constant_rows() {
    for (std::uint32_t i = 0; i < count(); ++i)
      if (spread(i) && is_constant_row(i)) {
        lay_rows(i, "", "0", std::string_view("a.across"));
        out_.line(fmt::format("{}(in{}, a.across * a.e0);", helper(host_helper::surround), i));
      }
  }

  /// Rows of access i between memory at `index` and the buffer at `shift`; `rest`: strides along and across
  /// rows, height and width.
  void lay_rows(std::uint32_t i, std::string_view shift, std::string_view index, const std::string& rest) {
    const bool repeated = pattern(i) == step_pattern::none && kernel_.rank() > 1;
    const host_helper how = is_write(i)     ? host_helper::scatter_rows
                            : !is_memory(i) ? host_helper::count_rows
                            : repeated      ? host_helper::repeat_rows
                                            : host_helper::gather_rows;
    out_.line(fmt::format("{}({}{}{}, {} + {}, {});", helper(how), is_write(i) ? "out" : "in", i, shift,
                          is_memory(i) ? kernel_.pointer(i) : fmt::format("a.o{}", i), index, rest));
  }
  void lay_rows(std::uint32_t i, std::string_view shift, std::string_view index, std::string_view height) {
    lay_rows(i, shift, index, fmt::format("{}, {}, {}, a.e0", stride(i, 0), stride(i, 1), height));
  }

  /// Lays out (or scatters) the chosen accesses for a chunk, by runs of rows along axis 1.
  template <typename Chosen>
  void run_through_rows(Chosen chosen) {
    const unsigned rank = kernel_.rank();
    if (rank == 1) {
      for (std::uint32_t i = 0; i < count(); ++i)
        if (chosen(i))  // one row alone is walked as a column
          lay_rows(i, "", position_index(i, "x", ""), fmt::format("0, {}, chunk, 1", stride(i, 0)));
      return;
    }
    const unsigned count_of_digits = kernel_.cut.digits;
    std::vector<std::string> digits(rank);
    for (unsigned axis = 1; axis < count_of_digits; ++axis) digits[axis] = fmt::format("t{}", axis);
    out_.open("for (long long done = 0; done < height;) {");
    out_.line("const long long run = a.e1 - t1 < height - done ? a.e1 - t1 : height - done;");
    declare_shared_offsets(kernel_, false, last_digit(), out_);
    for (std::uint32_t i = 0; i < count(); ++i)
      if (chosen(i))
        lay_rows(i, " + done * a.e0", index_expression(kernel_, at(i).group, digits),
                 std::string_view("run"));
    out_.line("done += run;");
    std::string carry = fmt::format("++{};", last_digit());
    for (unsigned axis = count_of_digits - 1; axis-- > 2;)
      carry = fmt::format("if (++t{0} == a.e{0}) {{ t{0} = 0; {1} }}", axis, carry);
    out_.line(fmt::format("if ((t1 += run) == a.e1) {{ t1 = 0; {} }}", rank > 2 ? carry : ""));
    out_.close();
  }

  /// Square tiles: transposed operands are copied along their contiguous axis into a tile that the
  /// first-level cache holds.
  void tiled() {
    decode("tile", 0, kernel_.cut.digits, false);
    declare_shared_offsets(kernel_, false, last_digit(), out_);
    const int tile = kernel_.chosen.tile;
    out_.line(fmt::format("const long long x0 = t0 * {0}, x1 = x0 + {0} < a.e0 ? x0 + {0} : a.e0;", tile));
    out_.line(fmt::format("const long long y0 = t1 * {0}, y1 = y0 + {0} < a.e1 ? y0 + {0} : a.e1;", tile));
    for (std::uint32_t i = 0; i < count(); ++i) {
      if (!turned(i)) continue;
      out_.open("for (long long x = x0; x < x1; ++x) {");
      out_.line(fmt::format("const {0}* from = {1} + {2};", storage(i), kernel_.pointer(i),
                            position_index(i, "x", "y0")));
      out_.line(fmt::format("for (long long y = 0; y < y1 - y0; ++y) stage{}[y * {} + (x - x0)] = from[y];",
                            i, tile));
      out_.close();
      out_.line(fmt::format("if (x1 - x0 < {0}) {1}(stage{2}, y1 - y0, x1 - x0, {0});", tile,
                            helper(host_helper::widen), i));
    }
    out_.open("for (long long y = y0; y < y1; ++y) {");
    walk_row();
    out_.close();
  }

  emission& kernel_;
  bool has_near_form_;
  host_helper_set helpers_;
  text_writer out_;
};

}  // namespace

std::string emit_host(emission& kernel) { return host_emitter(kernel).run(); }

}  // namespace sinter::codegen
