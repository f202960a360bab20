#include <sinter/codegen/print/emit_reduction.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace sinter::codegen {

reduction_emitter::reduction_emitter(emission& kernel)
    : kernel_(kernel),
      plan_(kernel.body, kernel.chosen.kept, kernel.is_cuda()),
      varying_(kernel.body.body.size(), false) {
  for (unsigned axis = 0; axis < kernel.rank(); ++axis)
    (kernel.body.is_reduced(axis) ? reduced_ : rows_).push_back(axis);
  for (unsigned digit = 0; digit < kernel.reduced.count(); ++digit)
    reduced_digits_.push_back(kernel.reduced.axis(digit));
  for (unsigned digit = 0; digit < kernel.kept.count(); ++digit)
    row_digits_.push_back(kernel.kept.axis(digit));
  for (std::uint32_t i = 0; i < code_count(); ++i) {
    const instruction& made = code(i);
    bool varies = is_reduction(made.op);
    if (made.op == operation::input || made.op == operation::coordinate)
      varies |= access_varies(static_cast<std::uint32_t>(made.payload));
    for (unsigned a = 0; a < made.arity; ++a) varies = varies || varying_[made.arguments[a]];
    varying_[i] = varies;
  }
}

std::string reduction_emitter::run() {
  emit_arguments(kernel_, out_);
  if (!kernel_.is_cuda()) out_.str() += shared_digit_helper(kernel_);
  const std::string arguments = std::move(out_.str());
  out_ = {};
  kernel();
  return preamble() + arguments + device_function_text(kernel_) + out_.str();
}

// names and places

bool reduction_emitter::access_varies(std::uint32_t i) const {
  return body().split >= 0 ||
         std::any_of(rows_.begin(), rows_.end(), [&](unsigned axis) { return at(i).moves_along(axis); });
}

std::string reduction_emitter::pointer(std::uint32_t i) const {
  const std::uint32_t base = at(i).base;
  return fmt::format("q{}{}", base, access_varies(base) ? of_row() : "");
}

std::string reduction_emitter::value(std::uint32_t i) const {
  if (code(i).per_element) return element_value(i);
  return fmt::format("k{}{}{}", i, value_varies(i) ? of_row() : "", columns() ? "[e]" : "");
}

std::vector<std::string> reduction_emitter::positions(std::string_view lane) const {
  std::vector<std::string> names(kernel_.rank());
  if (reduced_.size() == 1)
    names[reduced_[0]] = columns() ? "r" : "x";
  else
    for (const unsigned axis : reduced_digits_) names[axis] = fmt::format("r{}", axis);
  if (columns()) names[0] = "x";
  if (!lane.empty()) {
    std::string& along = names[lane_axis()];
    along = fmt::format("({} + {})", along, lane);
  }
  return names;
}

std::string reduction_emitter::index(std::uint32_t i, std::string_view lane) const {
  return index_expression(kernel_, at(i).group, positions(lane)) + kernel_.window_distance(i);
}

std::string reduction_emitter::row_element(std::uint32_t i) const {
  if (at(i).what == access::kind::position && (!columns() || !at(i).moves_along(0))) return pointer(i);
  std::vector<std::string> names(kernel_.rank());
  if (columns()) names[0] = "(x + e < left0 ? x + e : left0 - 1)";
  const std::string offset = index_expression(kernel_, at(i).group, names) + kernel_.window_distance(i);
  return at(i).what == access::kind::position ? fmt::format("{} + {}", pointer(i), offset)
                                              : fmt::format("{}[{}]", pointer(i), offset);
}

instruction_names reduction_emitter::names_in_row() {
  return {[this](std::uint32_t i) { return value(i); }, [this](std::uint32_t i) { return row_element(i); }};
}

instruction_names reduction_emitter::names_in_loop() {
  return {[this](std::uint32_t i) { return value(i); },
          [this](std::uint32_t i) {
            if (at(i).what == access::kind::position)
              return fmt::format("{} + {}", pointer(i), index(i, "e"));
            return walks_reduced_axes(body(), at(i)) ? element(i) : row_element(i);
          }};
}

