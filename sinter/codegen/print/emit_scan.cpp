#include <fmt/format.h>

#include <algorithm>

#include <sinter/codegen/nest/reduction_phases.hpp>
#include <sinter/codegen/print/emit_scan.hpp>

namespace sinter::codegen {
namespace {

/// Elements of one vector of the host: a 64-byte register of float32, two of float64.
constexpr int host_line = 16;

/// Whether elements are combined by an operator that vectors have, too; all but complex numbers, and half
/// types in strict mode, are.
bool has_vector_operator(const emission& kernel, const instruction& scan) {
  return !is_complex(scan.type) && (kernel.mode != arithmetic_mode::strict || !is_half(scan.type));
}

std::string_view vector_operator(const instruction& scan) {
  return facts(scan.op).combine == operation::add ? "+" : "*";
}

/// Vectors of integers wrap if they are unsigned.
std::string_view vector_element(const instruction& scan) {
  return is_floating(scan.type) ? facts(scan.type).spelling : std::string_view("unsigned long long");
}

/// "15, 16, … 30": from the last `distance` elements of one vector on into another.
std::string shifted_by(int distance) {
  std::string text;
  for (int e = 0; e < host_line; ++e)
    text += fmt::format("{}{}", e == 0 ? "" : ", ", host_line - distance + e);
  return text;
}

constexpr std::string_view exchange_upward =
    R"(__device__ __forceinline__ unsigned int from_below(unsigned int x, int distance) {
  unsigned int r;
  asm volatile("shfl.sync.up.b32 %0, %1, %2, 0, 0xffffffff;" : "=r"(r) : "r"(x), "r"(distance));
  return r;
}
__device__ __forceinline__ unsigned int from_thread(unsigned int x, int thread) {
  unsigned int r;
  asm volatile("shfl.sync.idx.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(r) : "r"(x), "r"(thread));
  return r;
}
#define BY_WORDS(name) \
__device__ __forceinline__ unsigned long long name(unsigned long long x, int by) { \
  const unsigned int low = name((unsigned int)x, by), high = name((unsigned int)(x >> 32), by); \
  return (unsigned long long)high << 32 | low; \
} \
__device__ __forceinline__ long long name(long long x, int by) { return (long long)name((unsigned long long)x, by); } \
__device__ __forceinline__ double name(double x, int by) { return __longlong_as_double(name(__double_as_longlong(x), by)); } \
__device__ __forceinline__ float name(float x, int by) { return __uint_as_float(name(__float_as_uint(x), by)); }
BY_WORDS(from_below)
BY_WORDS(from_thread)
)";

}  // namespace

std::string_view cuda_scan_helpers() { return exchange_upward; }

std::string host_scan_helpers(const emission& kernel) {
  std::string text;
  if (kernel.chosen.order == walk::column_reduction) return text;
  for (const operation combine : {operation::add, operation::multiply}) {
    const auto found =
        std::find_if(kernel.body.body.begin(), kernel.body.body.end(), [&](const instruction& at) {
          return is_scan(at.op) && facts(at.op).combine == combine && has_vector_operator(kernel, at);
        });
    if (found == kernel.body.body.end()) continue;
    const std::string_view sign = vector_operator(*found);
    text += fmt::format(
        "template <bool exclusive, class T> static inline __attribute__((always_inline)) void scan_by_{}(T* "
        "v, T start, T& carry) {{\n"
        "  typedef T line __attribute__((ext_vector_type({}), aligned(sizeof(T))));\n"
        "  line x = *(line*)v;\n",
        facts(combine).name, host_line);
    for (int distance = 1; distance < host_line; distance *= 2)
      text += fmt::format("  x = __builtin_shufflevector((line)start, x, {}) {} x;\n", shifted_by(distance),
                          sign);
    text += fmt::format(
        "  const T next = carry {0} x[{1}];\n"
        "  x = (line)carry {0} x;\n"
        "  if (exclusive) x = __builtin_shufflevector((line)carry, x, {2});\n"
        "  *(line*)v = x;\n"
        "  carry = next;\n"
        "}}\n",
        sign, host_line - 1, shifted_by(1));
  }
  return text;
}

