#include <sinter/codegen/print/loop_printer.hpp>

#include <sinter/codegen/nest/nest.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace sinter::codegen {

void loop_printer::print(statement_id first) {
  each_in_list(tree_, first, [&](statement_id id) { print_statement(id); });
}

void loop_printer::print_statement(statement_id id) {
  const statement& at = tree_[id];
  switch (at.kind) {
    case statement_kind::scope:
    case statement_kind::loop:
    case statement_kind::guard:
      return print_nested(at);
    case statement_kind::let:
    case statement_kind::variable:
      return print_declaration(id);
    case statement_kind::speculate:
      return print_speculation(at);
    default:
      append_line(out_.begin_line(), at);
      out_.end_line();
  }
}

void loop_printer::print_inside(const statement& at) {
  out_.indent();
  print(at.body);
  out_.outdent();
  if (at.otherwise != no_statement) {
    out_.line("} else {");
    out_.indent();
    print(at.otherwise);
    out_.outdent();
  }
  out_.line("}");
}

std::string_view loop_printer::line_before(loop_kind kind) const {
  switch (kind) {
    case loop_kind::serial:
      return {};
    case loop_kind::unrolled:
      return spelling_.unrolled;
    case loop_kind::unrolled_twice:
      return spelling_.unrolled_twice;
    case loop_kind::vector:
      return spelling_.vector;
    case loop_kind::vector_pairs:
      return spelling_.vector_pairs;
    case loop_kind::lanes:
      return spelling_.lanes;
  }
  return {};
}

void loop_printer::append_loop_header(std::string& text, const statement& at) {
  put(text, "for (");
  if (at.value.is_set()) put(text, at.type, " ", at.target, " = ", at.value);
  if (at.step_by == loop_step::by_variable) put(text, ", ", at.step);
  put(text, "; ", at.condition, ";");
  switch (at.step_by) {
    case loop_step::by_one:
      put(text, " ++", at.target);
      break;
    case loop_step::down_by_one:
      put(text, " --", at.target);
      break;
    case loop_step::by_amount:
    case loop_step::by_variable:
      put(text, " ", at.target, " += ", at.step);
      break;
    case loop_step::doubled:
      put(text, " ", at.target, " *= 2");
      break;
    case loop_step::halved:
      put(text, " ", at.target, " /= 2");
      break;
    case loop_step::in_body:
      break;
  }
  if (at.toggled.is_set()) put(text, ", ", at.toggled, " ^= 1");
  put(text, ") ");
}

void loop_printer::append_guard_header(std::string& text, const statement& at) {
  put(text, "if (");
  if (at.value.is_set()) put(text, "const ", at.type, " ", at.target, " = ", at.value, "; ");
  put(text, at.condition, ") ");
}

void loop_printer::print_nested(const statement& at) {
  if (at.kind == statement_kind::scope && at.body == no_statement) return;
  if (at.kind == statement_kind::loop)
    if (const std::string_view line = line_before(at.loop); !line.empty()) out_.line(line);
  std::string& text = out_.begin_line();
  if (at.kind == statement_kind::loop) append_loop_header(text, at);
  if (at.kind == statement_kind::guard) append_guard_header(text, at);
  if (at.brief) {
    append_line(text, tree_[at.body]);
    return out_.end_line();
  }
  text += '{';
  out_.end_line();
  print_inside(at);
}

/// Declarations that are joined stand on one line.
void loop_printer::print_declaration(statement_id id) {
  if (tree_[id].joined) return;
  std::string& text = out_.begin_line();
  append_line(text, tree_[id]);
  for (statement_id next = tree_[id].next; next != no_statement && tree_[next].joined;
       next = tree_[next].next) {
    const statement& at = tree_[next];
    if (at.kind != tree_[id].kind || at.type != tree_[id].type || at.type.pointer != 0) {
      text += ' ';
      append_line(text, at);
      continue;
    }
    text.pop_back();
    put(text, ", ", at.target);
    if (at.value.is_set()) put(text, " = ", at.value);
    text += ';';
  }
  out_.end_line();
}

void loop_printer::print_speculation(const statement& at) {
  out_.line(spelling_.flag);
  print(at.body);
  out_.open(spelling_.fallback);
  print(at.otherwise);
  out_.close();
}

