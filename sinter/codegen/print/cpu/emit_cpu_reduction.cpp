// Kernels that reduce, for the CPU. Lanes have sums of their own, so that Clang vectorises them without
// changing their order. Of a row that is short enough (schedule::kept) the values that are dear lie in
// buffers on the stack until the last phase that needs them; what was read is in the cache, and the next row
// is fetched into it while this one is evaluated. Operands that are strided along the lanes are laid side by
// side first.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include <sinter/codegen/print/cpu/cpu_helpers.hpp>
#include <sinter/codegen/print/emit_reduction.hpp>

namespace sinter::codegen {
namespace {

class host_reduction_emitter final : public reduction_emitter {
 public:
  explicit host_reduction_emitter(emission& kernel) : reduction_emitter(kernel) {}

 private:
  std::string preamble() const override { return host_preamble(helpers_) + host_scan_helpers(kernel_); }

  std::string element(std::uint32_t i) const override {
    if (!packed_from_.empty() && packs(i)) return fmt::format("in{}[{} + e]", i, packed_from_);
    return fmt::format("{}[{}]", pointer(i), index(i, "e"));
  }
  void store_element(std::uint32_t i, const std::string& value) override {
    out_.line(stores_alone(phase_) ? fmt::format("to{}[e] = {};", i, value)
                                   : fmt::format("{}[{}] = {};", pointer(i), index(i, "e"), value));
  }
  std::string_view of_turn() const override { return columns() ? "" : "[e]"; }
  std::string element_value(std::uint32_t i) const override {
    const kept_value* kept = plan_.kept_instruction(i);
    return kept != nullptr && kept->first != phase_ ? place_kept(i)
                                                    : fmt::format("v{}{}", i, is_array(i) ? of_turn() : "");
  }
  void keep_value(std::uint32_t i) override {
    if (plan_.kept_instruction(i) != nullptr)
      out_.line(fmt::format("{} = {};", place_kept(i), element_value(i)));
  }
  /// Where a lane's value lies from one phase to the next.
  std::string place_kept(std::uint32_t i) const {
    return fmt::format("kept{}[{} + e]", i,
                       columns()  ? fmt::format("r * {}", vector())
                       : nested() ? fmt::format("outer * {} + x", end_of_lanes())
                                  : std::string("x"));
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
    declare_buffers();
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
    if (helpers_.contains(host_helper::put)) out_.line("if (a.streaming != 0) __builtin_ia32_sfence();");
    out_.close();
  }

  void declare_buffers() {
    for (const kept_value& kept : plan_.kept())
      out_.line(fmt::format("alignas(64) {} kept{}[{}];", spelling(code(kept.index).type), kept.index,
                            host_kept_elements(plan_.bytes_kept())));
    for (std::uint32_t i = 0; i < count(); ++i)
      if (packs(i))
        out_.line(fmt::format("alignas(64) {} in{}[{}];", storage(i), i, columns() ? vector() : host_chunk));
    for (const store& made : body().stores)
      if (stores_elements(body(), made) && stores_alone(phase_of_store(body(), made)))
        out_.line(fmt::format("alignas(64) {0} out{1}[{2}];", storage(made.target), made.target, vector()));
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
      out_.open(fmt::format("if (left0 == {}) {{", vector()));
      pack(phase, fmt::format("{}", vector()));
      packed_lanes(phase, fmt::format("{}", vector()), "0");
      out_.reopen("} else {");
      lanes(phase, "left0", false);
      out_.close();
      grow_tree(phase);
      out_.close();
      return;
    }
    const std::string end = end_of_lanes();
    if (nested()) {
      out_.open(fmt::format("for (long long outer = 0; outer < n / {}; ++outer) {{", end));
      split_digits("outer", std::span(reduced_digits_).subspan(1), "r");
    }
    if (stores_alone(phase)) {
      pieces(phase);
    } else {
      // Whole groups have a loop of their own: sums stay in registers where nothing asks for a lane by
      // number.
      out_.open(fmt::format("for (long long x = 0; x + {0} <= {1}; x += {0}) {{", vector(), end));
      name_position();
      fetch_ahead(phase);
      if (packs_in(phase)) {
        out_.open(fmt::format("if ((x & {}) == 0) {{", host_chunk - 1));
        pack(phase, fmt::format("{0} - x < {1} ? {0} - x : {1}", end, host_chunk));
        out_.close();
      }
      packed_lanes(phase, fmt::format("{}", vector()), fmt::format("(x & {})", host_chunk - 1));
      grow_tree(phase);
      out_.close();
      out_.open(fmt::format("if (const long long x = {1} / {0} * {0}; x < {1}) {{", vector(), end));
      name_position();
      out_.line(fmt::format("const int lanes = (int)({} - x);", end));
      lanes(phase, "lanes", false);
      if (nested()) grow_tree(phase);
      out_.close();
    }
    if (nested()) out_.close();
  }

