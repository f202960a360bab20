// Kernels for the CPU: a range of tiles, each walked in chunks that stay in the first-level cache. The inner
// loop is plain and branch-free, so that Clang vectorises it; a scalar tail computes the same bits as a lane.

#include <sinter/codegen/emit_body.hpp>

#include <fmt/format.h>

namespace sinter::codegen {
namespace {

constexpr int chunk =
    1024;  // elements; a few staged operands of eight bytes fit in 32 KiB beside the results

// One copy loop for all results, not unrolled: inlined for each, it took most of the time to compile.
constexpr std::string_view preamble =
    R"(static inline float float_from_bits(unsigned int bits) { return __builtin_bit_cast(float, bits); }
static inline double double_from_bits(unsigned long long bits) { return __builtin_bit_cast(double, bits); }
typedef float line __attribute__((vector_size(64)));
typedef float unaligned_line __attribute__((vector_size(64), aligned(1)));
__attribute__((noinline)) static void stream_copy(unsigned char* to, const unsigned char* from, long long bytes) {
#pragma clang loop vectorize(disable) unroll(disable)
  while (bytes > 0 && ((unsigned long long)to & 63) != 0) { *to++ = *from++; --bytes; }
#pragma clang loop vectorize(disable) unroll(disable)
  for (; bytes >= 64; bytes -= 64, to += 64, from += 64) __builtin_nontemporal_store(*(const unaligned_line*)from, (line*)to);
#pragma clang loop vectorize(disable) unroll(disable)
  while (bytes > 0) { *to++ = *from++; --bytes; }
}
)";
constexpr std::string_view vectorised = "#pragma clang loop vectorize(assume_safety) interleave_count(2)";

class host_emitter {
 public:
  explicit host_emitter(emission& kernel) : kernel_(kernel) {}

  std::string run() {
    emit_arguments(kernel_, out_);
    const std::string arguments = std::move(out_.str());
    out_ = {};
    out_.open(fmt::format("extern \"C\" void {}(const void* block, long long first, long long last) {{",
                          kernel_.entry));
    out_.line("const arguments& a = *static_cast<const arguments*>(block);");
    declare_buffers();
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
    }
    out_.close();
    out_.line("if (a.streaming != 0) __builtin_ia32_sfence();");
    out_.close();
    return std::string(preamble) + arguments + device_function_text(kernel_) + out_.str();
  }

 private:
  const access& at(std::uint32_t i) const { return kernel_.body.accesses[i]; }
  std::string_view storage(std::uint32_t i) const { return facts(at(i).type).storage; }
  bool is_memory(std::uint32_t i) const { return at(i).what != access::kind::position; }
  bool is_read(std::uint32_t i) const { return at(i).what == access::kind::read; }
  bool is_write(std::uint32_t i) const { return at(i).what == access::kind::write; }
  std::uint32_t count() const { return static_cast<std::uint32_t>(kernel_.body.accesses.size()); }
  bool is_flat() const { return kernel_.chosen.order == walk::flat; }
  bool staged(std::uint32_t i) const { return kernel_.chosen.order == walk::tiled && is_staged(at(i)); }
  bool linear(std::uint32_t i) const { return is_linear(at(i), kernel_.body); }

  /// Reads that the inner loop cannot take straight from memory are laid out for it first.
  void declare_buffers() {
    for (std::uint32_t i = 0; i < count(); ++i) {
      if (staged(i))
        out_.line(fmt::format("alignas(64) {} stage{}[{}][{}];", storage(i), i, kernel_.chosen.tile,
                              kernel_.chosen.tile));
      else if (is_write(i))
        out_.line(fmt::format("alignas(64) {} out{}[{}];", storage(i), i, chunk));
      else if (is_flat() && !linear(i))
        out_.line(fmt::format("alignas(64) {} in{}[{}];", is_memory(i) ? storage(i) : "long long", i, chunk));
    }
  }

