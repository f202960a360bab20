// Pointwise kernels for NVIDIA GPUs that walk consecutive elements of the whole space, for short rows.

#include <fmt/format.h>

#include <sinter/codegen/print/cuda/cuda_helpers.hpp>
#include <sinter/codegen/print/cuda/emit_cuda_pointwise.hpp>

namespace sinter::codegen {
namespace {

class flat_walk final : public cuda_walk {
 public:
  explicit flat_walk(emission& kernel) : cuda_walk(kernel) {}

 private:
  std::string index_functions() const override {
    return std::string(cuda_divide).append(cuda_divide_wide).append(shared_digit_helper(kernel_));
  }

  bool linear(std::uint32_t i) const { return is_linear(at(i), kernel_.body); }

  /// Accesses that are linear are vectors; the others' indices are decoded once a vector and stepped from
  /// lane to lane.
  void walk_elements() override {
    const schedule& s = kernel_.chosen;
    const unsigned digits = kernel_.cut.digits;
    out_.line(fmt::format("const long long start = (long long)blockIdx.x * {};", kernel_.cut.along));
    out_.line(fmt::format("const int left = a.size - start < {0} ? (int)(a.size - start) : {0};",
                          kernel_.cut.along));
    std::string rest = "start";
    for (unsigned digit = 0; digit + 1 < digits; ++digit) {
      out_.line(fmt::format(
          "const long long r{0} = divide_wide({1}, a.d{0}), b{0} = {1} - r{0} * a.d{0}.value;", digit, rest));
      rest = fmt::format("r{}", digit);
    }
    out_.line(fmt::format("const long long b{} = {};", digits - 1, rest));
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
    const unsigned count_of_digits = kernel_.cut.digits;
    for (std::uint32_t i = 0; i < count(); ++i)
      if (is_read(i) && linear(i))
        out_.line(fmt::format("load(in{}[s], {} + start + x, left - x);", i, kernel_.pointer(i)));
    // the first axis is short: its digit takes 32-bit arithmetic, whatever the size of the whole
    if (count_of_digits == 1) {
      out_.line("long long t0 = b0 + x;");
    } else {
      out_.line("const unsigned int c0 = divide((unsigned int)b0 + x, a.row);");
      out_.line("unsigned int t0 = (unsigned int)b0 + x - c0 * (unsigned int)a.row.value;");
    }
    for (unsigned digit = 1; digit + 1 < count_of_digits; ++digit) {
      out_.line(fmt::format("const long long c{0} = divide_wide(b{0} + c{1}, a.d{0});", digit, digit - 1));
      out_.line(fmt::format("long long t{0} = b{0} + c{1} - c{0} * a.d{0}.value;", digit, digit - 1));
    }
    if (count_of_digits > 1)
      out_.line(fmt::format("long long t{0} = b{0} + c{1};", count_of_digits - 1, count_of_digits - 2));
    std::vector<std::string> digits(kernel_.rank());
    for (unsigned axis = 0; axis < count_of_digits; ++axis) digits[axis] = fmt::format("t{}", axis);
    for (const std::string& statement : shared_offset_statements(kernel_, false, last_digit()))
      out_.line("long long " + statement);
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
      switch (at(i).pattern(0)) {
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
      std::string carry = fmt::format("++{};", last_digit());
      for (const std::string& statement : shared_offset_statements(kernel_, false, last_digit()))
        carry += " " + statement;
      for (unsigned axis = kernel_.cut.digits - 1; axis-- > 0;)
        carry = fmt::format("if (++t{0} == a.e{0}) {{ t{0} = 0; {1} }}", axis, carry);
      out_.line(carry);
    }
    out_.close();
  }

  std::string last_digit() const { return fmt::format("t{}", kernel_.cut.digits - 1); }
  /// Lanes that a thread keeps of a read.
  int flat_lanes(std::uint32_t i) const {
    return kernel_.chosen.whole_rows && !linear(i) && !at(i).moves_along(0) ? 1 : vector();
  }
  /// Index of lane e of an access that is not linear.
  std::string lane_index(std::uint32_t i) const {
    if (!kernel_.chosen.whole_rows) return fmt::format("i{}[s][e]", at(i).group);
    switch (at(i).pattern(0)) {
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
};

}  // namespace

std::string emit_cuda_flat(emission& kernel) { return flat_walk(kernel).run(); }

}  // namespace sinter::codegen