  /// Whether a read is strided along the lanes. Of those that differ from step to step a chunk is laid side
  /// by side, long before most of it is read as vectors.
  bool packs(std::uint32_t i) const {
    return at(i).what == access::kind::read && walks_reduced_axes(body(), at(i)) &&
           at(i).pattern(lane_axis()) == step_pattern::strided;
  }
  bool packs_in(unsigned phase) const {
    const auto reads = plan_.loaded(phase);
    return std::any_of(reads.begin(), reads.end(), [&](std::uint32_t i) { return packs(i); });
  }
  void pack(unsigned phase, const std::string& elements) {
    for (const std::uint32_t i : plan_.loaded(phase)) {
      if (!packs(i)) continue;
      helpers_.insert(host_helper::pack_row);
      out_.line(fmt::format("{}(in{}, {} + ({}), a.s{}_{}, {});", name_of(host_helper::pack_row), i,
                            pointer(i), index(i, ""), at(i).group, lane_axis(), elements));
    }
  }
  /// A whole group of lanes, of what lies packed from an index on.
  void packed_lanes(unsigned phase, const std::string& all, std::string from) {
    packed_from_ = std::move(from);
    lanes(phase, all, true);
    packed_from_.clear();
  }

  /// Lanes do not reach from one row of the innermost reduced axis into the next.
  bool nested() const { return reduced_.size() > 1; }
  std::string end_of_lanes() const { return nested() ? fmt::format("a.e{}", reduced_[0]) : std::string("n"); }
  void name_position() {
    if (nested()) out_.line(fmt::format("const long long r{} = x;", reduced_[0]));
  }

  /// Whether a phase of the row walk does nothing but store contiguous elements: then they may be stored in
  /// any pieces.
  bool stores_alone(unsigned phase) const {
    bool any = false;
    for (const store& made : body().stores) {
      if (!stores_elements(body(), made) || phase_of_store(body(), made) != phase) continue;
      if (at(made.target).pattern(lane_axis()) != step_pattern::unit) return false;
      any = true;
    }
    const std::span<const std::uint32_t> evaluated = plan_.evaluated(phase);
    return any && !columns() &&
           std::none_of(
               body().body.begin(), body().body.end(),
               [&](const instruction& made) { return is_reduction(made.op) && made.phase == phase; }) &&
           std::none_of(evaluated.begin(), evaluated.end(),
                        [&](std::uint32_t i) { return is_scan(code(i).op) || keeps(i, phase); });
  }
  bool keeps(std::uint32_t i, unsigned phase) const {
    const kept_value* kept = plan_.kept_instruction(i);
    return kept != nullptr && kept->first == phase;
  }