void loop_printer::append_line(std::string& text, const statement& at) {
  switch (at.kind) {
    case statement_kind::let:
      if (at.type.pointer != 0) return put(text, at.type, " const ", at.target, " = ", at.value, ";");
      return put(text, "const ", at.type, " ", at.target, " = ", at.value, ";");
    case statement_kind::variable:
      return append_variable(text, at);
    case statement_kind::assign:
      return put(text, at.target, " = ", at.value, ";");
    case statement_kind::add:
      return put(text, at.target, " += ", at.value, ";");
    case statement_kind::load:
    case statement_kind::store:
      return append_move(text, at);
    case statement_kind::combine:
      return append_combine(text, at);
    case statement_kind::advance:
      text += text_of_advance(at);
      return;
    case statement_kind::require:
      text += fmt::format(fmt::runtime(spelling_.require), text_of(at.condition));
      return;
    case statement_kind::loop:
      append_loop_header(text, at);
      return append_line(text, tree_[at.body]);
    case statement_kind::guard:
      append_guard_header(text, at);
      return append_line(text, tree_[at.body]);
    default:
      return put(text, at.value, ";");
  }
}

void loop_printer::append_variable(std::string& text, const statement& at) {
  if (at.space == memory_space::shared_of_launch) return put(text, spelling_.shared_of_launch);
  if (at.space == memory_space::stack) put(text, spelling_.stack);
  if (at.space == memory_space::shared) put(text, spelling_.shared);
  if (at.space == memory_space::shared_aligned) put(text, spelling_.shared_aligned);
  put(text, at.type, " ", at.target);
  if (at.value.is_set()) put(text, " = ", at.value);
  put(text, at.zeroed ? " = {};" : ";");
}

/// "load(in0, q0 + (x), left0 - x);", or of one element "if (x < left0) in0.e[0] = q0[x];"
void loop_printer::append_move(std::string& text, const statement& at) {
  if (at.type.as == value_type::form::vector_of_storage) {
    put(text, at.kind == statement_kind::load ? "load" : "store", at.step.is_set() ? "(" : "_whole(",
        at.target, ", ", at.value);
    if (at.step.is_set()) put(text, ", ", at.step);
    return put(text, ");");
  }
  if (at.condition.is_set()) put(text, "if (", at.condition, ") ");
  put(text, at.target, " = ", at.value, ";");
}

void loop_printer::append_combine(std::string& text, const statement& at) {
  const instruction& made = kernel_.body.body[at.instruction];
  const std::string to = text_of(at.target), from = text_of(at.value);
  if (!at.target_position.is_set()) return put(text, to, " = ", instructions_.combined(made, to, from), ";");
  const std::string place = text_of(at.target_position), from_place = text_of(at.value_position);
  const std::string preferred = at.in_order ? instructions_.preferred_later(made, from, to)
                                            : instructions_.preferred(made, from, from_place, to, place);
  put(text, "if (", preferred, ") { ", to, " = ", from, "; ", place, " = ",
      at.in_order ? text_of(at.step) : from_place, "; }");
}

/// "if (++t0 == a.e0) { t0 = 0; if (++t1 == a.e1) { t1 = 0; ++t2; } }"
std::string loop_printer::text_of_advance(const statement& at) {
  const auto listed = tree_.expressions.operands_of(at.value.id);
  const auto text_at = [&](std::size_t i) { return text_of({at.value.table, listed[i]}); };
  const std::size_t pairs = listed.size() / 2;
  std::string text;
  if (listed.size() % 2 != 0) put(text, "++", text_at(2 * pairs), ";");
  each_in_list(tree_, at.body, [&](statement_id id) {
    text += ' ';
    append_line(text, tree_[id]);
  });
  for (std::size_t i = pairs; i-- > 0;) {
    const std::string position = text_at(2 * i), extent = text_at(2 * i + 1);
    std::string moved = "if (";
    if (at.step.is_set() && i == 0)
      put(moved, "(", position, " += ", at.step, ")");
    else
      put(moved, "++", position);
    put(moved, " == ", extent, ") { ", position, " = 0; ", text, " }");
    text = std::move(moved);
  }
  return text;
}