std::string reduction_emitter::sum(std::uint32_t i, std::string_view lane) const {
  return fmt::format("sum{}{}[{}]", i, of_row(), lane);
}
std::string reduction_emitter::where(std::uint32_t i, std::string_view lane) const {
  return fmt::format("where{}{}[{}]", i, of_row(), lane);
}
std::string reduction_emitter::result_of(std::uint32_t i, const instruction& made,
                                         std::string_view lane) const {
  return finds_position(made.op) ? where(i, lane) : sum(i, lane);
}

// loops

void reduction_emitter::unroll(std::string_view loop) {
  if (kernel_.is_cuda()) out_.line("#pragma unroll");
  out_.open(loop);
}
void reduction_emitter::open_lanes() { unroll(fmt::format("for (int e = 0; e < {}; ++e) {{", vector())); }

void reduction_emitter::open_rows() {
  if (rows_per_thread() > 1) unroll(fmt::format("for (int u = 0; u < {}; ++u) {{", rows_per_thread()));
}
void reduction_emitter::close_rows() {
  if (rows_per_thread() > 1) out_.close();
}

// one row

std::string reduction_emitter::array_begin(std::uint32_t i) const {
  return at(i).what == access::kind::position ? fmt::format("a.o{}", i) : kernel_.base_pointer(i);
}

std::string reduction_emitter::row_begin(std::uint32_t i, const std::string& offset) const {
  return fmt::format("{} + ({})", array_begin(i), offset);
}

void reduction_emitter::decode_rows(std::string_view number) {
  const auto declared = [&](std::uint32_t i) {
    return at(i).what == access::kind::position
               ? std::string("long long")
               : fmt::format("{}{}*", at(i).what == access::kind::read ? "const " : "", storage(i));
  };
  const bool several = rows_per_thread() > 1;
  for (std::uint32_t i = 0; several && i < count(); ++i) {
    if (at(i).base != i) continue;
    if (access_varies(i))
      out_.line(fmt::format("{} q{}[{}];", declared(i), i, rows_per_thread()));
    else
      out_.line(fmt::format("{} const q{} = {};", declared(i), i, array_begin(i)));
  }
  open_rows();
  std::string row(number);
  if (several) {
    // rows past the last one are the last one again, so that no thread is missing where values are exchanged
    const std::string wanted = fmt::format("{} + u * {}", number, chosen().threads_across);
    out_.line(fmt::format("active[u] = {} < a.rows;", wanted));
    out_.line(fmt::format("const long long row = active[u] ? {} : a.rows - 1;", wanted));
    row = "row";
  }
  if (!rows_.empty()) split_digits(row, row_digits_, "t");
  std::vector<std::string> starts(kernel_.rank());
  for (const unsigned axis : row_digits_) starts[axis] = fmt::format("t{}", axis);
  if (columns()) {
    const int strip = chosen().threads_along * vector();
    out_.line(fmt::format("const long long start0 = t0 * {};", strip));
    out_.line(fmt::format("const int left0 = a.e0 - start0 < {0} ? (int)(a.e0 - start0) : {0};", strip));
    starts[0] = "start0";
  }
  if (body().split >= 0) starts[reduced_.back()] = fmt::format("t{} * a.e{}", body().split, reduced_.back());
  for (std::uint32_t i = 0; i < count(); ++i) {
    if (at(i).base != i || (several && !access_varies(i))) continue;
    const std::string offset = index_expression(kernel_, at(i).group, starts);
    if (several)
      out_.line(fmt::format("q{}[u] = {};", i, row_begin(i, offset)));
    else
      out_.line(fmt::format("{} const q{} = {};", declared(i), i, row_begin(i, offset)));
  }
  close_rows();
  const bool narrow = chosen().kept && kernel_.is_cuda();
  const std::string_view type = narrow ? "int" : "long long";
  const std::string_view narrowed = narrow ? "(int)" : "";
  if (body().split >= 0) {
    std::string inner;
    for (const unsigned axis : std::span(reduced_).first(reduced_.size() - 1))
      inner += fmt::format(" * a.e{}", axis);
    out_.line(
        fmt::format("const {2} n = {3}(a.whole - t{0} * a.e{1} < a.e{1} ? a.whole - t{0} * a.e{1} : "
                    "a.e{1}){4};",
                    body().split, reduced_.back(), type, narrowed, inner));
  } else
    out_.line(fmt::format("const {} n = {}a.elements;", type, narrowed));
}

