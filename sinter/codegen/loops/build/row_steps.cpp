#include <sinter/codegen/loops/build/row_steps.hpp>

#include <algorithm>

namespace sinter::inline v0::codegen {

row_steps::row_steps(const kernel_description& described, loop_tree& tree)
    : row_statements(described, tree), plan_(described.body, described.chosen.resident, is_on_gpu()) {
  tree.row = name_row_variables(tree, rows_per_thread());
}

expression row_steps::element_guard() {
  const expression guard = lane_guard();
  return guard.is_set() || !is_on_gpu() || vector() == 1 ? guard : is_in_columns(lane());
}

// Names and places.

expression row_steps::value(std::uint32_t i) {
  if (code(i).per_element) return element_value(i);
  const instruction& made = code(i);
  const bool is_result = made.op == operation::component && is_reduction(code(made.arguments[0]).op);
  expression of = is_result ? name(row_value_name(made.arguments[0], made.payload)) : name(row_value_name(i));
  if (value_varies(i)) of = of_row(of);
  return has_lanes(i) ? of[lane()] : of;
}

expression row_steps::element_value(std::uint32_t i) {
  const resident_value* resident = plan_.resident_instruction(i);
  if (resident != nullptr && resident->first != phase_) return held(i);
  return is_array(i) ? *of_chunk(name("v", i)) : name("v", i);
}

void row_steps::keep_value(std::uint32_t i) {
  if (plan_.resident_instruction(i) != nullptr) out_.assign(held(i), element_value(i));
}

expression row_steps::row_element(std::uint32_t i) {
  if (at(i).what == access_pattern::kind::position && (!columns() || !at(i).moves_along(0)))
    return pointer_of_row(i);
  std::vector<expression> named(rank());
  if (columns()) {
    const expression place = position() + lane_offset(lane()), left = lanes_left();
    named[0] = choose(place < left, place, left - 1);
  }
  const expression offset = in_window(i, index(at(i).group, named));
  if (!is_memory(i)) return moved(pointer_of_row(i), offset);
  const auto number = [&](std::uint32_t position) {  // of an index where it lies
    return is_memory(position)
               ? moved(pointer_of_row(position), in_window(position, index(at(position).group, named)))
               : row_element(position);
  };
  return element_at(i, pointer_of_row(i), with_terms(i, offset, number));
}

expression row_steps::evaluate_in_row(std::uint32_t i) {
  const instruction& made = code(i);
  if (gathers(i))
    return evaluate(i, std::array{gathered(i, value(made.arguments[0]),
                                           made.per_element ? element_guard() : expression())});
  if (made.op == operation::input || made.op == operation::coordinate)
    return evaluate(i, std::array{row_element(static_cast<std::uint32_t>(made.payload))});
  std::array<expression, 3> operands;
  for (unsigned a = 0; a < made.arity; ++a) operands[a] = value(made.arguments[a]);
  return evaluate(i, std::span(operands).first(made.arity));
}

expression row_steps::evaluate_in_loop(std::uint32_t i) {
  const instruction& made = code(i);
  const auto from = static_cast<std::uint32_t>(made.payload);
  if (made.op == operation::coordinate)
    return evaluate(i, std::array{moved(pointer_of_row(from), index_in_row(from, lane()))});
  if (made.op == operation::input && !gathers(i) && moves_along_reduced_axes(body(), at(from)))
    return evaluate(i, std::array{element(from)});
  return evaluate_in_row(i);
}

// One row.

expression row_steps::array_begin(std::uint32_t i) {
  return is_memory(i) ? base_pointer(i) : offset_argument(i);
}

value_type row_steps::type_of_begin(std::uint32_t i) const {
  return is_memory(i) ? pointer_to(storage_of(at(i).type), is_read(i)) : index_type;
}

void row_steps::declare_begins() {
  for (std::uint32_t i = 0; i < count(); ++i) {
    if (at(i).base != i || is_gathered(i)) continue;
    if (access_varies(i))
      out_.variable(type_of_begin(i), name("q", i)[rows_per_thread()]);
    else if (!columns())
      out_.let(type_of_begin(i), name("q", i), array_begin(i));
  }
}

/// The first column of a strip, and how many columns it has. On the CPU the last strip of register tiles
/// begins earlier instead of having fewer columns: it stores those that the strip before does not have.
void row_steps::begin_strip(std::vector<expression>& starts) {
  const int strip = chosen().threads_along * vector();
  const expression start = name("start0"), left = extent(0) - start;
  if (has_register_tiles() && !is_on_gpu()) {
    const expression first = name("first0");
    out_.let(kept_type(), first, name("t0") * strip);
    out_.let(kept_type(), start, choose(first + strip <= extent(0), first, extent(0) - strip));
    out_.let(narrow_index_type, lanes_left(), integer(strip));
  } else {
    out_.let(kept_type(), start, name("t0") * strip);
    out_.let(narrow_index_type, lanes_left(), choose(left < strip, convert(narrow_index_type, left), strip));
  }
  starts[0] = start;
}

/// Opens the rows of a register tile. Rows past the end are the last row again, and store nothing.
void row_steps::begin_register_tile(std::vector<expression>& starts) {
  const unsigned axis = axis_of_rows(body());
  out_.variable(truth_type, name("active")[rows_per_thread()]);
  declare_begins();
  for (std::uint32_t i = 0; i < count(); ++i)
    if (at(i).base == i && !is_gathered(i) && !access_varies(i))
      out_.let(type_of_begin(i), name("q", i), array_begin(i) + index(at(i).group, starts)).access = i;
  open_rows();
  const expression wanted = name("t", axis) * rows_per_thread() + name("u"),
                   active = name("active")[name("u")];
  out_.assign(active, wanted < extent(axis));
  out_.let(kept_type(), tree_.row.number, choose(active, wanted, extent(axis) - 1));
  starts[axis] = tree_.row.number;
}

void row_steps::decode_rows(expression number) {
  const bool several = rows_per_thread() > 1;
  if (several && !columns()) {
    declare_begins();
    open_rows();
    // rows past the end are the last row again, so that every thread takes part in shuffles
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
  if (columns()) begin_strip(starts);
  if (body().split >= 0)
    starts[reduced_axes_.back()] = name("t", body().split) * extent(reduced_axes_.back());
  if (has_register_tiles()) begin_register_tile(starts);
  for (std::uint32_t i = 0; i < count(); ++i) {
    if (at(i).base != i || is_gathered(i) || (several && !access_varies(i))) continue;
    const expression begin = array_begin(i) + index(at(i).group, starts);
    statement& declared = several ? out_.assign(name("q", i)[name("u")], begin)
                                  : out_.let(type_of_begin(i), name("q", i), begin);
    declared.access = i;
  }
  close_rows();
  declare_length();
}

void row_steps::declare_length() {
  const bool narrow = described_.narrow_reduced || (chosen().resident && is_on_gpu());
  const value_type type = narrow ? narrow_index_type : index_type;
  const bool is_known = !is_on_gpu() && chosen().staged && chosen().steps > 1;
  expression elements = is_known ? integer(chosen().steps) : name("a.elements");
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

void row_steps::open_chunks(unsigned phase) {
  phase_ = phase;
  begin_sums(phase);
  open_loop(phase);
}

void row_steps::close_chunks(unsigned phase) {
  level_ = all_levels;
  close_loop(phase);
  steps_to_positions(phase);
  statement finished{.kind = statement_kind::finish, .scope = scope_of_row(described_)};
  finished.instruction = phase;
  out_.add(finished);
}

/// From the step that has a lane's best element to the element's number in the row. Lanes that have none get
/// the last position.
void row_steps::steps_to_positions(unsigned phase) {
  each_reduction(phase, [&](std::uint32_t i, const instruction& made) {
    if (!visits_in_order(made)) return;
    const expression number = name("best_position");
    out_.variable(index_type, with_rows(partial_name("sum", i, 1))[vector()]);
    open_rows();
    open_lanes();
    out_.let(index_type, number, number_of_step(best_step(i, lane()), lane()));
    out_.assign(where(i, lane()), choose(number < length(), number, last_position()));
    out_.close();
    close_rows();
  });
}

void row_steps::open_elements(unsigned phase, unsigned level) {
  level_ = levels(phase) == 1 ? all_levels : level;
  open_step();
}

void row_steps::evaluate_once(unsigned phase) {
  for (std::uint32_t i = 0; i < code_count(); ++i) {
    const instruction& made = code(i);
    if (made.per_element || is_reduction(made.op) || made.phase != phase) continue;
    if (made.owner != instruction::no_owner || made.op == operation::component) continue;
    if (has_body(made.op)) {
      evaluate_bodies_once(i);
      continue;
    }
    if (made.op == operation::report) {
      report_once(i);
      continue;
    }
    const value_type type = value_of(made.type);
    const expression named = name(row_value_name(i));
    if (!has_lanes(i) && !has_rows(i)) {
      out_.let(type, named, evaluate_in_row(i));
      continue;
    }
    const expression array = has_rows(i) ? named[rows_per_thread()] : named;
    out_.variable(type, has_lanes(i) ? array[vector()] : array);
    if (has_rows(i)) open_rows();
    if (has_lanes(i)) open_lanes();
    out_.assign(value(i), evaluate_in_row(i));
    if (has_lanes(i)) out_.close();
    if (has_rows(i)) close_rows();
  }
}

/// Of each row or lane.
void row_steps::report_once(std::uint32_t i) {
  const bool has_rows = !columns() && rows_per_thread() > 1 && value_varies(i);
  if (columns())
    open_lanes();
  else if (has_rows)
    open_rows();
  write_report(i, columns_with_elements());
  if (columns() || has_rows) out_.close();
}

void row_steps::write_report(std::uint32_t i, const lanes_with_elements& lanes) {
  std::array<expression, 3> arguments;
  for (unsigned a = 0; a < 3; ++a) arguments[a] = value(code(i).arguments[a]);
  report(i, arguments, lanes);
}

/// Columns past the last one read its elements, but reduce nothing: what they come to is no column's.
lanes_with_elements row_steps::columns_with_elements() {
  if (!columns()) return {};
  return {{}, position() + lane_offset(lane()), lanes_left()};
}

/// Bodies and their components, of each row or lane.
void row_steps::evaluate_bodies_once(std::uint32_t owner) {
  std::vector<std::uint32_t> components;
  for (std::uint32_t i = owner; i < code_count(); ++i)
    if (code(i).op == operation::component && code(i).arguments[0] == owner) components.push_back(i);
  const bool has_rows = !columns() && rows_per_thread() > 1 && value_varies(owner);
  for (const std::uint32_t i : components) {
    const expression named = name(row_value_name(i));
    const expression place = columns() ? named[vector()] : has_rows ? named[rows_per_thread()] : named;
    out_.variable(value_of(code(i).type), place);
  }
  if (columns())
    open_lanes();
  else if (has_rows)
    open_rows();
  else
    out_.open_scope();
  body_statements bodies = bodies_of([&](std::uint32_t i) { return value(i); }, columns_with_elements());
  bodies.write(owner);
  for (const std::uint32_t i : components)
    out_.assign(value(i), evaluate(i, std::array{bodies.component(i)}));
  out_.close();
}

void row_steps::begin_sums(unsigned phase) {
  each_reduction(phase, [&](std::uint32_t i, const instruction& made) {
    const std::vector<value_type> types = types_of_partials(i);
    // positions that are visited in order are counted in steps, and become positions after the loop
    const std::size_t count = visits_in_order(made) ? 1 : types.size();
    for (std::size_t k = 0; k < count; ++k)
      out_.variable(types[k], with_rows(partial_name("sum", i, k))[vector()]);
    if (visits_in_order(made))
      out_.variable(narrow_index_type, with_rows(name("best_step", i))[vector()]).zeroed = true;
    open_rows();
    open_lanes();
    const partial_values to = sums(i, lane()), from = starts_of(i);
    for (std::size_t k = 0; k < count; ++k) out_.assign(to[k], from[k]);
    out_.close();
    close_rows();
  });
}

// One lane.

/// A value as it is stored. A cast to the very type rounds as the store does: it is left out.
expression row_steps::stored_value(const store& made, unsigned phase) {
  const element_type type = at(made.target).type;
  const instruction& last = code(made.value);
  const auto evaluated = plan_.evaluated(phase);
  const bool is_made_here = std::ranges::find(evaluated, made.value) != evaluated.end();
  const bool rounds = last.op == operation::cast && last.type == type && facts_of(type).compute != type &&
                      last.compute == facts_of(type).compute;
  return stored(type, value(rounds && is_made_here ? last.arguments[0] : made.value));
}

bool row_steps::is_array(std::uint32_t i) {
  return of_chunk(name("v")).has_value() && (plan_.crosses(phase_, i) || needs_chunk(code(i).op));
}

void row_steps::evaluate_lane(unsigned phase) {
  body_statements bodies = bodies_of([&](std::uint32_t i) { return value(i); }, {element_guard(), {}, {}});
  for (const std::uint32_t i : plan_.evaluated(phase)) {
    if (code(i).owner != instruction::no_owner) continue;
    if (level_ != all_levels && plan_.level(phase, i) != level_) continue;
    if (needs_chunk(code(i).op)) {
      scan_element(i, values_combined(i));
      continue;
    }
    if (code(i).op == operation::report) {
      const bool is_shared = is_on_gpu() && vector() > 1 && !varies_along_lanes(i);
      write_report(i, {is_shared ? lane() == 0 : element_guard(), {}, {}});
      continue;
    }
    if (has_body(code(i).op)) {
      bodies.write(i);
      continue;
    }
    const bool is_component = code(i).op == operation::component;
    const bool is_scanned = is_component && is_scan(code(code(i).arguments[0]).op);
    const expression made = is_scanned     ? scanned_value(code(i).arguments[0], code(i).payload)
                            : is_component ? evaluate(i, std::array{bodies.component(i)})
                                           : evaluate_in_loop(i);
    const expression named = name("v", i);
    if (is_array(i))
      out_.assign(*of_chunk(named), made);
    else
      out_.let(value_of(code(i).type), named, made);
    keep_value(i);
  }
}

void row_steps::combine_lane(unsigned phase) {
  bool any = false;
  each_reduction(phase, [&](std::uint32_t, const instruction& made) { any = any || is_due(phase, made); });
  if (!any) return;
  const expression guard = lane_guard();
  if (guard.is_set()) out_.open_guard(guard);
  each_reduction(phase, [&](std::uint32_t i, const instruction& made) {
    if (!is_due(phase, made)) return;
    if (has_body(made.op)) return combine_element(i, sums(i, lane()), values_combined(i));
    partial_values to = sums(i, lane());
    to[0] = accumulator(i, lane());
    partial_values from = values_combined(i);
    if (visits_in_order(made)) {
      to[1] = best_step(i, lane());
      from[1] = step_number();
    }
    combine(i, to, from).in_order = visits_in_order(made);
  });
  if (guard.is_set()) out_.close();
}

/// The elements that an instruction combines.
row_steps::partial_values row_steps::values_combined(std::uint32_t i) {
  const instruction& made = code(i);
  partial_values from;
  if (has_body(made.op)) {
    for (const std::uint32_t each : body().arguments_of_combining(made).values) from.push_back(value(each));
    return from;
  }
  from.push_back(value(made.arguments[0]));
  if (finds_position(made.op)) from.push_back(value(made.arguments[1]));
  return from;
}

/// An element's values into what a lane has. The first one is what a lane has then: variables of their own
/// hold either, because lanes of a vector assign to nothing else in a choice.
void row_steps::combine_element(std::uint32_t i, const partial_values& to, const partial_values& from) {
  const expression is_in_column = is_on_gpu() ? is_in_columns(lane()) : expression();
  const std::vector<value_type> types = types_of_partials(i);
  const partial_values next = partial_names("next", i);
  if (is_in_column.is_set()) out_.open_guard(is_in_column);
  out_.open_scope();  // as a whole it is done once, even where elements are evaluated again
  for (std::size_t k = 0; k < next.size(); ++k) out_.variable(types[k], next[k], from[k]);
  statement choice{.kind = statement_kind::choice};
  choice.instruction = i;
  const expression earlier = has_earlier_pieces(i);
  choice.condition = earlier.is_set() ? earlier || !is_first_step() : !is_first_step();
  out_.open(choice);
  bodies_of([&](std::uint32_t at) { return constant_value(at); }).write_combined(i, to, from, next);
  out_.close();
  assign_all(to, next);
  out_.close();
  if (is_in_column.is_set()) out_.close();
}

void row_steps::store_lane(unsigned phase) {
  each_element_store(phase,
                     [&](const store& made) { store_element(made.target, stored_value(made, phase)); });
}

bool row_steps::is_due(unsigned phase, std::span<const std::uint32_t> values) const {
  unsigned available = 0;
  for (const std::uint32_t i : values) available = std::max(available, plan_.available(phase, i));
  return level_ == all_levels || level_ == available;
}

bool row_steps::scans_in(unsigned phase) {
  bool found = false;
  each_scan(phase, [&](std::uint32_t) { found = true; });
  return found;
}

void row_steps::begin_scans(unsigned phase) {
  each_scan(phase, [&](std::uint32_t i) {
    if (code(i).op == operation::argsort) return;
    partial_values first = starts_of(i);
    if (code(i).arity > 1) first[0] = value(code(i).arguments[1]);
    if (code(i).continued)
      for (std::size_t k = 0; k < first.size(); ++k)
        first[k] = value(body().arguments_of_combining(code(i)).before[k]);
    const partial_values carry = partial_names("carry", i);
    const std::vector<value_type> types = types_of_partials(i);
    for (std::size_t k = 0; k < carry.size(); ++k) {
      if (!columns()) {
        out_.variable(types[k], carry[k], first[k]);
        continue;
      }
      out_.variable(types[k], carry[k][vector()]);
      open_lanes();
      out_.assign(carry[k][lane()], first[k]);
      out_.close();
    }
  });
}

void row_steps::declare_arrays_of_chunk(std::uint32_t i, std::initializer_list<int> shape) {
  const auto declare = [&](value_type type, expression array) {
    for (const int extent : shape) array = array[extent];
    out_.variable(type, array);
  };
  if (code(i).op == operation::argsort) declare(types_of_partials(i)[0], elements_of_chunk(i)[0]);
  if (!is_scan(code(i).op) || !has_body(code(i).op)) return declare(value_of(code(i).type), name("v", i));
  const partial_values named = partial_names("v", i);
  for (std::size_t k = 0; k < named.size(); ++k) declare(types_of_partials(i)[k], named[k]);
}

void row_steps::declare_last(unsigned phase) {
  each_last(phase, [&](std::uint32_t i, std::uint32_t) {
    const std::vector<value_type> types = types_of_partials(i);
    for (std::size_t k = 0; k < types.size(); ++k) {
      const expression named = name(row_value_name(i, k));
      out_.variable(types[k], columns() ? named[vector()] : named);
    }
  });
}

void row_steps::set_last(unsigned phase) {
  each_last(phase, [&](std::uint32_t i, std::uint32_t scan) {
    const partial_values carry = partial_names("carry", scan);
    for (std::size_t k = 0; k < carry.size(); ++k) {
      const expression named = name(row_value_name(i, k));
      if (!columns()) {
        out_.assign(named, carry[k]);
        continue;
      }
      open_lanes();
      out_.assign(named[lane()], carry[k][lane()]);
      out_.close();
    }
  });
}

expression row_steps::scanned_value(std::uint32_t scan, std::size_t number) {
  const expression named = partial_name("v", scan, number);
  return of_chunk(named).value_or(named);
}

}  // namespace sinter::inline v0::codegen