std::string_view scan_writer::type(std::uint32_t scan) const { return facts(code(scan).type).spelling; }

std::string scan_writer::joined(std::uint32_t scan, const std::string& a, const std::string& b) {
  return combined_text(kernel_, code(scan), a, b);
}

void scan_writer::unroll(std::string_view name, int count) {
  if (kernel_.is_cuda()) out_.line("#pragma unroll");
  out_.open(fmt::format("for (int {0} = 0; {0} < {1}; ++{0}) {{", name, count));
}

void scan_writer::begin(std::uint32_t scan, const std::string& first) {
  const std::string value = first.empty() ? start_text(kernel_, code(scan)) : first;
  if (!columns()) {
    out_.line(fmt::format("{} carry{} = {};", type(scan), scan, value));
    return;
  }
  out_.line(fmt::format("{} carry{}[{}];", type(scan), scan, kernel_.chosen.vector));
  unroll("e", kernel_.chosen.vector);
  out_.line(fmt::format("carry{}[e] = {};", scan, value));
  out_.close();
}

// CUDA

void scan_writer::clear(std::uint32_t scan) {
  unroll("s", kernel_.chosen.steps);
  unroll("e", kernel_.chosen.vector);
  out_.line(fmt::format("v{}[s][e] = {};", scan, start_text(kernel_, code(scan))));
  out_.close();
  out_.close();
}

/// What is before a step's elements joins each of them.
void scan_writer::add_to_elements(std::uint32_t scan, const std::string& before) {
  const int lanes = kernel_.chosen.vector;
  if (code(scan).exclusive && !columns()) {
    if (lanes > 1) {
      out_.line("#pragma unroll");
      out_.open(fmt::format("for (int e = {}; e > 0; --e) {{", lanes - 1));
      out_.line(
          fmt::format("v{0}[s][e] = {1};", scan, joined(scan, before, fmt::format("v{}[s][e - 1]", scan))));
      out_.close();
    }
    out_.line(fmt::format("v{}[s][0] = {};", scan, before));
    return;
  }
  unroll("e", lanes);
  out_.line(fmt::format("v{0}[s][e] = {1};", scan, joined(scan, before, fmt::format("v{}[s][e]", scan))));
  out_.close();
}

void scan_writer::turn_of_rows(std::uint32_t scan) {
  const schedule& chosen = kernel_.chosen;
  out_.open("{");
  out_.line(fmt::format("{0} total[{1}], before[{1}];", type(scan), chosen.steps));
  scan_lanes_of_threads(scan);
  if (chosen.threads_along > 1) scan_threads_of_warps(scan);
  if (chosen.threads_along > 32)
    scan_warps(scan);
  else
    scan_steps(scan);
  out_.close();
}

/// Of each step, what the thread's lanes come to, and what comes before them in the warp.
void scan_writer::scan_lanes_of_threads(std::uint32_t scan) {
  const int lanes = kernel_.chosen.vector;
  unroll("s", kernel_.chosen.steps);
  if (lanes > 1) {
    out_.line("#pragma unroll");
    out_.line(fmt::format("for (int e = 1; e < {1}; ++e) v{0}[s][e] = {2};", scan, lanes,
                          joined(scan, fmt::format("v{}[s][e - 1]", scan), fmt::format("v{}[s][e]", scan))));
  }
  out_.line(fmt::format("total[s] = v{}[s][{}];", scan, lanes - 1));
  out_.line(fmt::format("before[s] = {};", start_text(kernel_, code(scan))));
  out_.close();
}
void scan_writer::scan_threads_of_warps(std::uint32_t scan) {
  const int threads = std::min<int>(kernel_.chosen.threads_along, 32), steps = kernel_.chosen.steps;
  out_.line(fmt::format("const int lane = threadIdx.x % {};", threads));
  // steps side by side, so that their exchanges overlap
  out_.line("#pragma unroll");
  out_.open(fmt::format("for (int distance = 1; distance < {}; distance *= 2) {{", threads));
  unroll("s", steps);
  join_from_below(scan, "total[s]");
  out_.close();
  out_.close();
  unroll("s", steps);
  out_.line(fmt::format("const {} other = from_below(total[s], 1);", type(scan)));
  out_.line("if (lane > 0) before[s] = other;");
  out_.close();
}
void scan_writer::join_from_below(std::uint32_t scan, const std::string& to) {
  out_.line(fmt::format("const {} other = from_below({}, distance);", type(scan), to));
  out_.line(fmt::format("if (lane >= distance) {} = {};", to, joined(scan, "other", to)));
}

