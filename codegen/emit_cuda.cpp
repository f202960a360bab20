// Kernels for NVIDIA GPUs. One tile per block. Every load of a thread is issued before its first store, so
// that bytes are in flight and an output may be one of the inputs.

#include <sinter/codegen/emit_body.hpp>

#include <fmt/format.h>

namespace sinter::codegen {
namespace {

constexpr std::string_view preamble =
    R"(template <typename T, int N> struct alignas(sizeof(T) * N < 16 ? sizeof(T) * N : 16) pack { T e[N]; };
template <typename T, int N> __device__ __forceinline__ void load(pack<T, N>& to, const T* from, long long left) {
  if (left >= N) { to = *reinterpret_cast<const pack<T, N>*>(from); return; }
#pragma unroll
  for (int e = 0; e < N; ++e) if (e < left) to.e[e] = from[e];
}
template <typename T, int N> __device__ __forceinline__ void store(T* to, const pack<T, N>& from, long long left) {
  if (left >= N) { *reinterpret_cast<pack<T, N>*>(to) = from; return; }
#pragma unroll
  for (int e = 0; e < N; ++e) if (e < left) to[e] = from.e[e];
}
__device__ __forceinline__ float float_from_bits(unsigned int bits) { return __uint_as_float(bits); }
__device__ __forceinline__ double double_from_bits(unsigned long long bits) { return __longlong_as_double((long long)bits); }
)";
constexpr std::string_view divide_text =
    R"(__device__ __forceinline__ long long divide(long long n, const divisor& by) {
  return (long long)((__umul64hi((unsigned long long)n, by.multiplier) + (unsigned long long)n) >> by.shift);
}
)";

class cuda_emitter {
 public:
  explicit cuda_emitter(emission& kernel) : kernel_(kernel) {}

  std::string run() {
    emit_arguments(kernel_, out_);
    if (kernel_.cut.digits > 1) out_.str() += divide_text;
    const std::string arguments = std::move(out_.str());
    out_ = {};
    const int threads = kernel_.chosen.threads_along * kernel_.chosen.threads_across;
    out_.open(fmt::format(
        "extern \"C\" __global__ void __launch_bounds__({}) {}(const __grid_constant__ arguments a) {{",
        threads, kernel_.entry));
    out_.line("const long long tile = blockIdx.x + (long long)blockIdx.y * gridDim.x;");
    out_.line("if (tile >= a.tiles) return;");
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
    return std::string(preamble) + arguments + device_function_text(kernel_) + out_.str();
  }

 private:
  const access& at(std::uint32_t i) const { return kernel_.body.accesses[i]; }
  std::string_view storage(std::uint32_t i) const { return facts(at(i).type).storage; }
  bool is_memory(std::uint32_t i) const { return at(i).what != access::kind::position; }
  bool is_read(std::uint32_t i) const { return at(i).what == access::kind::read; }
  std::uint32_t count() const { return static_cast<std::uint32_t>(kernel_.body.accesses.size()); }
  bool is_wide(std::uint32_t i) const { return at(i).strides[0] == 1 && vector() > 1; }
  int vector() const { return kernel_.chosen.vector; }

  void unroll(std::string_view loop) {
    out_.line("#pragma unroll");
    out_.open(loop);
  }

  /// t0, t1, t2 … from the tile's number, and the base index of every group from the outer axes.
  void decode_tile() {
    const unsigned digits = kernel_.cut.digits;
    std::string rest = "tile";
    for (unsigned digit = 0; digit + 1 < digits; ++digit) {
      out_.line(fmt::format("const long long r{0} = divide({1}, a.d{0}), t{0} = {1} - r{0} * a.d{0}.value;",
                            digit, rest));
      rest = fmt::format("r{}", digit);
    }
    out_.line(fmt::format("const long long t{} = {};", digits - 1, rest));
    std::vector<std::string> outer(kernel_.rank());
    for (unsigned axis = 2; axis < kernel_.rank(); ++axis) outer[axis] = fmt::format("t{}", axis);
    for (unsigned group = 0; group < kernel_.groups(); ++group)
      out_.line(fmt::format("const long long b{} = {};", group, index_expression(kernel_, group, outer)));
  }

  std::string index_at(unsigned group, std::string_view x, std::string_view y) {
    const std::vector<std::string> positions{std::string(x),
                                             kernel_.rank() > 1 ? std::string(y) : std::string()};
    return fmt::format(
        "b{} + {}", group,
        index_expression(kernel_, group,
                         std::span(positions).first(std::min<std::size_t>(2, kernel_.rank()))));
  }

