#include <sinter/codegen/print/expression_printer.hpp>

#include <sinter/codegen/loops/ir/operators.hpp>
#include <sinter/codegen/nest/nest.hpp>

#include <algorithm>
#include <array>
#include <limits>

namespace sinter::inline v0::codegen {

namespace {

std::string_view number_in_launch(const dialect& spelling, const expression_node& at) {
  if (at.kind == expression_kind::block) return spelling.block;
  return at.value == 0 ? spelling.thread_along : spelling.thread_across;
}

}  // namespace

void expression_printer::append(text_buffer& text, const value_type& type) {
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
      text += facts_of(type.element).spelling;
      break;
    case value_type::form::storage:
      text += facts_of(type.element).storage;
      break;
    case value_type::form::vector_of_storage:
      put(text, "pack<", facts_of(type.element).storage, ", ", std::int64_t{type.lanes}, ">");
      break;
    case value_type::form::vector_of_values:
      put(text, "pack<", facts_of(type.element).spelling, ", ", std::int64_t{type.lanes}, ">");
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

void expression_printer::put_into(text_buffer& text, std::string_view pattern,
                                  std::initializer_list<placed> expressions) {
  if (const std::size_t name = pattern.find('('); name != pattern.npos) note_helper(pattern.substr(0, name));
  for (const placed& next : expressions) {
    const std::size_t place = pattern.find("{}");
    text += pattern.substr(0, place);
    append_expression(text, next.at.id, next.min_precedence);
    pattern.remove_prefix(place + 2);
  }
  text += pattern;
}

std::string expression_printer::text_of(expression at) {
  const std::size_t begin = scratch_.size();
  append_expression(scratch_, at.id, 0);
  std::string text(scratch_.view().substr(begin));
  scratch_.truncate(begin);
  return text;
}

void expression_printer::append_expression(text_buffer& text, std::uint32_t id, int min_precedence) {
  const expression_node& at = tree_.expressions[id];
  const auto operands = tree_.expressions.operands_of(id);
  const bool encloses = precedence_of(at.kind) < min_precedence;
  if (encloses) text += '(';
  switch (at.kind) {
    case expression_kind::integer:
      append_integer(text, at.value);
      break;
    case expression_kind::name:
      text += tree_.expressions.name_of(id);
      break;
    case expression_kind::sum:
      append_sum(text, id);
      break;
    case expression_kind::choice:
      append_choice(text, operands);
      break;
    case expression_kind::negation:
    case expression_kind::incremented:
    case expression_kind::content:
    case expression_kind::address:
      text += prefix_of(at.kind);
      append_expression(text, operands[0], prefix_precedence);
      break;
    case expression_kind::conversion:
      put(text, "(", at.type, ")");
      append_expression(text, operands[0], prefix_precedence);
      break;
    case expression_kind::subscript:
    case expression_kind::lane:
      append_element(text, operands, at.kind == expression_kind::lane ? ".e[" : "[");
      break;
    case expression_kind::call:
      append_call(text, id);
      break;
    case expression_kind::instance:  // append_call()
      break;
    case expression_kind::shared_of_launch:
      put(text, "reinterpret_cast<", at.type, ">(reinterpret_cast<char*>(shared) + ", at.value, ")");
      break;
    case expression_kind::thread:
    case expression_kind::block:
      text += number_in_launch(spelling_, at);
      break;
    case expression_kind::quotient_by:
      append_quotient(text, id);
      break;
    case expression_kind::array_pointer:
      append_array_pointer(text, static_cast<std::uint32_t>(at.value));
      break;
    default:
      if (const binary_operator* binary = binary_operator_of(at.kind); binary != nullptr)
        append_operands(text, id, binary->sign, binary->left, binary->right);
      else
        append_instruction(text, id);
  }
  if (encloses) text += ')';
}

void expression_printer::append_integer(text_buffer& text, std::int64_t value) {
  if (value == std::numeric_limits<std::int64_t>::max())
    text += "0x7fffffffffffffffll";
  else
    text += value;
}

void expression_printer::append_choice(text_buffer& text, std::span<const std::uint32_t> operands) {
  append_expression(text, operands[0], choice_precedence + 1);
  text += " ? ";
  append_expression(text, operands[1], choice_precedence);
  text += " : ";
  append_expression(text, operands[2], choice_precedence);
}

void expression_printer::append_element(text_buffer& text, std::span<const std::uint32_t> operands,
                                        std::string_view opening) {
  append_expression(text, operands[0], atom_precedence);
  text += opening;
  append_expression(text, operands[1], 0);
  text += ']';
}

void expression_printer::append_operands(text_buffer& text, std::uint32_t id, std::string_view sign, int left,
                                         int right) {
  const auto operands = tree_.expressions.operands_of(id);
  append_expression(text, operands[0], left);
  text += sign;
  append_expression(text, operands[1], right);
}

/// A sum inside a sum is one term.
void expression_printer::append_sum(text_buffer& text, std::uint32_t id) {
  const auto operands = tree_.expressions.operands_of(id);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (i != 0) text += " + ";
    const bool first = i == 0 && tree_.expressions[operands[i]].kind != expression_kind::sum;
    append_expression(text, operands[i], first ? sum_precedence : sum_precedence + 1);
  }
}

void expression_printer::note_helper(std::string_view name) {
  if (std::ranges::find(helpers_, name) == helpers_.end()) helpers_.push_back(name);
}

void expression_printer::append_call(text_buffer& text, std::uint32_t id) {
  const auto operands = tree_.expressions.operands_of(id);
  const bool is_template = tree_.expressions[operands[0]].kind == expression_kind::instance;
  const auto called = is_template ? tree_.expressions.operands_of(operands[0]) : std::span(operands).first(1);
  const std::string_view name = tree_.expressions.name_of(called[0]);
  note_helper(name);
  const auto known = std::ranges::find(spelling_.calls, name, &call_spelling::name);
  text += known == spelling_.calls.end() ? name : known->spelling;
  for (std::size_t i = 1; i < called.size(); ++i) {
    text += i == 1 ? "<" : ", ";
    append_expression(text, called[i], 0);
  }
  text += is_template ? ">(" : "(";
  for (std::size_t i = 1; i < operands.size(); ++i) {
    if (i != 1) text += ", ";
    append_expression(text, operands[i], 0);
  }
  text += ')';
}

/// An argument of a call needs no parentheses, an operand of a sign does.
void expression_printer::append_quotient(text_buffer& text, std::uint32_t id) {
  const auto operands = tree_.expressions.operands_of(id);
  const std::string_view spelling =
      tree_.expressions[id].value == 32 ? spelling_.narrow_quotient : spelling_.quotient;
  const int min_precedence = spelling.ends_with(')') ? 0 : 13;
  put_into(text, spelling, {{{nullptr, operands[0]}, min_precedence}, {{nullptr, operands[1]}}});
}

void expression_printer::append_array_pointer(text_buffer& text, std::uint32_t access) {
  const bool with_property =
      spelling_.has_access_properties && kernel_.body.accesses[access].what == access_pattern::kind::read;
  if (with_property) text += "with_property(";
  put(text, "a.p", std::int64_t{access});
  if (with_property) text += is_read_once(kernel_.body, access) ? ", a.read_once)" : ", a.read_again)";
}

void expression_printer::append_instruction(text_buffer& text, std::uint32_t id) {
  const expression_node& at = tree_.expressions[id];
  const auto operands = tree_.expressions.operands_of(id);
  std::array<std::string, 4> texts;
  for (std::size_t i = 0; i < operands.size(); ++i) texts[i] = text_of({nullptr, operands[i]});
  if (at.kind == expression_kind::stored) {
    text += instructions_.stored(at.type.element, texts[0]);
    return;
  }
  const instruction& made = kernel_.body.body[static_cast<std::size_t>(at.value)];
  switch (at.kind) {
    case expression_kind::evaluate:
      text += instructions_.value(made, texts);
      break;
    case expression_kind::evaluate_fast:
      text += instructions_.value_of_fast_path(made, texts);
      break;
    case expression_kind::fast_test:
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

}  // namespace sinter::inline v0::codegen
