// Kernels that reduce, for the CPU. Lanes have sums of their own, so that Clang vectorises them without
// changing their order.

#include <fmt/format.h>

#include <sinter/codegen/emit_reduction.hpp>
#include <sinter/codegen/host_helpers.hpp>

namespace sinter::codegen {
namespace {

class host_reduction_emitter final : public reduction_emitter {
 public:
  explicit host_reduction_emitter(emission& kernel) : reduction_emitter(kernel) {}

 private:
  std::string preamble() const override { return host_preamble({}) + host_scan_helpers(kernel_); }

  std::string element(std::uint32_t i) const override {
    return fmt::format("{}[{}]", pointer(i), index(i, "e"));
  }
  void store_element(std::uint32_t i, const std::string& value) override {
    out_.line(fmt::format("{}[{}] = {};", pointer(i), index(i, "e"), value));
  }
  std::string_view of_turn() const override { return columns() ? "" : "[e]"; }
  std::string element_value(std::uint32_t i) const override {
    return fmt::format("v{}{}", i, is_array(i) ? of_turn() : "");
  }
  void scan_element(std::uint32_t i, const std::string& from) override {
    if (columns())
      scans_.next_in_column(i, from);
    else
      out_.line(fmt::format("v{}[e] = {};", i, from));
  }
  std::string quotient(std::string_view number, unsigned axis) const override {
    return fmt::format("{} / a.d{}.value", number, axis);
  }

  void kernel() override {
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

  void loop(unsigned phase) override {
    const bool scans = scans_in(phase);
    begin_tree(phase);
    if (scans) out_.open("{");
    begin_scans(phase);
    walk_reduced_axes(phase);
    if (scans) out_.close();
    finish_tree(phase);
  }

  void walk_reduced_axes(unsigned phase) {
    if (columns()) {
      out_.open("for (long long r = 0; r < n; ++r) {");
      reduced_positions("r");
      lanes(phase, "left0", fmt::format("{}", vector()));
      grow_tree(phase);
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
    lanes(phase, "lanes", fmt::format("{}", vector()));
    grow_tree(phase);
    out_.close();
    if (nested) out_.close();
  }

  // A long chain of additions loses digits: every so many steps the sums of floating lanes go up into a
  // binary tree, whose levels are full or empty as the digits of the number of such blocks are 1 or 0.
  // Pairwise summation as NumPy has it adds chains of 16, too.
  static constexpr int steps_of_a_block = 16;

  template <typename Visit>
  void each_tree(unsigned phase, Visit visit) {
    each_reduction(phase, [&](std::uint32_t i, const instruction& made) {
      if (made.op == operation::sum && is_floating(made.compute)) visit(i, made);
    });
  }
  bool has_tree(unsigned phase) {
    bool found = false;
    each_tree(phase, [&](std::uint32_t, const instruction&) { found = true; });
    return found;
  }
  void begin_tree(unsigned phase) {
    if (!has_tree(phase)) return;
    constexpr int levels = 48;
    each_tree(phase, [&](std::uint32_t i, const instruction& made) {
      out_.line(fmt::format("{} upper{}[{}][{}];", spelling(made.compute), i, levels, vector()));
    });
    out_.line(fmt::format("long long blocks{} = 0;", phase));
    out_.line(fmt::format("int steps{} = 0;", phase));
  }
  void add_level(unsigned phase) {
    each_tree(phase, [&](std::uint32_t i, const instruction& made) {
      open_lanes();
      const std::string upper = fmt::format("upper{}[level][e]", i);
      out_.line(fmt::format("{} = {};", sum(i, "e"), combined_text(kernel_, made, upper, sum(i, "e"))));
      out_.close();
    });
  }
  void grow_tree(unsigned phase) {
    if (!has_tree(phase)) return;
    out_.open(fmt::format("if (++steps{} == {}) {{", phase, steps_of_a_block));
    out_.line("int level = 0;");
    out_.open(fmt::format("for (; blocks{} >> level & 1; ++level) {{", phase));
    add_level(phase);
    out_.close();
    each_tree(phase, [&](std::uint32_t i, const instruction& made) {
      open_lanes();
      out_.line(fmt::format("upper{}[level][e] = {};", i, sum(i, "e")));
      out_.line(fmt::format("{} = {};", sum(i, "e"), start_text(made)));
      out_.close();
    });
    out_.line(fmt::format("++blocks{};", phase));
    out_.line(fmt::format("steps{} = 0;", phase));
    out_.close();
  }
  void finish_tree(unsigned phase) {
    if (!has_tree(phase)) return;
    out_.open(fmt::format("for (int level = 0; blocks{} >> level; ++level) {{", phase));
    out_.open(fmt::format("if (blocks{} >> level & 1) {{", phase));
    add_level(phase);
    out_.close();
    out_.close();
  }

  void lane(unsigned phase) {
    values(phase);
    sums(phase, {});
    results(phase);
  }

  /// Whole groups of lanes without a test, others lane by lane.
  void lanes(unsigned phase, std::string_view lanes, std::string_view all) {
    if (columns() || plan_.levels(phase) == 1) return level(phase, lanes, all);
    declare_arrays(phase, fmt::format("[{}]", vector()));
    for (level_ = 0; level_ < plan_.levels(phase); ++level_) {
      level(phase, lanes, all);
      each_scan(phase, [&](std::uint32_t i) {
        if (plan_.level(phase, i) == level_) scans_.group_of_lanes(i, lanes);
      });
    }
    level_ = all_levels;
  }
  void level(unsigned phase, std::string_view lanes, std::string_view all) {
    out_.open(fmt::format("if ({} == {}) {{", lanes, all));
    out_.line("#pragma clang loop vectorize(assume_safety)");
    out_.open(fmt::format("for (int e = 0; e < {}; ++e) {{", all));
    lane(phase);
    out_.close();
    out_.reopen("} else {");
    out_.line("#pragma clang loop vectorize(disable) unroll(disable)");
    out_.open(fmt::format("for (int e = 0; e < {}; ++e) {{", lanes));
    lane(phase);
    out_.close();
    out_.close();
  }

  void join_sums(unsigned phase) override {
    each_reduction(phase, [&](std::uint32_t i, const instruction& made) {
      if (!columns()) join_lanes(i, made);
      set_row_value(i, made);
    });
  }

  void store_row() override {
    for (const store& made : body().stores) {
      if (stores_elements(body(), made)) continue;
      const std::string text = stored_text(kernel_, at(made.target).type, value(made.value));
      if (!columns()) {
        out_.line(fmt::format("*{} = {};", pointer(made.target), text));
        continue;
      }
      std::vector<std::string> names(kernel_.rank());
      names[0] = "(x + e)";
      open_lanes();
      out_.line(fmt::format("if (x + e < left0) {}[{}] = {};", pointer(made.target),
                            index_expression(kernel_, at(made.target).group, names), text));
      out_.close();
    }
  }
};

}  // namespace

std::string emit_host_reduction(emission& kernel) { return host_reduction_emitter(kernel).run(); }

}  // namespace sinter::codegen