  /// Loads an access at (x, y) into `into`: a vector where elements are neighbours, else one by one.
  void load(std::uint32_t i, const std::string& into) {
    if (lanes(i) == 1)
      out_.line(fmt::format("{}.e[0] = a.p{}[{}];", into, i, index_at(at(i).group, "x", "y")));
    else if (is_wide(i))
      out_.line(fmt::format("load({}, a.p{} + {}, a.e0 - x);", into, i, index_at(at(i).group, "x", "y")));
    else
      each_lane(fmt::format("if (x + e < a.e0) {}.e[e] = a.p{}[{}];", into, i,
                            index_at(at(i).group, "(x + e)", "y")));
  }
  void store(std::uint32_t i) {
    if (is_wide(i))
      out_.line(fmt::format("store(a.p{} + {}, out{}, a.e0 - x);", i, index_at(at(i).group, "x", "y"), i));
    else if (vector() == 1)
      out_.line(fmt::format("a.p{}[{}] = out{}.e[0];", i, index_at(at(i).group, "x", "y"), i));
    else
      each_lane(fmt::format("if (x + e < a.e0) a.p{}[{}] = out{}.e[e];", i,
                            index_at(at(i).group, "(x + e)", "y"), i));
  }
  void each_lane(std::string_view statement) {
    unroll(fmt::format("for (int e = 0; e < {}; ++e) {{", vector()));
    out_.line(statement);
    out_.close();
  }

  /// What an access varies with decides how many packs a thread keeps: rows (u), steps (s), lanes (e).
  bool varies_along(std::uint32_t i) const { return at(i).strides[0] != 0; }
  bool varies_across(std::uint32_t i) const { return kernel_.rank() > 1 && at(i).strides[1] != 0; }
  int lanes(std::uint32_t i) const { return varies_along(i) ? vector() : 1; }
  void declare_reads(int rows, int steps) {
    for (std::uint32_t i = 0; i < count(); ++i)
      if (is_read(i) && !staged(i))
        out_.line(fmt::format("pack<{}, {}> in{}[{}][{}];", storage(i), lanes(i), i,
                              varies_across(i) ? rows : 1, varies_along(i) ? steps : 1));
  }
  bool staged(std::uint32_t i) const { return kernel_.chosen.order == walk::tiled && is_staged(at(i)); }

  /// Emits loops over rows and steps around `inside`, with names x, y and the bounds test; loops of one pass
  /// vanish.
  template <typename Inside>
  void over_positions(bool rows, bool steps, Inside inside) {
    const schedule& s = kernel_.chosen;
    const bool two_axes = kernel_.rank() > 1;
    if (two_axes) {
      unroll(fmt::format("for (int u = 0; u < {}; ++u) {{", rows ? s.rows_per_thread : 1));
      out_.line(fmt::format("const long long y = y0 + u * {};", s.threads_across));
    }
    unroll(fmt::format("for (int s = 0; s < {}; ++s) {{", steps ? s.steps : 1));
    out_.line(fmt::format("const long long x = x0 + s * {};", s.threads_along * s.vector));
    out_.open(two_axes ? "if (x < a.e0 && y < a.e1) {" : kernel_.rank() == 1 ? "if (x < a.e0) {" : "{");
    inside();
    out_.close();
    out_.close();
    if (two_axes) out_.close();
  }

  void rows() {
    const schedule& s = kernel_.chosen;
    decode_tile();
    if (kernel_.rank() == 0) {
      scalar();
      return;
    }
    out_.line(fmt::format("const long long x0 = t0 * {} + threadIdx.x * {};", kernel_.cut.along, s.vector));
    if (kernel_.rank() > 1)
      out_.line(fmt::format("const long long y0 = t1 * {} + threadIdx.y;", kernel_.cut.across));
    declare_reads(s.rows_per_thread, s.steps);
    load_all();
    compute_and_store();
  }

  /// Loads all reads that vary across and along as told, under loops no deeper than that.
  void load_varying(bool across, bool along) {
    bool any = false;
    for (std::uint32_t i = 0; i < count(); ++i)
      any |= is_read(i) && !staged(i) && varies_across(i) == across && varies_along(i) == along;
    if (!any) return;
    over_positions(across, along, [&] {
      for (std::uint32_t i = 0; i < count(); ++i) {
        if (!is_read(i) || staged(i) || varies_across(i) != across || varies_along(i) != along) continue;
        const std::string into = fmt::format("in{}[{}][{}]", i, across ? "u" : "0", along ? "s" : "0");
        load(i, into);
      }
    });
  }