void loop_printer::append(std::string& text, const value_type& type) {
  if (type.pointer == 2) text += "const ";
  switch (type.as) {
    case value_type::form::index:
      text += "long long";
      break;
    case value_type::form::narrow_index:
      text += "int";
      break;
    case value_type::form::unsigned_index:
      text += "unsigned int";
      break;
    case value_type::form::address:
      text += "unsigned long long";
      break;
    case value_type::form::truth:
      text += "bool";
      break;
    case value_type::form::value:
      text += facts(type.element).spelling;
      break;
    case value_type::form::storage:
      text += facts(type.element).storage;
      break;
    case value_type::form::vector_of_storage:
      put(text, "pack<", facts(type.element).storage, ", ", std::int64_t{type.lanes}, ">");
      break;
    case value_type::form::vector_of_values:
      put(text, "pack<", facts(type.element).spelling, ", ", std::int64_t{type.lanes}, ">");
      break;
    case value_type::form::bytes:
      text += "void";
      break;
    case value_type::form::octet:
      text += "char";
      break;
  }
  if (type.pointer != 0) text += type.pointer == 3 ? '&' : '*';
}

void loop_printer::append(std::string& text, std::int64_t number) const {
  char digits[24];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

namespace {

struct binary_spelling {
  expression_kind kind;
  std::string_view sign;
  int precedence, left, right;
};
constexpr int atom = 15, prefix = 14, additive = 12, conditional = 3;
constexpr binary_spelling binaries[] = {
    {expression_kind::difference, " - ", additive, additive, 13},
    {expression_kind::product, " * ", 13, 13, 14},
    {expression_kind::quotient, " / ", 13, 13, 14},
    {expression_kind::remainder, " % ", 13, 13, 14},
    {expression_kind::shifted_right, " >> ", 11, 11, additive},
    {expression_kind::bits_and, " & ", 8, 8, 9},
    {expression_kind::less, " < ", 10, 10, 11},
    {expression_kind::less_equal, " <= ", 10, 10, 11},
    {expression_kind::greater, " > ", 10, 10, 11},
    {expression_kind::greater_equal, " >= ", 10, 10, 11},
    {expression_kind::equal, " == ", 9, 9, 10},
    {expression_kind::not_equal, " != ", 9, 9, 10},
    {expression_kind::both, " && ", 5, 5, 6},
    {expression_kind::either, " || ", 4, 4, 5},
};
constexpr auto binary_places = [] {
  std::array<const binary_spelling*, 64> places{};
  for (const binary_spelling& at : binaries) places[static_cast<std::size_t>(at.kind)] = &at;
  return places;
}();
const binary_spelling* binary_of(expression_kind kind) {
  return binary_places[static_cast<std::size_t>(kind)];
}

int precedence_of(expression_kind kind) {
  switch (kind) {
    case expression_kind::sum:
      return additive;
    case expression_kind::choice:
      return conditional;
    case expression_kind::negation:
    case expression_kind::incremented:
    case expression_kind::content:
    case expression_kind::address:
    case expression_kind::conversion:
      return prefix;
    default:
      break;
  }
  const binary_spelling* binary = binary_of(kind);
  return binary == nullptr ? atom : binary->precedence;
}

}  // namespace

std::string loop_printer::text_of(expression at, int least_precedence) {
  std::string text;
  append_expression(text, at.id, least_precedence);
  return text;
}

void loop_printer::append_expression(std::string& text, std::uint32_t id, int least_precedence) {
  const expression_node& at = tree_.expressions[id];
  const auto operands = tree_.expressions.operands_of(id);
  const bool encloses = precedence_of(at.kind) < least_precedence;
  if (encloses) text += '(';
  switch (at.kind) {
    case expression_kind::integer:
      if (at.value == std::numeric_limits<std::int64_t>::max())
        text += "0x7fffffffffffffffll";
      else
        append(text, at.value);
      break;
    case expression_kind::name:
      text += tree_.expressions.name_of(id);
      break;
    case expression_kind::sum:
      append_sum(text, id);
      break;
    case expression_kind::choice:
      append_expression(text, operands[0], 4);
      text += " ? ";
      append_expression(text, operands[1], conditional);
      text += " : ";
      append_expression(text, operands[2], conditional);
      break;
    case expression_kind::negation:
      text += '!';
      append_expression(text, operands[0], prefix);
      break;
    case expression_kind::incremented:
      text += "++";
      append_expression(text, operands[0], prefix);
      break;
    case expression_kind::content:
      text += '*';
      append_expression(text, operands[0], prefix);
      break;
    case expression_kind::address:
      text += '&';
      append_expression(text, operands[0], prefix);
      break;
    case expression_kind::conversion:
      put(text, "(", at.type, ")");
      append_expression(text, operands[0], prefix);
      break;
    case expression_kind::subscript:
      append_expression(text, operands[0], atom);
      text += '[';
      append_expression(text, operands[1], 0);
      text += ']';
      break;
    case expression_kind::lane:
      append_expression(text, operands[0], atom);
      text += ".e[";
      append_expression(text, operands[1], 0);
      text += ']';
      break;
    case expression_kind::call:
      append_call(text, id);
      break;
    case expression_kind::shared_of_launch:
      put(text, "reinterpret_cast<", at.type, ">(reinterpret_cast<char*>(shared) + ", at.value, ")");
      break;
    case expression_kind::thread:
      text += at.value == 0 ? spelling_.thread_along : spelling_.thread_across;
      break;
    case expression_kind::block:
      text += spelling_.block;
      break;
    case expression_kind::quotient_by:
      append_quotient(text, id);
      break;
    case expression_kind::array_pointer:
      append_array_pointer(text, static_cast<std::uint32_t>(at.value));
      break;
    default:
      if (const binary_spelling* binary = binary_of(at.kind); binary != nullptr)
        append_operands(text, id, binary->sign, binary->left, binary->right);
      else
        append_instruction(text, id);
  }
  if (encloses) text += ')';
}

void loop_printer::append_operands(std::string& text, std::uint32_t id, std::string_view sign, int left,
                                   int right) {
  const auto operands = tree_.expressions.operands_of(id);
  append_expression(text, operands[0], left);
  text += sign;
  append_expression(text, operands[1], right);
}

/// A sum inside a sum is one term.
void loop_printer::append_sum(std::string& text, std::uint32_t id) {
  const auto operands = tree_.expressions.operands_of(id);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (i != 0) text += " + ";
    const bool first = i == 0 && tree_.expressions[operands[i]].kind != expression_kind::sum;
    append_expression(text, operands[i], first ? additive : additive + 1);
  }
}

