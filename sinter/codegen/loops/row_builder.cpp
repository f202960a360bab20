#include <sinter/codegen/loops/lane_functions.hpp>
#include <sinter/codegen/loops/row_builder.hpp>

#include <algorithm>

namespace sinter::inline v0::codegen {

row_variables name_row_variables(loop_tree& tree, int rows_per_thread) {
  const auto name = [&](std::string_view text) { return tree.expressions.name(text); };
  return {.length = name("n"),
          .position = name("x"),
          .lanes_left = name("left0"),
          .chunk = name("start"),
          .thread = name("thread"),
          .step = name("s"),
          .lane = name("e"),
          .number = name(rows_per_thread > 1 ? "row" : "number")};
}

row_statements::row_statements(const kernel_description& described, loop_tree& tree)
    : kernel_builder(described, tree), varying_(described.body.body.size(), false) {
  for (std::vector<unsigned>* axes : {&reduced_axes_, &kept_axes_, &reduced_digits_, &kept_digits_})
    axes->reserve(rank());
  for (unsigned axis = 0; axis < rank(); ++axis)
    (body().is_reduced(axis) ? reduced_axes_ : kept_axes_).push_back(axis);
  for (unsigned digit = 0; digit < reduced_.count(); ++digit) reduced_digits_.push_back(reduced_.axis(digit));
  for (unsigned digit = 0; digit < kept_.count(); ++digit) kept_digits_.push_back(kept_.axis(digit));
  for (std::uint32_t i = 0; i < code_count(); ++i) {
    const instruction& made = code(i);
    bool varies = is_reduction(made.op);
    if (made.op == operation::input || made.op == operation::coordinate)
      varies |= access_varies(static_cast<std::uint32_t>(made.payload));
    for (unsigned a = 0; a < made.arity; ++a) varies = varies || varying_[made.arguments[a]];
    varying_[i] = varies;
  }
}

bool row_statements::access_varies(std::uint32_t i) const {
  return body().split >= 0 ||
         std::ranges::any_of(kept_axes_, [&](unsigned axis) { return at(i).moves_along(axis); });
}

expression row_statements::result_of(std::uint32_t reduction, expression lane) {
  return finds_position(code(reduction).op) ? where(reduction, lane) : sum(reduction, lane);
}

void row_statements::open_rows() {
  if (rows_per_thread() > 1) out_.open_count(lanes_kind(), "u", rows_per_thread());
}
void row_statements::close_rows() {
  if (rows_per_thread() > 1) out_.close();
}

statement& row_statements::combine(std::uint32_t reduction, expression to, expression position,
                                   expression from, expression from_position) {
  statement made{.kind = statement_kind::combine};
  made.instruction = reduction;
  made.target = to;
  made.value = from;
  if (finds_position(code(reduction).op)) {
    made.target_position = position;
    made.value_position = from_position;
  }
  return out_.add(made);
}

void row_statements::combine_lanes(std::uint32_t i) {
  if (has_lane_functions(described_) && !finds_position(code(i).op)) {
    out_.perform(out_.call("combine_" + lane_function_kind(code(i)), {name("sum", i)}));
    return;
  }
  open_rows();
  const expression e = lane();
  for (int half = vector() / 2; half > 0; half /= 2) {
    out_.open_count(lanes_kind(), lane(), half);
    combine(i, sum(i, e), where(i, e), sum(i, e + half), where(i, e + half));
    out_.close();
  }
  close_rows();
}

expression row_statements::pointer_of_row(std::uint32_t i) {
  const std::uint32_t base = at(i).base;
  return access_varies(base) ? of_row(name("q", base)) : name("q", base);
}

bool row_statements::meets_in_order(const instruction& made) const {
  if (!finds_position(made.op) || !is_on_gpu() || columns() || reduced_axes_.size() != 1) return false;
  const instruction& position = code(made.arguments[1]);
  const auto counts = static_cast<std::uint32_t>(position.payload);
  return position.op == operation::coordinate && at(counts).pattern(reduced_axes_[0]) == step_pattern::unit;
}

/// What a row's sums are, and of argmax and argmin the position: where lanes meet elements in order, they
/// count from the row's first, but for rows without elements.
expression row_statements::row_result(std::uint32_t i, expression lane) {
  const expression result = result_of(i, lane);
  if (!meets_in_order(code(i))) return result;
  const auto counts = static_cast<std::uint32_t>(code(code(i).arguments[1]).payload);
  if (!access_varies(counts)) return result;
  return choose(result < last_position(), pointer_of_row(counts) + result, result);
}

void row_statements::set_row_value(std::uint32_t i) {
  const value_type type = value_of(code(i).type);
  const expression made = name(row_value_name(i)), e = lane();
  if (columns()) {
    out_.variable(type, made[vector()]);
    open_lanes();
    out_.assign(made[e], row_result(i, e));
    out_.close();
  } else if (rows_per_thread() > 1) {
    out_.variable(type, made[rows_per_thread()]);
    open_rows();
    out_.assign(of_row(made), row_result(i, integer(0)));
    close_rows();
  } else {
    out_.let(type, made, row_result(i, integer(0)));
  }
}

digit_names row_statements::digit_names_of(std::string_view position, value_type type) const {
  return {.rest = "w", .position = position, .type = type};
}

row_builder::row_builder(const kernel_description& described, loop_tree& tree)
    : row_statements(described, tree), plan_(described.body, described.chosen.resident, is_on_gpu()) {
  tree.row = name_row_variables(tree, rows_per_thread());
}

// Names and places.

expression row_builder::value(std::uint32_t i) {
  if (code(i).per_element) return element_value(i);
  expression of = name(row_value_name(i));
  if (value_varies(i)) of = of_row(of);
  return columns() ? of[lane()] : of;
}

expression row_builder::element_value(std::uint32_t i) {
  const resident_value* resident = plan_.resident_instruction(i);
  if (resident != nullptr && resident->first != phase_) return held(i);
  return is_array(i) ? *of_chunk(name("v", i)) : name("v", i);
}

void row_builder::keep_value(std::uint32_t i) {
  if (plan_.resident_instruction(i) != nullptr) out_.assign(held(i), element_value(i));
}

std::vector<expression> row_statements::positions(expression lane) {
  std::vector<expression> named(rank());
  if (reduced_axes_.size() == 1)
    named[reduced_axes_[0]] = columns() ? name("r") : position();
  else
    for (const unsigned axis : reduced_digits_) named[axis] = name("r", axis);
  if (columns()) named[0] = position();
  if (lane.is_set()) named[lane_axis()] = named[lane_axis()] + lane_offset(lane);
  return named;
}

expression row_statements::index_in_row(std::uint32_t i, expression lane) {
  return in_window(i, index(at(i).group, positions(lane)));
}

expression row_builder::row_element(std::uint32_t i) {
  if (at(i).what == access::kind::position && (!columns() || !at(i).moves_along(0))) return pointer_of_row(i);
  std::vector<expression> named(rank());
  if (columns()) {
    const expression x = position() + lane_offset(lane()), left = lanes_left();
    named[0] = choose(x < left, x, left - 1);
  }
  const expression offset = in_window(i, index(at(i).group, named));
  return is_memory(i) ? pointer_of_row(i)[offset] : moved(pointer_of_row(i), offset);
}

expression row_builder::evaluate_in_row(std::uint32_t i) {
  const instruction& made = code(i);
  if (made.op == operation::input || made.op == operation::coordinate)
    return evaluate(i, std::array{row_element(static_cast<std::uint32_t>(made.payload))});
  std::array<expression, 3> operands;
  for (unsigned a = 0; a < made.arity; ++a) operands[a] = value(made.arguments[a]);
  return evaluate(i, std::span(operands).first(made.arity));
}

expression row_builder::evaluate_in_loop(std::uint32_t i) {
  const instruction& made = code(i);
  const auto from = static_cast<std::uint32_t>(made.payload);
  if (made.op == operation::coordinate)
    return evaluate(i, std::array{moved(pointer_of_row(from), index_in_row(from, lane()))});
  if (made.op == operation::input && moves_along_reduced_axes(body(), at(from)))
    return evaluate(i, std::array{element(from)});
  return evaluate_in_row(i);
}

// One row.

expression row_builder::array_begin(std::uint32_t i) {
  return is_memory(i) ? base_pointer(i) : offset_argument(i);
}

value_type row_builder::type_of_begin(std::uint32_t i) const {
  return is_memory(i) ? pointer_to(storage_of(at(i).type), is_read(i)) : index_type;
}

void row_builder::declare_begins() {
  for (std::uint32_t i = 0; i < count(); ++i) {
    if (at(i).base != i) continue;
    if (access_varies(i))
      out_.variable(type_of_begin(i), name("q", i)[rows_per_thread()]);
    else
      out_.let(type_of_begin(i), name("q", i), array_begin(i));
  }
}

void row_builder::decode_rows(expression number) {
  const bool several = rows_per_thread() > 1;
  if (several) {
    declare_begins();
    open_rows();
    // rows past the last one are the last one again, so that no thread is missing where values are exchanged
    const expression wanted = number + name("u") * chosen().threads_across,
                     active = name("active")[name("u")];
    out_.assign(active, wanted < name("a.rows"));
    number = tree_.row.number;
    out_.let(kept_type(), number, choose(active, wanted, name("a.rows") - 1));
  }
  if (!kept_axes_.empty()) {
    split_digits(number, kept_digits_, digit_names_of("t", kept_type()));
    declare_shared_offsets(false, name("t", kept_digits_.back()));
  }
  std::vector<expression> starts(rank());
  for (const unsigned axis : kept_digits_) starts[axis] = name("t", axis);
  if (columns()) {
    const int strip = chosen().threads_along * vector();
    const expression start = name("start0"), left = extent(0) - start;
    out_.let(kept_type(), start, name("t0") * strip);
    out_.let(narrow_index_type, lanes_left(), choose(left < strip, convert(narrow_index_type, left), strip));
    starts[0] = start;
  }
  if (body().split >= 0)
    starts[reduced_axes_.back()] = name("t", body().split) * extent(reduced_axes_.back());
  for (std::uint32_t i = 0; i < count(); ++i) {
    if (at(i).base != i || (several && !access_varies(i))) continue;
    const expression begin = array_begin(i) + index(at(i).group, starts);
    statement& declared = several ? out_.assign(name("q", i)[name("u")], begin)
                                  : out_.let(type_of_begin(i), name("q", i), begin);
    declared.access = i;
  }
  close_rows();
  declare_length();
}

void row_builder::declare_length() {
  const bool narrow = described_.narrow_reduced || (chosen().resident && is_on_gpu());
  const value_type type = narrow ? narrow_index_type : index_type;
  expression elements = name("a.elements");
  if (body().split >= 0) {
    const expression piece = extent(reduced_axes_.back());
    const expression left = name("a.whole") - name("t", body().split) * piece;
    elements = choose(left < piece, left, piece);
  }
  if (narrow) elements = convert(type, elements);
  if (body().split >= 0)
    for (const unsigned axis : std::span(reduced_axes_).first(reduced_axes_.size() - 1))
      elements = elements * extent(axis);
  out_.let(type, length(), elements);
}

void row_builder::row() {
  row_values(0);
  for (unsigned phase = 0; phase < body().phases; ++phase) {
    phase_ = phase;
    if (plan_.has_loop(phase)) {
      begin_sums(phase);
      loop(phase);
      statement finished{.kind = statement_kind::finish};
      finished.instruction = phase;
      out_.add(finished);
    }
    row_values(phase + 1);
  }
  store_row();
}

/// Values that are the same along the row, as soon as what they need is there.
void row_builder::row_values(unsigned phase) {
  for (std::uint32_t i = 0; i < code_count(); ++i) {
    const instruction& made = code(i);
    if (made.per_element || is_reduction(made.op) || made.phase != phase) continue;
    const value_type type = value_of(made.type);
    const expression named = name(row_value_name(i));
    if (columns()) {
      out_.variable(type, named[vector()]);
      open_lanes();
      out_.assign(named[lane()], evaluate_in_row(i));
      out_.close();
    } else if (rows_per_thread() > 1 && value_varies(i)) {
      out_.variable(type, named[rows_per_thread()]);
      open_rows();
      out_.assign(of_row(named), evaluate_in_row(i));
      close_rows();
    } else {
      out_.let(type, named, evaluate_in_row(i));
    }
  }
}

void row_builder::begin_sums(unsigned phase) {
  const expression e = lane();
  each_reduction(phase, [&](std::uint32_t i, const instruction& made) {
    out_.variable(value_of(made.compute), with_rows(name("sum", i))[vector()]);
    if (finds_position(made.op)) out_.variable(index_type, with_rows(name("where", i))[vector()]);
    open_rows();
    open_lanes();
    out_.assign(sum(i, e), start_of(i));
    if (meets_in_order(made)) {
      const expression first = tree_.row.thread * vector() + e;
      out_.assign(where(i, e), choose(first < length(), first, last_position()));
    } else if (finds_position(made.op)) {
      out_.assign(where(i, e), last_position());
    }
    out_.close();
    close_rows();
  });
}

void row_builder::reduced_positions(expression number) {
  if (reduced_axes_.size() <= 1) return;
  split_digits(number, reduced_digits_, digit_names_of("r", reduced_type()));
  declare_shared_offsets(true, name("r", reduced_digits_.back()));
}

// One lane.

/// A value as it is stored. A cast to the very type rounds as the store does: it is left out.
expression row_builder::stored_value(const store& made, unsigned phase) {
  const element_type type = at(made.target).type;
  const instruction& last = code(made.value);
  const auto evaluated = plan_.evaluated(phase);
  const bool is_made_here = std::ranges::find(evaluated, made.value) != evaluated.end();
  const bool rounds = last.op == operation::cast && last.type == type && facts(type).compute != type &&
                      last.compute == facts(type).compute;
  return stored(type, value(rounds && is_made_here ? last.arguments[0] : made.value));
}

bool row_builder::is_array(std::uint32_t i) {
  return of_chunk(name("v")).has_value() && (plan_.crosses(phase_, i) || is_scan(code(i).op));
}

void row_builder::values(unsigned phase) {
  for (const std::uint32_t i : plan_.evaluated(phase)) {
    if (level_ != all_levels && plan_.level(phase, i) != level_) continue;
    if (is_scan(code(i).op)) {
      scan_element(i, value(code(i).arguments[0]));
      continue;
    }
    const expression made = evaluate_in_loop(i), named = name("v", i);
    if (is_array(i))
      out_.assign(*of_chunk(named), made);
    else
      out_.let(value_of(code(i).type), named, made);
    keep_value(i);
  }
}

void row_builder::sums(unsigned phase, expression guard) {
  bool any = false;
  each_reduction(phase, [&](std::uint32_t, const instruction& made) { any = any || is_due(phase, made); });
  if (!any) return;
  if (guard.is_set()) out_.open_guard(guard);
  each_reduction(phase, [&](std::uint32_t i, const instruction& made) {
    if (!is_due(phase, made)) return;
    const expression e = lane();
    const bool in_order = meets_in_order(made);
    const expression position = finds_position(made.op) ? value(made.arguments[1]) : expression();
    statement& combined =
        combine(i, in_order ? sum(i, e) : accumulator(i, e), where(i, e), value(made.arguments[0]), position);
    combined.in_order = in_order;
    if (in_order) combined.step = tree_.row.position + e;
  });
  if (guard.is_set()) out_.close();
}

void row_builder::results(unsigned phase) {
  each_element_store(phase,
                     [&](const store& made) { store_element(made.target, stored_value(made, phase)); });
}

bool row_builder::is_due(unsigned phase, std::span<const std::uint32_t> values) const {
  unsigned available = 0;
  for (const std::uint32_t i : values) available = std::max(available, plan_.available(phase, i));
  return level_ == all_levels || level_ == available;
}

bool row_builder::scans_in(unsigned phase) {
  bool found = false;
  each_scan(phase, [&](std::uint32_t) { found = true; });
  return found;
}

void row_builder::begin_scans(unsigned phase) {
  each_scan(phase, [&](std::uint32_t i) {
    const expression first = code(i).arity > 1 ? value(code(i).arguments[1]) : start_of(i),
                     carry = name("carry", i);
    if (!columns()) {
      out_.variable(value_of(code(i).type), carry, first);
      return;
    }
    out_.variable(value_of(code(i).type), carry[vector()]);
    open_lanes();
    out_.assign(carry[lane()], first);
    out_.close();
  });
}

}  // namespace sinter::inline v0::codegen