  /// What no loop changes comes first, and is loaded once.
  void load_all() {
    for (const bool across : {false, true})
      for (const bool along : {false, true}) load_varying(across, along);
  }

  std::string read_element(std::uint32_t i) const {
    return fmt::format("in{}[{}][{}].e[{}]", i, varies_across(i) ? "u" : "0", varies_along(i) ? "s" : "0",
                       lanes(i) > 1 ? "e" : "0");
  }

  void compute_and_store() {
    over_positions(true, true, [&] {
      declare_results();
      unroll(fmt::format("for (int e = 0; e < {}; ++e) {{", vector()));
      emit_body(kernel_,
                {[&](std::uint32_t i) {
                   if (!is_memory(i))
                     return fmt::format("a.o{} + {}", i, index_at(at(i).group, "(x + e)", "y"));
                   if (staged(i))
                     return fmt::format("stage{}[xl + e][yl + u * {}]", i, kernel_.chosen.threads_across);
                   return read_element(i);
                 },
                 [&](std::uint32_t i, const std::string& value) {
                   return fmt::format("out{}.e[e] = {};", i, value);
                 }},
                out_);
      out_.close();
      for (std::uint32_t i = 0; i < count(); ++i)
        if (is_memory(i) && !is_read(i)) store(i);
    });
  }

  void declare_results() {
    for (std::uint32_t i = 0; i < count(); ++i)
      if (is_memory(i) && !is_read(i)) out_.line(fmt::format("pack<{}, {}> out{};", storage(i), vector(), i));
  }

  /// Rank 0: one element.
  void scalar() {
    out_.line("if (threadIdx.x != 0) return;");
    emit_body(
        kernel_,
        {[&](std::uint32_t i) { return is_memory(i) ? fmt::format("*a.p{}", i) : fmt::format("a.o{}", i); },
         [&](std::uint32_t i, const std::string& value) { return fmt::format("*a.p{} = {};", i, value); }},
        out_);
  }

  /// Consecutive elements of the whole space. Accesses that are linear are vectors; the others' indices are
  /// decoded once a vector and stepped from lane to lane.
  void flat() {
    const schedule& s = kernel_.chosen;
    const unsigned rank = kernel_.rank();
    std::string size = "a.e0";
    for (unsigned axis = 1; axis < rank; ++axis) size += fmt::format(" * a.e{}", axis);
    out_.line(fmt::format("const long long size = {};", size));
    out_.line(fmt::format("const long long x0 = tile * {} + threadIdx.x * {};", kernel_.cut.along, vector()));
    for (std::uint32_t i = 0; i < count(); ++i)
      if (is_read(i)) out_.line(fmt::format("pack<{}, {}> in{}[{}];", storage(i), vector(), i, s.steps));
    for (unsigned group = 0; group < kernel_.groups(); ++group)
      if (!kernel_.group_is_linear(group))
        out_.line(fmt::format("long long i{}[{}][{}];", group, s.steps, vector()));

    const std::string step_loop = fmt::format("for (int s = 0; s < {}; ++s) {{", s.steps);
    unroll(step_loop);
    out_.line(fmt::format("const long long x = x0 + s * {};", s.threads_along * vector()));
    out_.open("if (x < size) {");
    for (std::uint32_t i = 0; i < count(); ++i)
      if (is_read(i) && is_linear(at(i), kernel_.body))
        out_.line(fmt::format("load(in{0}[s], a.p{0} + x, size - x);", i));
    std::string rest = "x";
    for (unsigned digit = 0; digit + 1 < rank; ++digit) {
      out_.line(fmt::format("const long long r{0} = divide({1}, a.d{0});", digit, rest));
      out_.line(fmt::format("long long t{0} = {1} - r{0} * a.d{0}.value;", digit, rest));
      rest = fmt::format("r{}", digit);
    }
    out_.line(fmt::format("long long t{} = {};", rank - 1, rest));
    unroll(fmt::format("for (int e = 0; e < {}; ++e) {{", vector()));
    std::vector<std::string> digits(rank);
    for (unsigned axis = 0; axis < rank; ++axis) digits[axis] = fmt::format("t{}", axis);
    for (unsigned group = 0; group < kernel_.groups(); ++group)
      if (!kernel_.group_is_linear(group))
        out_.line(fmt::format("i{}[s][e] = {};", group, index_expression(kernel_, group, digits)));
    for (std::uint32_t i = 0; i < count(); ++i)
      if (is_read(i) && !is_linear(at(i), kernel_.body))
        out_.line(fmt::format("if (x + e < size) in{}[s].e[e] = a.p{}[i{}[s][e]];", i, i, at(i).group));
    if (vector() > 1) {
      std::string carry = fmt::format("++t{};", rank - 1);
      for (unsigned axis = rank - 1; axis-- > 0;)
        carry = fmt::format("if (++t{0} == a.e{0}) {{ t{0} = 0; {1} }}", axis, carry);
      out_.line(carry);
    }
    out_.close();
    out_.close();
    out_.close();

    unroll(step_loop);
    out_.line(fmt::format("const long long x = x0 + s * {};", s.threads_along * vector()));
    out_.open("if (x < size) {");
    declare_results();
    unroll(fmt::format("for (int e = 0; e < {}; ++e) {{", vector()));
    emit_body(kernel_,
              {[&](std::uint32_t i) {
                 if (is_memory(i)) return fmt::format("in{}[s].e[e]", i);
                 return kernel_.group_is_linear(at(i).group)
                            ? fmt::format("a.o{} + x + e", i)
                            : fmt::format("a.o{} + i{}[s][e]", i, at(i).group);
               },
               [&](std::uint32_t i, const std::string& value) {
                 return fmt::format("out{}.e[e] = {};", i, value);
               }},
              out_);
    out_.close();
    for (std::uint32_t i = 0; i < count(); ++i) {
      if (!is_memory(i) || is_read(i)) continue;
      if (is_linear(at(i), kernel_.body))
        out_.line(fmt::format("store(a.p{0} + x, out{0}, size - x);", i));
      else
        each_lane(fmt::format("if (x + e < size) a.p{0}[i{1}[s][e]] = out{0}.e[e];", i, at(i).group));
    }
    out_.close();
    out_.close();
  }