  void decode(std::string_view number, unsigned digits, bool mutable_digits) {
    std::string rest(number);
    for (unsigned digit = 0; digit + 1 < digits; ++digit) {
      out_.line(fmt::format("const long long r{0} = {1} / a.d{0}.value;", digit, rest));
      out_.line(fmt::format("{2}long long t{0} = {1} - r{0} * a.d{0}.value;", digit, rest,
                            mutable_digits ? "" : "const "));
      rest = fmt::format("r{}", digit);
    }
    out_.line(fmt::format("{}long long t{} = {};", mutable_digits ? "" : "const ", digits - 1, rest));
  }

  void rows() {
    const unsigned rank = kernel_.rank();
    decode("tile", kernel_.cut.digits, false);
    if (rank == 0) {
      out_.line("const long long x0 = 0, x1 = 1;");
    } else {
      out_.line("const long long x0 = t0 * a.along, x1 = x0 + a.along < a.e0 ? x0 + a.along : a.e0;");
    }
    if (rank > 1) {
      out_.line("const long long y0 = t1 * a.across, y1 = y0 + a.across < a.e1 ? y0 + a.across : a.e1;");
      out_.open("for (long long y = y0; y < y1; ++y) {");
    }
    walk_row("x0", "x1");
    if (rank > 1) out_.close();
  }

  std::string position_index(std::uint32_t i, std::string_view x, std::string_view y) const {
    std::vector<std::string> positions(kernel_.rank());
    if (kernel_.rank() > 0) positions[0] = x;
    if (kernel_.rank() > 1) positions[1] = y;
    for (unsigned axis = 2; axis < kernel_.rank(); ++axis) positions[axis] = fmt::format("t{}", axis);
    return index_expression(kernel_, at(i).group, positions);
  }

  /// One row from `from` to `to` in chunks.
  void walk_row(std::string_view from, std::string_view to) {
    out_.open(fmt::format("for (long long x = {}; x < {}; x += {}) {{", from, to, chunk));
    out_.line(fmt::format("const long long n = {1} - x < {0} ? {1} - x : {0};", chunk, to));
    for (std::uint32_t i = 0; i < count(); ++i) {
      if (staged(i)) {
        out_.line(fmt::format("const {}* from{} = &stage{}[y - y0][x - x0];", storage(i), i, i));
      } else if (is_read(i)) {
        out_.line(fmt::format("const {}* from{} = {} + {};", storage(i), i, kernel_.pointer(i),
                              position_index(i, "x", "y")));
        if (at(i).strides[0] == 0) out_.line(fmt::format("const {} only{} = *from{};", storage(i), i, i));
      } else if (is_write(i)) {
        out_.line(
            fmt::format("{0}* const result{1} = a.p{1} + {2};", storage(i), i, position_index(i, "x", "y")));
        const bool unit = kernel_.rank() == 0 || at(i).strides[0] == 1;
        if (unit)
          out_.line(fmt::format("{0}* const to{1} = a.streaming != 0 ? out{1} : result{1};", storage(i), i));
        else
          out_.line(fmt::format("{0}* const to{1} = out{1};", storage(i), i));
      } else {
        out_.line(fmt::format("const long long at{0} = a.o{0} + {1};", i, position_index(i, "x", "y")));
      }
    }
    compute_chunk(
        {[&](std::uint32_t i) {
           const step_pattern pattern = staged(i)             ? step_pattern::unit
                                        : kernel_.rank() == 0 ? step_pattern::none
                                                              : pattern_of(at(i).strides[0]);
           const std::string step =
               pattern == step_pattern::unit ? "i" : fmt::format("i * a.s{}_0", at(i).group);
           if (!is_memory(i))
             return pattern == step_pattern::none ? fmt::format("at{}", i)
                                                  : fmt::format("at{} + {}", i, step);
           return pattern == step_pattern::none ? fmt::format("only{}", i)
                                                : fmt::format("from{}[{}]", i, step);
         },
         [&](std::uint32_t i, const std::string& value) { return fmt::format("to{}[i] = {};", i, value); }});
    for (std::uint32_t i = 0; i < count(); ++i) {
      if (!is_write(i)) continue;
      if (kernel_.rank() == 0 || at(i).strides[0] == 1)
        out_.line(stream_out(i));
      else
        out_.line(fmt::format("for (long long i = 0; i < n; ++i) result{0}[i * a.s{1}_0] = out{0}[i];", i,
                              at(i).group));
    }
    out_.close();
  }