/// One warp, or part of one, has the whole row: steps follow each other.
void scan_writer::scan_steps(std::uint32_t scan) {
  const int threads = kernel_.chosen.threads_along;
  const std::string carry = fmt::format("carry{}", scan);
  unroll("s", kernel_.chosen.steps);
  out_.line(fmt::format("const {} here = {};", type(scan), joined(scan, carry, "before[s]")));
  add_to_elements(scan, "here");
  const std::string last =
      fmt::format("from_thread(total[s], (int)(threadIdx.y * {} + {}) % 32)", threads, threads - 1);
  out_.line(
      fmt::format("{} = {};", carry, joined(scan, carry, threads > 1 ? last : std::string("total[s]"))));
  out_.close();
}

/// Totals of the warps, as many steps at once as a warp has threads for; each warp does so for itself.
void scan_writer::scan_warps(std::uint32_t scan) {
  const int steps = kernel_.chosen.steps, warps = kernel_.chosen.threads_along / 32;
  int at_once = 1;
  while (2 * at_once * warps <= 32 && steps % (2 * at_once) == 0) at_once *= 2;
  const int totals = at_once * warps;
  const std::string carry = fmt::format("carry{}", scan);
  // two places by turns: who still reads one of them is waited for at the next turn's barrier
  out_.line(fmt::format("__shared__ {} part{}[2][{}][{}];", type(scan), scan, kernel_.chosen.threads_across,
                        steps * warps));
  out_.line("const int warp = threadIdx.x / 32;");
  out_.open("if (lane == 31) {");
  out_.line("#pragma unroll");
  out_.line(
      fmt::format("for (int s = 0; s < {1}; ++s) part{0}[turn][threadIdx.y][s * {2} + warp] = total[s];",
                  scan, steps, warps));
  out_.close();
  out_.line("__syncthreads();");
  out_.line("#pragma unroll");
  out_.open(fmt::format("for (int first = 0; first < {}; first += {}) {{", steps, at_once));
  const std::string own = fmt::format("part{}[turn][threadIdx.y][first * {} + lane]", scan, warps);
  out_.line(fmt::format(
      "{} upto = {};", type(scan),
      totals == 32 ? own : fmt::format("lane < {} ? {} : {}", totals, own, start_text(kernel_, code(scan)))));
  out_.line("#pragma unroll");
  out_.open(fmt::format("for (int distance = 1; distance < {}; distance *= 2) {{", totals));
  join_from_below(scan, "upto");
  out_.close();
  out_.line("#pragma unroll");
  out_.open(fmt::format("for (int s = first; s < first + {}; ++s) {{", at_once));
  out_.line(fmt::format("const int place = (s - first) * {} + warp;", warps));
  out_.line(fmt::format("const {} below = from_thread(upto, place - 1);", type(scan)));
  out_.line(
      fmt::format("const {} base = place == 0 ? {} : {};", type(scan), carry, joined(scan, carry, "below")));
  out_.line(fmt::format("const {} here = {};", type(scan), joined(scan, "base", "before[s]")));
  add_to_elements(scan, "here");
  out_.close();
  out_.line(
      fmt::format("{} = {};", carry, joined(scan, carry, fmt::format("from_thread(upto, {})", totals - 1))));
  out_.close();
}