void reduction_emitter::row() {
  row_values(0);
  for (unsigned phase = 0; phase < body().phases; ++phase) {
    phase_ = phase;
    if (plan_.has_loop(phase)) {
      begin_sums(phase);
      loop(phase);
      join_sums(phase);
    }
    row_values(phase + 1);
  }
  store_row();
}

/// Values that are the same along the row, as soon as what they need is there.
void reduction_emitter::row_values(unsigned phase) {
  for (std::uint32_t i = 0; i < code_count(); ++i) {
    const instruction& made = code(i);
    if (made.per_element || is_reduction(made.op) || made.phase != phase) continue;
    const std::string text = instruction_text(kernel_, i, names_in_row());
    if (columns()) {
      out_.line(fmt::format("{} k{}[{}];", spelling(made.type), i, vector()));
      open_lanes();
      out_.line(fmt::format("k{}[e] = {};", i, text));
      out_.close();
    } else if (rows_per_thread() > 1 && value_varies(i)) {
      out_.line(fmt::format("{} k{}[{}];", spelling(made.type), i, rows_per_thread()));
      open_rows();
      out_.line(fmt::format("k{}[u] = {};", i, text));
      close_rows();
    } else {
      out_.line(fmt::format("const {} k{} = {};", spelling(made.type), i, text));
    }
  }
}

bool reduction_emitter::meets_in_order(const instruction& made) const {
  if (!finds_position(made.op) || !kernel_.is_cuda() || columns() || reduced_.size() != 1) return false;
  const instruction& position = code(made.arguments[1]);
  const auto counts = static_cast<std::uint32_t>(position.payload);
  return position.op == operation::coordinate && !access_varies(counts) &&
         at(counts).pattern(reduced_[0]) == step_pattern::unit;
}

void reduction_emitter::begin_sums(unsigned phase) {
  const std::string rows = rows_per_thread() > 1 ? fmt::format("[{}]", rows_per_thread()) : std::string();
  each_reduction(phase, [&](std::uint32_t i, const instruction& made) {
    out_.line(fmt::format("{} sum{}{}[{}];", spelling(made.compute), i, rows, vector()));
    if (finds_position(made.op)) out_.line(fmt::format("long long where{}{}[{}];", i, rows, vector()));
    open_rows();
    open_lanes();
    out_.line(fmt::format("{} = {};", sum(i, "e"), start_text(kernel_, made)));
    if (meets_in_order(made))
      out_.line(fmt::format("{0} = thread * {1} + e < n ? thread * {1} + e : 0x7fffffffffffffffll;",
                            where(i, "e"), vector()));
    else if (finds_position(made.op))
      out_.line(fmt::format("{} = 0x7fffffffffffffffll;", where(i, "e")));
    out_.close();
    close_rows();
  });
}

void reduction_emitter::join(const instruction& made, const std::string& to, const std::string& to_position,
                             const std::string& from, const std::string& from_position) {
  if (finds_position(made.op))
    out_.line(fmt::format("if ({0}) {{ {1} = {2}; {3} = {4}; }}",
                          prefers_text(kernel_, made, from, from_position, to, to_position), to, from,
                          to_position, from_position));
  else
    out_.line(fmt::format("{} = {};", to, combined_text(kernel_, made, to, from)));
}

void reduction_emitter::join_lanes(std::uint32_t i, const instruction& made) {
  open_rows();
  for (int half = vector() / 2; half > 0; half /= 2) {
    unroll(fmt::format("for (int e = 0; e < {}; ++e) {{", half));
    const std::string other = fmt::format("e + {}", half);
    join(made, sum(i, "e"), where(i, "e"), sum(i, other), where(i, other));
    out_.close();
  }
  close_rows();
}

void reduction_emitter::set_row_value(std::uint32_t i, const instruction& made) {
  if (columns()) {
    out_.line(fmt::format("{} k{}[{}];", spelling(made.type), i, vector()));
    open_lanes();
    out_.line(fmt::format("k{}[e] = {};", i, result_of(i, made, "e")));
    out_.close();
  } else if (rows_per_thread() > 1) {
    out_.line(fmt::format("{} k{}[{}];", spelling(made.type), i, rows_per_thread()));
    open_rows();
    out_.line(fmt::format("k{}[u] = {};", i, result_of(i, made, "0")));
    close_rows();
  } else {
    out_.line(fmt::format("const {} k{} = {};", spelling(made.type), i, result_of(i, made, "0")));
  }
}