  void inner_loop(argument_range range, const body_hooks& hooks) {
    kernel_.range = range;
    out_.line(vectorised);
    out_.open("for (long long i = 0; i < n; ++i) {");
    emit_body(kernel_, hooks, out_);
    if (range == argument_range::tested)
      for (const std::string& test : kernel_.tests) out_.line(fmt::format("far |= !{};", test));
    out_.close();
  }

  /// The loop over a chunk. Where functions have a cheaper form for most arguments, the chunk is tested
  /// first: same bits, decided for whole chunks so that the loop stays free of branches.
  void compute_chunk(const body_hooks& hooks) {
    emission probe = kernel_;
    text_writer unused;
    emit_body(probe, hooks, unused);
    if (probe.tests.empty()) {
      inner_loop(argument_range::any, hooks);
      return;
    }
    out_.line("int far = 0;");
    inner_loop(argument_range::tested, hooks);
    out_.open("if (far == 0) {");
    inner_loop(argument_range::near, hooks);
    out_.reopen("} else {");
    inner_loop(argument_range::any, hooks);
    out_.close();
  }

  std::string stream_out(std::uint32_t i) const {
    return fmt::format(
        "if (a.streaming != 0) stream_copy((unsigned char*)result{0}, (const unsigned char*)out{0}, n * "
        "{1});",
        i, size_of(at(i).type));
  }

  /// Consecutive elements of the whole space; operands that are not linear are gathered run by run along axis
  /// 0.
  void flat() {
    const unsigned rank = kernel_.rank();
    out_.line("const long long x0 = tile * a.along, x1 = x0 + a.along < a.size ? x0 + a.along : a.size;");
    bool scattered = false;
    for (std::uint32_t i = 0; i < count(); ++i) scattered |= is_write(i) && !linear(i);
    decode("x0", rank, true);
    out_.open(fmt::format("for (long long x = x0; x < x1; x += {}) {{", chunk));
    out_.line(fmt::format("const long long n = x1 - x < {0} ? x1 - x : {0};", chunk));
    if (scattered)
      for (unsigned axis = 0; axis < rank; ++axis)
        out_.line(fmt::format("const long long t{0}_0 = t{0};", axis));
    run_through_rows([&](std::uint32_t i) {
      if (is_write(i) || linear(i)) return std::string();
      const std::string step = inner_step(i);
      if (!is_memory(i)) return fmt::format("in{0}[i] = a.o{0} + base{0} + {1};", i, step);
      return fmt::format("in{0}[i] = {2}[base{0} + {1}];", i, step, kernel_.pointer(i));
    });
    for (std::uint32_t i = 0; i < count(); ++i) {
      if (is_write(i))
        out_.line(linear(i) ? fmt::format("{0}* const result{1} = a.p{1} + x; {0}* const to{1} = a.streaming "
                                          "!= 0 ? out{1} : result{1};",
                                          storage(i), i)
                            : fmt::format("{0}* const to{1} = out{1};", storage(i), i));
      else if (is_read(i))
        out_.line(linear(i) ? fmt::format("const {0}* from{1} = {2} + x;", storage(i), i, kernel_.pointer(i))
                            : fmt::format("const {0}* from{1} = in{1};", storage(i), i));
    }
    compute_chunk(
        {[&](std::uint32_t i) {
           if (is_memory(i)) return fmt::format("from{}[i]", i);
           return linear(i) ? fmt::format("a.o{} + x + i", i) : fmt::format("in{}[i]", i);
         },
         [&](std::uint32_t i, const std::string& value) { return fmt::format("to{}[i] = {};", i, value); }});
    for (std::uint32_t i = 0; i < count(); ++i)
      if (is_write(i) && linear(i)) out_.line(stream_out(i));
    if (scattered) {
      for (unsigned axis = 0; axis < rank; ++axis) out_.line(fmt::format("t{0} = t{0}_0;", axis));
      run_through_rows([&](std::uint32_t i) {
        if (!is_write(i) || linear(i)) return std::string();
        return fmt::format("a.p{0}[base{0} + {1}] = out{0}[i];", i, inner_step(i));
      });
    }
    out_.close();
  }