  /// Square tiles: transposed operands are read along axis 1, laid down in shared memory, and taken up along
  /// axis 0. One column of padding keeps both directions to two-way bank conflicts.
  void tiled() {
    const schedule& s = kernel_.chosen;
    const int tile = s.tile;
    for (std::uint32_t i = 0; i < count(); ++i)
      if (staged(i)) out_.line(fmt::format("__shared__ {} stage{}[{}][{}];", storage(i), i, tile, tile + 1));
    decode_tile();
    out_.line(fmt::format("const int xl = threadIdx.x * {}, yl = threadIdx.y;", vector()));
    out_.line(fmt::format("const long long x0 = t0 * {0} + xl, y0 = t1 * {0} + yl;", tile));
    declare_reads(s.rows_per_thread, 1);
    for (std::uint32_t i = 0; i < count(); ++i)
      if (staged(i))
        out_.line(fmt::format("pack<{}, {}> turned{}[{}];", storage(i), vector(), i, s.rows_per_thread));
    // here threadIdx.x walks axis 1 and threadIdx.y axis 0
    unroll(fmt::format("for (int u = 0; u < {}; ++u) {{", s.rows_per_thread));
    out_.line(fmt::format("const long long x = t0 * {0} + yl + u * {1}, y = t1 * {0} + xl;", tile,
                          s.threads_across));
    out_.open("if (x < a.e0 && y < a.e1) {");
    for (std::uint32_t i = 0; i < count(); ++i) {
      if (!staged(i)) continue;
      out_.line(
          fmt::format("load(turned{0}[u], a.p{0} + {1}, a.e1 - y);", i, index_at(at(i).group, "x", "y")));
    }
    out_.close();
    out_.close();
    load_all();
    unroll(fmt::format("for (int u = 0; u < {}; ++u) {{", s.rows_per_thread));
    for (std::uint32_t i = 0; i < count(); ++i)
      if (staged(i))
        each_lane(fmt::format("stage{0}[yl + u * {1}][xl + e] = turned{0}[u].e[e];", i, s.threads_across));
    out_.close();
    out_.line("__syncthreads();");
    compute_and_store();
  }

  emission& kernel_;
  text_writer out_;
};

}  // namespace

std::string emit_cuda(emission& kernel) { return cuda_emitter(kernel).run(); }

}  // namespace sinter::codegen