  /// The results of a row in pieces of a group of lanes, as those of pointwise kernels are (emit_cpu.cpp): a
  /// piece that is cut short, by the end of the row or to end with a cache line, is computed whole, and its
  /// own elements pass through a buffer; so do those that bypass the cache.
  void pieces(unsigned phase) {
    const std::string end = end_of_lanes(), all = fmt::format("{}", vector());
    out_.open(fmt::format("for (long long to = 0, count; to < {0}; to += count) {{", end));
    out_.line(fmt::format("const long long x = {1} < {0} || to + {0} <= {1} ? to : {1} - {0};", all, end));
    name_position();
    std::string longest = all;
    each_element_store(phase, [&](const store& made) {
      const std::uint32_t i = made.target;
      out_.line(fmt::format("{0}* const result{1} = {2} + ({3});", storage(i), i, pointer(i), index(i, "")));
      const std::size_t size = size_of(at(i).type), in_a_line = 64 / size;  // lines bypass the cache whole
      if (longest != all || in_a_line > static_cast<std::size_t>(vector())) return;
      longest = fmt::format("{} - (a.streaming != 0 ? (long long)(result{} + (to - x)) / {} & {} : 0)", all,
                            i, size, in_a_line - 1);
    });
    out_.line(fmt::format("count = {};", longest));
    out_.line(fmt::format("if (count > {0} - to) count = {0} - to;", end));
    each_element_store(phase, [&](const store& made) {
      out_.line(fmt::format("{0}* const to{1} = a.streaming == 0 && count == {2} ? result{1} : out{1};",
                            storage(made.target), made.target, all));
    });
    fetch_ahead(phase);
    out_.open(fmt::format("if ({} >= {}) {{", end, all));
    pack(phase, all);
    packed_lanes(phase, all, "0");
    out_.reopen("} else {");
    lanes(phase, "count", false);
    out_.close();
    each_element_store(phase, [&](const store& made) {
      helpers_.insert(host_helper::put);
      helpers_.insert(host_helper::put_whole);
      out_.line(
          fmt::format("if (to{0} == out{0}) {1}<{2}>(result{0} + (to - x), out{0} + (to - x), count, "
                      "a.streaming);",
                      made.target, name_of(host_helper::put_whole), all));
    });
    out_.close();
  }

  /// Processors fetch on by themselves to the end of a row, then find the memory idle while the row is
  /// evaluated: its second loop asks for the next row. What lies there, if anything, is not looked at.
  void fetch_ahead(unsigned phase) {
    if (!chosen().kept || columns() || rows_.empty() || phase != second_loop()) return;
    for (std::uint32_t i = 0; i < count(); ++i) {
      if (at(i).what != access::kind::read || at(i).base != i || !walks_reduced_axes(body(), at(i)) ||
          at(i).pattern(lane_axis()) != step_pattern::unit ||
          at(i).pattern(rows_[0]) != step_pattern::strided)
        continue;
      out_.line(
          fmt::format("for (int line = 0; line < {}; line += 64) __builtin_prefetch((const char*)({} + {} "
                      "+ a.s{}_{}) + line);",
                      static_cast<std::size_t>(vector()) * size_of(at(i).type), pointer(i), index(i, ""),
                      at(i).group, rows_[0]));
    }
  }
  unsigned second_loop() const {
    unsigned found = 0, loops = 0;
    for (unsigned phase = 0; phase < body().phases && loops < 2; ++phase)
      if (plan_.has_loop(phase)) {
        found = phase;
        ++loops;
      }
    return found;
  }

  // A long chain of additions loses digits: every so many steps the sums of floating lanes go up into a
  // binary tree, whose levels are full or empty as the digits of the number of such blocks are 1 or 0.
  // Pairwise summation as NumPy has it adds chains of 16, too.
  static constexpr int steps_of_a_block = 16;

  template <typename Visit>
  void each_tree(unsigned phase, Visit visit) {
    each_reduction(phase, [&](std::uint32_t i, const instruction& made) {
      if (made.op == operation::sum && is_inexact(made.compute)) visit(i, made);
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
      out_.line(fmt::format("{} = {};", sum(i, "e"), start_text(kernel_, made)));
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

  /// Whole groups of lanes as vectors, others lane by lane.
  void lanes(unsigned phase, std::string_view lanes, bool whole) {
    if (columns() || plan_.levels(phase) == 1) return level(phase, lanes, whole);
    declare_arrays(phase, fmt::format("[{}]", vector()));
    for (level_ = 0; level_ < plan_.levels(phase); ++level_) {
      level(phase, lanes, whole);
      each_scan(phase, [&](std::uint32_t i) {
        if (plan_.level(phase, i) == level_) scans_.group_of_lanes(i, lanes);
      });
    }
    level_ = all_levels;
  }
  void level(unsigned phase, std::string_view lanes, bool whole) {
    out_.line(whole ? "#pragma clang loop vectorize(assume_safety)"
                    : "#pragma clang loop vectorize(disable) unroll(disable)");
    out_.open(fmt::format("for (int e = 0; e < {}; ++e) {{", lanes));
    lane(phase);
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

  host_helper_set helpers_;
  std::string packed_from_;  ///< where the group of lanes being emitted begins in what was packed
};

}  // namespace

std::string emit_host_reduction(emission& kernel) { return host_reduction_emitter(kernel).run(); }

}  // namespace sinter::codegen