void reduction_emitter::reduced_positions(std::string_view linear) {
  if (reduced_.size() > 1) split_digits(linear, reduced_digits_, "r");
}

void reduction_emitter::split_digits(std::string_view number, std::span<const unsigned> digits,
                                     std::string_view name) {
  std::string rest(number);
  for (const unsigned axis : digits.first(digits.size() - 1)) {
    out_.line(fmt::format("const long long w{0} = {1}, {3}{0} = {2} - w{0} * a.d{0}.value;", axis,
                          quotient(rest, axis), rest, name));
    rest = fmt::format("w{}", axis);
  }
  out_.line(fmt::format("const long long {}{} = {};", name, digits.back(), rest));
  declare_shared_offsets(kernel_, body().is_reduced(digits.back()), fmt::format("{}{}", name, digits.back()),
                         out_);
}

/// A value as it is stored. A cast to the very type rounds as the store does: it is left out.
std::string reduction_emitter::stored_value(const store& made, unsigned phase) {
  const element_type type = at(made.target).type;
  const instruction& last = code(made.value);
  const auto evaluated = plan_.evaluated(phase);
  const bool is_made_here = std::find(evaluated.begin(), evaluated.end(), made.value) != evaluated.end();
  const bool rounds = last.op == operation::cast && last.type == type && facts(type).compute != type &&
                      last.compute == facts(type).compute;
  return stored_text(kernel_, type, value(rounds && is_made_here ? last.arguments[0] : made.value));
}

void reduction_emitter::values(unsigned phase) {
  for (const std::uint32_t i : plan_.evaluated(phase)) {
    if (level_ != all_levels && plan_.level(phase, i) != level_) continue;
    if (is_scan(code(i).op)) {
      scan_element(i, value(code(i).arguments[0]));
      continue;
    }
    const std::string text = instruction_text(kernel_, i, names_in_loop());
    out_.line(is_array(i) ? fmt::format("v{}{} = {};", i, of_turn(), text)
                          : fmt::format("const {} v{} = {};", spelling(code(i).type), i, text));
    keep_value(i);
  }
}

void reduction_emitter::sums(unsigned phase, std::string_view guard) {
  bool any = false;
  each_reduction(phase, [&](std::uint32_t, const instruction& made) { any = any || is_due(phase, made); });
  if (!any) return;
  if (!guard.empty()) out_.open(fmt::format("if ({}) {{", guard));
  each_reduction(phase, [&](std::uint32_t i, const instruction& made) {
    if (!is_due(phase, made)) return;
    const std::string from = term(made.arguments[0]);
    if (meets_in_order(made))
      out_.line(fmt::format("if ({}) {{ {} = {}; {} = x + e; }}",
                            prefers_later_text(kernel_, made, from, sum(i, "e")), sum(i, "e"), from,
                            where(i, "e")));
    else
      join(made, accumulator(i, "e"), where(i, "e"), from,
           finds_position(made.op) ? term(made.arguments[1]) : std::string());
  });
  if (!guard.empty()) out_.close();
}

bool reduction_emitter::is_due(unsigned phase, std::span<const std::uint32_t> values) const {
  unsigned available = 0;
  for (const std::uint32_t i : values) available = std::max(available, plan_.available(phase, i));
  return level_ == all_levels || level_ == available;
}

bool reduction_emitter::scans_in(unsigned phase) {
  bool found = false;
  each_scan(phase, [&](std::uint32_t) { found = true; });
  return found;
}

void reduction_emitter::begin_scans(unsigned phase) {
  each_scan(phase, [&](std::uint32_t i) {
    scans_.begin(i, code(i).arity > 1 ? value(code(i).arguments[1]) : std::string());
  });
}

void reduction_emitter::declare_arrays(unsigned phase, std::string_view extents) {
  for (const std::uint32_t i : plan_.evaluated(phase))
    if (is_array(i)) out_.line(fmt::format("{} v{}{};", spelling(code(i).type), i, extents));
}

void reduction_emitter::results(unsigned phase) {
  each_element_store(phase,
                     [&](const store& made) { store_element(made.target, stored_value(made, phase)); });
}

}  // namespace sinter::codegen
