#include <sinter/codegen/print/loop_printer.hpp>

#include <sinter/codegen/loops/ir/operators.hpp>
#include <sinter/codegen/nest/nest_bodies.hpp>
#include <sinter/codegen/nest/nest_facts.hpp>
#include <sinter/codegen/print/update_text.hpp>

#include <string>
#include <utility>

namespace sinter::inline v0::codegen {
namespace {

/// What stands before and behind {} in a pattern.
std::pair<std::string_view, std::string_view> around_test(std::string_view pattern) {
  const std::size_t place = pattern.find("{}");
  return {pattern.substr(0, place), pattern.substr(place + 2)};
}

}  // namespace

void loop_printer::print(statement_id first) {
  each_in_list(tree_, first, [&](statement_id id) { print_statement(id); });
}

void loop_printer::print_statement(statement_id id) {
  const statement& at = tree_[id];
  if (in_lanes_ && (at.kind == statement_kind::loop || at.kind == statement_kind::choice))
    return print_in_lanes(at);
  if (in_lanes_ && at.kind == statement_kind::scope) {
    out_.open("{");
    print(at.body);
    return out_.close();
  }
  switch (at.kind) {
    case statement_kind::loop:
      if (is_launched(at)) return print_launched(at);
      return print_nested(at);
    case statement_kind::scope:
    case statement_kind::guard:
    case statement_kind::choice:
      return print_nested(at);
    case statement_kind::speculate:
      return print_speculation(at);
    default:
      if (at.space == memory_space::global) return;  // an argument
      append_line(out_.begin_line(), at);
      out_.end_line();
  }
}

/// The text is that of one iteration.
void loop_printer::print_launched(const statement& at) {
  if (at.value.is_set()) {
    text_buffer& text = out_.begin_line();
    print_.put(text, "const ", at.type, " ", at.target, " = ", at.value, ";");
    out_.end_line();
  }
  print(at.body);
}

void loop_printer::print_inside(const statement& at) {
  out_.indent();
  print(at.body);
  print_next_states(at);
  out_.outdent();
  if (at.otherwise != no_statement) {
    out_.line("} else {");
    out_.indent();
    print(at.otherwise);
    out_.outdent();
  }
  out_.line("}");
}

/// At the end of an iteration: none becomes what another was.
void loop_printer::print_next_states(const statement& loop) {
  if (!loop.states.is_set()) return;
  const auto states = tree_.expressions.operands_of(loop.states.id),
             next = tree_.expressions.operands_of(loop.next_states.id);
  for (std::size_t k = 0; k < states.size(); ++k) {
    if (states[k] == next[k]) continue;
    statement changed{.kind = statement_kind::assign};
    changed.target = {loop.states.table, states[k]};
    changed.value = {loop.states.table, next[k]};
    append_line(out_.begin_line(), changed);
    out_.end_line();
  }
}

std::string_view loop_printer::line_before(loop_kind kind) const {
  switch (kind) {
    case loop_kind::grid:
    case loop_kind::cluster:
    case loop_kind::block:
    case loop_kind::serial:
    case loop_kind::chunks:
    case loop_kind::carried:
      return {};
    case loop_kind::unrolled:
      return spelling_.unrolled;
    case loop_kind::unrolled_twice:
      return spelling_.unrolled_twice;
    case loop_kind::rows:
      return spelling_.rows;
    case loop_kind::vector:
      return spelling_.vector;
    case loop_kind::vector_pairs:
      return spelling_.vector_pairs;
    case loop_kind::compiler_vector:
      return spelling_.compiler_vector;
    case loop_kind::lanes:
      return spelling_.lanes;
    case loop_kind::rolled:
    case loop_kind::carried_rolled:
      return spelling_.rolled;
  }
  return {};
}

void loop_printer::append_loop_header(text_buffer& text, const statement& at) {
  print_.put(text, "for (");
  if (at.begin.is_set()) print_.put(text, at.type, " ", at.target, " = ", at.begin);
  if (at.step_by == loop_step::by_variable) print_.put(text, ", ", at.step);
  print_.put(text, "; ");
  if (at.end.is_set()) {
    print_.put(text, at.target);
    if (at.is_whole) print_.put(text, " + ");
    if (at.is_whole) print_.put_operand(text, at.step, sum_precedence);
    print_.put(text, goes_down(at.step_by) ? " >= " : at.is_whole ? " <= " : " < ");
    print_.put_operand(text, at.end, sum_precedence);
  }
  print_.put(text, ";");
  switch (at.step_by) {
    case loop_step::by_one:
      print_.put(text, " ++", at.target);
      break;
    case loop_step::down_by_one:
      print_.put(text, " --", at.target);
      break;
    case loop_step::by_amount:
    case loop_step::by_variable:
      print_.put(text, " ", at.target, " += ", at.step);
      break;
    case loop_step::doubled:
      print_.put(text, " ", at.target, " *= 2");
      break;
    case loop_step::halved:
      print_.put(text, " ", at.target, " /= 2");
      break;
    case loop_step::in_body:
      break;
  }
  if (at.toggled.is_set()) print_.put(text, ", ", at.toggled, " ^= 1");
  print_.put(text, ") ");
}

void loop_printer::append_guard_header(text_buffer& text, const statement& at) {
  print_.put(text, "if (");
  if (at.value.is_set()) print_.put(text, "const ", at.type, " ", at.target, " = ", at.value, "; ");
  const std::string_view guard = at.kind == statement_kind::choice
                                     ? instructions().guard_of_choice(kernel_.body.body[at.instruction])
                                     : std::string_view();
  if (guard.empty())
    print_.put(text, at.condition, ") ");
  else
    print_.put(text, guard, "(", at.condition, ") != 0) ");
}

/// Whether a loop or a guard is around one statement, which is a line: it stands on that line.
bool loop_printer::is_brief(const statement& at) const {
  if (at.kind != statement_kind::loop && at.kind != statement_kind::guard) return false;
  if (at.body == no_statement || at.otherwise != no_statement || at.states.is_set()) return false;
  if (tree_[at.body].next != no_statement) return false;
  switch (tree_[at.body].kind) {
    case statement_kind::assign:
    case statement_kind::add:
    case statement_kind::perform:
    case statement_kind::combine:
    case statement_kind::load:
    case statement_kind::store:
      return true;
    default:
      return false;
  }
}

void loop_printer::print_nested(const statement& at) {
  if (at.kind == statement_kind::scope && at.body == no_statement) return;
  if (at.kind == statement_kind::loop)
    if (const std::string_view line = line_before(at.loop); !line.empty()) out_.line(line);
  text_buffer& text = out_.begin_line();
  if (at.kind == statement_kind::loop) append_loop_header(text, at);
  if (at.kind == statement_kind::guard || at.kind == statement_kind::choice) append_guard_header(text, at);
  in_lanes_ = is_vector(at);
  if (in_lanes_) lanes_.open(at);
  if (is_brief(at)) {
    append_line(text, tree_[at.body]);
    out_.end_line();
  } else {
    text += '{';
    out_.end_line();
    const bool is_left = is_left_by_reports(at);
    if (is_left) labels_.push_back(next_label_++);
    print_inside(at);
    if (is_left) {
      out_.line("left" + std::to_string(labels_.back()) + ":;");
      labels_.pop_back();
    }
  }
  in_lanes_ = false;
}

void loop_printer::print_in_lanes(const statement& at) {
  const bool is_choice = at.kind == statement_kind::choice;
  for (const bool otherwise : {false, true}) {
    if (otherwise && (!is_choice || at.otherwise == no_statement)) break;
    for (const std::string& line : is_choice ? lanes_.open_side(at, otherwise) : lanes_.open_carried(at))
      out_.line(line);
    out_.indent();
    print(otherwise ? at.otherwise : at.body);
    print_next_states(at);
    out_.outdent();
    out_.line("}");
    for (const std::string& line : lanes_.close_body()) out_.line(line);
  }
}

void loop_printer::print_speculation(const statement& at) {
  out_.line(spelling_.flag);
  print(at.body);
  out_.open(spelling_.fallback);
  print(at.otherwise);
  out_.close();
}

/// Of threads that have no element nothing is told, but they leave loops as others do.
void loop_printer::append_report(text_buffer& text, const statement& at) {
  print_.note_helper("report_index");
  const bool leaves = !loops_left_by(kernel_.body, at.instruction).empty();
  print_.put(text, "if (");
  if (at.step.is_set() && !leaves) print_.put(text, at.step, " && ");
  print_.put(text, at.condition);
  if (at.begin.is_set()) print_.put(text, " && ", at.target, " < ", at.begin);
  print_.put(text, ") { ");
  if (at.step.is_set() && leaves) print_.put(text, "if (", at.step, ") ");
  print_.put(text, "report_index(a.fault, a.site + ",
             static_cast<std::int64_t>(kernel_.body.body[at.instruction].payload), ", ", at.value, ", ",
             at.end, ");");
  if (leaves) print_.put(text, " goto left", std::int64_t{labels_.back()}, ";");
  print_.put(text, " }");
}

void loop_printer::append_update(text_buffer& text, const statement& at) {
  const store& made = kernel_.body.stores[at.instruction];
  const bool is_shared = at.space == memory_space::shared;
  const std::string_view helper = is_shared && counts_updates(kernel_.body, made)
                                      ? count_helper
                                      : update_helper(made.combine, kernel_.body.accesses[made.target].type,
                                                      is_shared || at.space == memory_space::stack);
  print_.note_helper(helper);
  print_.put(text, "if (");
  if (at.step.is_set()) print_.put(text, at.step, " && ");
  print_.put(text, at.condition);
  if (at.begin.is_set())
    print_.put(text, " && (unsigned long long)(", at.begin, ") < (unsigned long long)(", at.end, ")");
  if (!is_shared) return print_.put(text, ") ", helper, "(&", at.target, ", ", at.value, ");");
  const auto target = tree_.expressions.operands_of(at.target.id);
  print_.put(text, ") ", helper, "(", expression{at.target.table, target[0]}, ", ",
             expression{at.target.table, target[1]}, ", ", at.value, ", ",
             std::int64_t{kernel_.chosen.private_updates}, ");");
}

/// Whether a report in a loop leaves it, and none around it.
bool loop_printer::is_left_by_reports(const statement& at) const {
  if (at.kind != statement_kind::loop || !at.states.is_set()) return false;
  const auto& body = kernel_.body.body;
  for (std::uint32_t i = 0; i < body.size(); ++i) {
    if (body[i].op != operation::report) continue;
    const std::vector<std::uint32_t> loops = loops_left_by(kernel_.body, i);
    if (!loops.empty() && loops.back() == at.instruction) return true;
  }
  return false;
}

void loop_printer::append_line(text_buffer& text, const statement& at) {
  if (in_lanes_ && at.kind == statement_kind::require) {
    const auto [before, after] = around_test(spelling_.require);
    return print_.put(text, before, lanes_.holds_for_all(at.condition), after);
  }
  if (in_lanes_) return print_.put(text, lanes_.line(at));
  switch (at.kind) {
    case statement_kind::let:
      if (at.type.pointer != 0) return print_.put(text, at.type, " const ", at.target, " = ", at.value, ";");
      return print_.put(text, "const ", at.type, " ", at.target, " = ", at.value, ";");
    case statement_kind::variable:
      return append_variable(text, at);
    case statement_kind::assign:
      return print_.put(text, at.target, " = ", at.value, ";");
    case statement_kind::add:
      return print_.put(text, at.target, " += ", at.value, ";");
    case statement_kind::load:
    case statement_kind::store:
      return append_move(text, at);
    case statement_kind::combine:
      return append_combine(text, at);
    case statement_kind::advance:
      return append_advance(text, at);
    case statement_kind::report:
      return append_report(text, at);
    case statement_kind::update:
      return append_update(text, at);
    case statement_kind::leave:
      return print_.put(text, "if (!(", at.condition, ")) break;");
    case statement_kind::barrier:
      return print_.put_into(text, spelling_.barriers[static_cast<std::size_t>(at.scope)]);
    case statement_kind::arrive:
      return print_.put_into(text, spelling_.arrivals[static_cast<std::size_t>(at.scope)]);
    case statement_kind::copy:
      return print_.put_into(text, spelling_.copy, {{at.target}, {at.value}, {at.step}});
    case statement_kind::wait_for_copies:
      return print_.put_into(text, spelling_.wait_for_copies);
    case statement_kind::require:
      return print_.put_into(text, spelling_.require, {{at.condition}});
    case statement_kind::loop:
      append_loop_header(text, at);
      return append_line(text, tree_[at.body]);
    case statement_kind::guard:
      append_guard_header(text, at);
      return append_line(text, tree_[at.body]);
    default:
      return print_.put(text, at.value, ";");
  }
}

void loop_printer::append_variable(text_buffer& text, const statement& at) {
  if (at.space == memory_space::shared_of_launch) return print_.put(text, spelling_.shared_of_launch);
  if (at.space == memory_space::stack) print_.put(text, spelling_.stack);
  if (at.space == memory_space::shared) print_.put(text, spelling_.shared);
  if (at.space == memory_space::shared_aligned) print_.put(text, spelling_.shared_aligned);
  print_.put(text, at.type, " ", at.target);
  if (at.value.is_set()) print_.put(text, " = ", at.value);
  print_.put(text, at.zeroed ? " = {};" : ";");
}

/// "load(in0, q0 + (x), left0 - x);", or of one element "if (x < left0) in0.e[0] = q0[x];"
void loop_printer::append_move(text_buffer& text, const statement& at) {
  if (at.type.as == value_type::form::vector_of_storage) {
    print_.put(text, at.kind == statement_kind::load ? "load" : "store", at.step.is_set() ? "(" : "_whole(",
               at.target, ", ", at.value);
    if (at.step.is_set()) print_.put(text, ", ", at.step);
    return print_.put(text, ");");
  }
  if (at.condition.is_set()) print_.put(text, "if (", at.condition, ") ");
  print_.put(text, at.target, " = ", at.value, ";");
}

void loop_printer::append_combine(text_buffer& text, const statement& at) {
  const instruction& made = kernel_.body.body[at.instruction];
  const auto part = [&](expression list, std::size_t number) {
    return print_.text_of({list.table, tree_.expressions.operands_of(list.id)[number]});
  };
  const std::string to = part(at.target, 0), from = part(at.value, 0);
  if (!finds_position(made.op))
    return print_.put(text, to, " = ", print_.instructions().combined(made, to, from), ";");
  const std::string place = part(at.target, 1), from_place = part(at.value, 1);
  const std::string preferred = at.in_order
                                    ? print_.instructions().preferred_later(made, from, to)
                                    : print_.instructions().preferred(made, from, from_place, to, place);
  print_.put(text, "if (", preferred, ") { ", to, " = ", from, "; ", place, " = ", from_place, "; }");
}

/// "if (++t0 == a.e0) { t0 = 0; if (++t1 == a.e1) { t1 = 0; ++t2; } }"
void loop_printer::append_advance(text_buffer& text, const statement& at) {
  const auto listed = tree_.expressions.operands_of(at.value.id);
  const auto part = [&](std::size_t i) { return expression{at.value.table, listed[i]}; };
  const std::size_t pairs = listed.size() / 2;
  for (std::size_t i = 0; i < pairs; ++i) {
    const expression position = part(2 * i), extent = part(2 * i + 1);
    if (at.step.is_set() && i == 0)
      print_.put(text, "if ((", position, " += ", at.step, ")");
    else
      print_.put(text, "if (++", position);
    print_.put(text, " == ", extent, ") { ", position, " = 0; ");
  }
  if (listed.size() % 2 != 0) print_.put(text, "++", part(2 * pairs), ";");
  each_in_list(tree_, at.body, [&](statement_id id) {
    text += ' ';
    append_line(text, tree_[id]);
  });
  for (std::size_t i = 0; i < pairs; ++i) print_.put(text, " }");
}

}  // namespace sinter::inline v0::codegen