  std::string inner_step(std::uint32_t i) const {
    switch (pattern_of(at(i).strides[0])) {
      case step_pattern::none:
        return "0";
      case step_pattern::unit:
        return "(i - done)";
      case step_pattern::strided:
        return fmt::format("(i - done) * a.s{}_0", at(i).group);
    }
    return {};
  }

  /// Loops over the runs of axis 0 inside a chunk, with one inner loop per access that `statement` is not
  /// empty for.
  template <typename Statement>
  void run_through_rows(Statement statement) {
    const unsigned rank = kernel_.rank();
    std::vector<std::string> digits(rank);
    for (unsigned axis = 0; axis < rank; ++axis) digits[axis] = fmt::format("t{}", axis);
    out_.open("for (long long done = 0; done < n;) {");
    out_.line("const long long run = a.e0 - t0 < n - done ? a.e0 - t0 : n - done;");
    for (std::uint32_t i = 0; i < count(); ++i) {
      const std::string text = statement(i);
      if (text.empty()) continue;
      out_.line(
          fmt::format("const long long base{} = {};", i, index_expression(kernel_, at(i).group, digits)));
      out_.line(fmt::format("for (long long i = done; i < done + run; ++i) {}", text));
    }
    out_.line("done += run;");
    std::string carry = fmt::format("++t{};", rank - 1);
    for (unsigned axis = rank - 1; axis-- > 1;)
      carry = fmt::format("if (++t{0} == a.e{0}) {{ t{0} = 0; {1} }}", axis, carry);
    out_.line(fmt::format("if ((t0 += run) == a.e0) {{ t0 = 0; {} }}", rank > 1 ? carry : ""));
    out_.close();
  }

  /// Square tiles: transposed operands are copied along their contiguous axis into a tile that the
  /// first-level cache holds.
  void tiled() {
    decode("tile", kernel_.cut.digits, false);
    const int tile = kernel_.chosen.tile;
    out_.line(fmt::format("const long long x0 = t0 * {0}, x1 = x0 + {0} < a.e0 ? x0 + {0} : a.e0;", tile));
    out_.line(fmt::format("const long long y0 = t1 * {0}, y1 = y0 + {0} < a.e1 ? y0 + {0} : a.e1;", tile));
    for (std::uint32_t i = 0; i < count(); ++i) {
      if (!staged(i)) continue;
      out_.open("for (long long x = x0; x < x1; ++x) {");
      out_.line(fmt::format("const {0}* from = {1} + {2};", storage(i), kernel_.pointer(i),
                            position_index(i, "x", "y0")));
      out_.line(fmt::format("for (long long y = 0; y < y1 - y0; ++y) stage{}[y][x - x0] = from[y];", i));
      out_.close();
    }
    out_.open("for (long long y = y0; y < y1; ++y) {");
    walk_row("x0", "x1");
    out_.close();
  }

  emission& kernel_;
  text_writer out_;
};

}  // namespace

std::string emit_host(emission& kernel) { return host_emitter(kernel).run(); }

}  // namespace sinter::codegen