void loop_printer::append_call(std::string& text, std::uint32_t id) {
  const auto operands = tree_.expressions.operands_of(id);
  const std::string_view name = tree_.expressions.name_of(operands[0]);
  const std::string_view helper = name.substr(0, name.find('<'));
  if (std::ranges::find(helpers_, helper) == helpers_.end()) helpers_.push_back(helper);
  const auto known = std::ranges::find(spelling_.calls, name, &call_spelling::name);
  text += known == spelling_.calls.end() ? name : known->spelling;
  text += '(';
  for (std::size_t i = 1; i < operands.size(); ++i) {
    if (i != 1) text += ", ";
    append_expression(text, operands[i], 0);
  }
  text += ')';
}

/// An argument of a call needs no parentheses, an operand of a sign does.
void loop_printer::append_quotient(std::string& text, std::uint32_t id) {
  const auto operands = tree_.expressions.operands_of(id);
  const std::string_view spelling =
      tree_.expressions[id].value == 32 ? spelling_.narrow_quotient : spelling_.quotient;
  const int least_precedence = spelling.ends_with(')') ? 0 : 13;
  text += fmt::format(fmt::runtime(spelling), text_of({nullptr, operands[0]}, least_precedence),
                      text_of({nullptr, operands[1]}));
}

void loop_printer::append_array_pointer(std::string& text, std::uint32_t access) {
  const bool with_property =
      spelling_.has_access_properties && kernel_.body.accesses[access].what == access::kind::read;
  if (with_property) text += "with_property(";
  put(text, "a.p", std::int64_t{access});
  if (with_property) text += is_read_once(kernel_.body, access) ? ", a.read_once)" : ", a.read_again)";
}

void loop_printer::append_instruction(std::string& text, std::uint32_t id) {
  const expression_node& at = tree_.expressions[id];
  const auto operands = tree_.expressions.operands_of(id);
  std::array<std::string, 4> texts;
  for (std::size_t i = 0; i < operands.size(); ++i) append_expression(texts[i], operands[i], 0);
  if (at.kind == expression_kind::stored) {
    text += instructions_.stored(at.type.element, texts[0]);
    return;
  }
  const instruction& made = kernel_.body.body[static_cast<std::size_t>(at.value)];
  switch (at.kind) {
    case expression_kind::evaluate:
      text += instructions_.value(made, texts);
      break;
    case expression_kind::evaluate_near:
      text += instructions_.value_of_fast_path(made, texts);
      break;
    case expression_kind::near_test:
      text += instructions_.fast_path_test(made, texts);
      break;
    case expression_kind::start:
      text += instructions_.start(made);
      break;
    case expression_kind::combined:
      text += instructions_.combined(made, texts[0], texts[1]);
      break;
    default:
      break;
  }
}

}  // namespace sinter::codegen