void scan_writer::turn_of_columns(std::uint32_t scan) {
  const schedule& chosen = kernel_.chosen;
  const int lanes = chosen.vector, steps = chosen.steps, threads = chosen.threads_across;
  const bool exclusive = code(scan).exclusive;
  out_.open("{");
  out_.line(fmt::format("{} base[{}];", type(scan), lanes));
  if (threads > 1) {
    out_.line(fmt::format("__shared__ alignas(16) {} part{}[2][{}][{}];", type(scan), scan, threads,
                          chosen.threads_along * lanes));
  }
  const std::string total = fmt::format("v{}[{}][e]", scan, steps - 1);
  unroll("e", lanes);
  out_.line("#pragma unroll");
  out_.line(fmt::format("for (int s = 1; s < {1}; ++s) v{0}[s][e] = {2};", scan, steps,
                        joined(scan, fmt::format("v{}[s - 1][e]", scan), fmt::format("v{}[s][e]", scan))));
  if (threads > 1) {
    out_.line(fmt::format("part{}[turn][threadIdx.y][x + e] = {};", scan, total));
    out_.close();
    out_.line("__syncthreads();");
    unroll("e", lanes);
    out_.line(fmt::format("base[e] = carry{}[e];", scan));
    unroll("w", threads);
    out_.line(fmt::format("if (w == threadIdx.y) base[e] = carry{}[e];", scan));
    out_.line(fmt::format(
        "carry{0}[e] = {1};", scan,
        joined(scan, fmt::format("carry{}[e]", scan), fmt::format("part{}[turn][w][x + e]", scan))));
    out_.close();
  } else {
    out_.line(fmt::format("base[e] = carry{}[e];", scan));
    out_.line(fmt::format("carry{0}[e] = {1};", scan, joined(scan, fmt::format("carry{}[e]", scan), total)));
  }
  out_.line("#pragma unroll");
  const std::string from = fmt::format("v{}[{}][e]", scan, exclusive ? "s - 1" : "s");
  out_.line(fmt::format("for (int s = {1}; s >= {2}; --s) v{0}[s][e] = {3};", scan, steps - 1,
                        exclusive ? 1 : 0, joined(scan, "base[e]", from)));
  if (exclusive) out_.line(fmt::format("v{}[0][e] = base[e];", scan));
  out_.close();
  out_.close();
}

// the CPU

void scan_writer::group_of_lanes(std::uint32_t scan, std::string_view lanes) {
  const int all = kernel_.chosen.vector;
  const std::string start = start_text(kernel_, code(scan));
  out_.line(fmt::format("for (int e = {1}; e < {2}; ++e) v{0}[e] = {3};", scan, lanes, all, start));
  if (!has_vector_operator(kernel_, code(scan))) {
    out_.open(fmt::format("for (int e = 0; e < {}; ++e) {{", all));
    out_.line(fmt::format("const {} next = {};", type(scan),
                          joined(scan, fmt::format("carry{}", scan), fmt::format("v{}[e]", scan))));
    out_.line(fmt::format("v{0}[e] = {1};", scan,
                          code(scan).exclusive ? fmt::format("carry{}", scan) : std::string("next")));
    out_.line(fmt::format("carry{} = next;", scan));
    out_.close();
    return;
  }
  const std::string_view element = vector_element(code(scan));
  for (int first = 0; first < all; first += host_line)
    out_.line(fmt::format("scan_by_{4}<{5}>(({0}*)v{1} + {2}, ({0}){3}, ({0}&)carry{1});", element, scan,
                          first, start, facts(facts(code(scan).op).combine).name, code(scan).exclusive));
}

void scan_writer::next_in_column(std::uint32_t scan, const std::string& element) {
  const std::string carry = fmt::format("carry{}[e]", scan);
  if (code(scan).exclusive) out_.line(fmt::format("const {} v{} = {};", type(scan), scan, carry));
  out_.line(fmt::format("{} = {};", carry, joined(scan, carry, element)));
  if (!code(scan).exclusive) out_.line(fmt::format("const {} v{} = {};", type(scan), scan, carry));
}

}  // namespace sinter::codegen
