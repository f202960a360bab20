#include <sinter/codegen/math/lane_parser.hpp>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace sinter::inline v0::codegen {
namespace {

constexpr lane_type int_type{'i', 4}, bool_type{'b', 1};

lane_type promoted(lane_type type) {
  return type.kind == 'b' || (type.kind != 'f' && type.bytes < 4) ? int_type : type;
}
/// The type in which C++ computes with two.
lane_type common_type(lane_type a, lane_type b) {
  if (a.kind == 'f' || b.kind == 'f')
    return {'f', std::max<std::uint8_t>({4, a.kind == 'f' ? a.bytes : std::uint8_t{4},
                                         b.kind == 'f' ? b.bytes : std::uint8_t{4}})};
  a = promoted(a), b = promoted(b);
  if (a.bytes != b.bytes) return a.bytes > b.bytes ? a : b;
  return a.kind == 'u' ? a : b;
}

lane_type literal_type(std::string_view number) {
  const bool is_hexadecimal = number.starts_with("0x");
  const bool is_real = number.find('.') != std::string_view::npos ||
                       number.find('p') != std::string_view::npos ||
                       (!is_hexadecimal && number.find('e') != std::string_view::npos);
  if (is_real) return {'f', static_cast<std::uint8_t>(number.ends_with('f') ? 4 : 8)};
  const bool is_long =
      number.find("ll") != std::string_view::npos || number.find("LL") != std::string_view::npos;
  const bool is_unsigned =
      number.find('u') != std::string_view::npos || number.find('U') != std::string_view::npos;
  return {is_unsigned ? 'u' : 'i', static_cast<std::uint8_t>(is_long ? 8 : 4)};
}

/// A binary operator: those of a higher rank bind more tightly.
struct sign_rank {
  std::string_view sign;
  int rank;
};
constexpr std::array<sign_rank, 18> signs{{{"||", 1},
                                           {"&&", 2},
                                           {"|", 3},
                                           {"^", 4},
                                           {"&", 5},
                                           {"==", 6},
                                           {"!=", 6},
                                           {"<", 7},
                                           {"<=", 7},
                                           {">", 7},
                                           {">=", 7},
                                           {"<<", 8},
                                           {">>", 8},
                                           {"+", 9},
                                           {"-", 9},
                                           {"*", 10},
                                           {"/", 10},
                                           {"%", 10}}};

}  // namespace

std::string lane_parser::body(const lane_translator::signature& types) {
  std::string text;
  while (!at_end() && peek() != "}") text += "  " + statement(types) + "\n";
  return text;
}

bool lane_parser::take_if(std::string_view sign) {
  if (peek() != sign) return false;
  ++at_;
  return true;
}

bool lane_parser::take_type(lane_type& type) {
  static constexpr std::array<std::string_view, 10> words = {
      "unsigned", "signed", "long", "int", "short", "char", "float", "double", "bool", "_Float16"};
  std::string spelling;
  while (std::ranges::find(words, peek()) != words.end())
    spelling.append(spelling.empty() ? "" : " ").append(take());
  if (spelling.empty()) return false;
  type = lane_type_of(spelling);
  return true;
}

std::string lane_parser::statement(const lane_translator::signature& types) {
  if (peek() == "static") return table();
  if (take_if("return")) {
    const lane_value value = expression();
    take_if(";");
    return "return " + to_.vector_of(value, types.result) + ";";
  }
  const bool is_constant = take_if("const");
  if (lane_type type; take_type(type)) return declaration(type, is_constant);
  return assignment();
}

std::string lane_parser::table() {
  std::string text;
  lane_type type;
  take(), take();  // static const
  take_type(type);
  const std::string name(take());
  text = "static const " + std::string(spelling_of(type)) + " " + name;
  while (peek() != ";") text += std::string(take());
  take();
  to_.declare(name, {name, type, false});
  return text + ";";
}

std::string lane_parser::declaration(lane_type type, bool is_constant) {
  std::string text;
  do {
    const std::string name(take());
    if (!take_if("=")) {
      text += (text.empty() ? "" : " ") + to_.use_type(type) + " " + name + ";";
      to_.declare(name, {name, type, true});
      continue;
    }
    const lane_value value = expression();
    lane_type declared = type;
    if (type.kind == 'b' && value.is_vector && value.type.kind == 'b') declared = value.type;
    text += (text.empty() ? "" : " ") + std::string(is_constant ? "const " : "") + to_.use_type(declared) +
            " " + name + " = " + to_.vector_of(value, declared) + ";";
    to_.declare(name, {name, declared, true});
  } while (take_if(","));
  take_if(";");
  return text;
}

std::string lane_parser::assignment() {
  if (peek(1) == "(") {  // a call for its references
    std::string text = primary().text;
    take_if(";");
    return text + ";";
  }
  const std::string name(take());
  const lane_value target = to_.names_.at(name);
  const token sign = take();
  lane_value value = expression();
  if (sign != "=") value = binary(sign.substr(0, sign.size() - 1), target, value);
  take_if(";");
  return name + " = " + to_.vector_of(value, target.type) + ";";
}

lane_value lane_parser::choice() {
  lane_value condition = operation(1);
  if (!take_if("?")) return condition;
  const lane_value yes = choice();
  take_if(":");
  const lane_value no = choice();
  const lane_type type = yes.type == no.type ? yes.type : common_type(yes.type, no.type);
  if (!condition.is_vector && !yes.is_vector && !no.is_vector)
    return {"(" + condition.text + " ? " + yes.text + " : " + no.text + ")", type, false};
  if (yes.type.kind == 'b' && no.type.kind == 'b') {
    const lane_type mask{'b', std::max(yes.type.bytes, no.type.bytes)};
    const std::string chosen = to_.vector_of(condition, mask);
    return {"((" + chosen + " & " + to_.vector_of(yes, mask) + ") | (~" + chosen + " & " +
                to_.vector_of(no, mask) + "))",
            mask, true};
  }
  return {"(" + to_.vector_of(condition, {'b', type.bytes}) + " ? " + to_.vector_of(yes, type) + " : " +
              to_.vector_of(no, type) + ")",
          type, true};
}

int lane_parser::rank_of(token sign) {
  const auto found = std::ranges::find(signs, sign, &sign_rank::sign);
  return found == signs.end() ? 0 : found->rank;
}

lane_value lane_parser::operation(int min_rank) {
  lane_value left = unary();
  for (int rank = rank_of(peek()); rank >= min_rank && rank != 0; rank = rank_of(peek())) {
    const token sign = take();
    left = binary(sign, left, operation(rank + 1));
  }
  return left;
}

lane_value lane_parser::binary(token sign, const lane_value& a, const lane_value& b) {
  const int rank = rank_of(sign);
  const bool compares = rank == 6 || rank == 7, combines = rank <= 5, shifts = rank == 8;
  const bool are_masks = a.type.kind == 'b' && b.type.kind == 'b';
  const std::string spelled = " " + std::string(sign) + " ";
  if (!a.is_vector && !b.is_vector) {
    const lane_type type = compares || rank <= 2 ? bool_type
                           : shifts              ? promoted(a.type)
                                                 : common_type(a.type, b.type);
    return {"(" + a.text + spelled + b.text + ")", type, false};
  }
  if (are_masks && (combines || rank == 6)) {  // others order 0 and 1
    const lane_type mask{'b', std::max(a.is_vector ? a.type.bytes : std::uint8_t{1},
                                       b.is_vector ? b.type.bytes : std::uint8_t{1})};
    const std::string single = rank <= 2 ? " " + std::string(sign.substr(1)) + " " : spelled;
    const std::string text = "(" + to_.vector_of(a, mask) + single + to_.vector_of(b, mask) + ")";
    return compares ? to_.mask_of(text, mask.bytes) : lane_value{text, mask, true};
  }
  if (rank <= 2)  // of numbers
    return binary(sign, {to_.vector_of(a, bool_type), bool_type, true},
                  {to_.vector_of(b, bool_type), bool_type, true});
  const lane_type type = shifts ? promoted(a.type) : common_type(a.type, b.type);
  std::string text = "(" + to_.vector_of(a, type) + spelled + to_.vector_of(b, type) + ")";
  return compares ? to_.mask_of(text, type.bytes) : lane_value{std::move(text), type, true};
}

lane_value lane_parser::unary() {
  if (peek() == "-" || peek() == "~" || peek() == "!" || peek() == "+") {
    const std::string sign(take());
    const lane_value value = unary();
    if (sign == "!") {
      if (!value.is_vector) return {"!" + value.text, bool_type, false};
      if (value.type.kind == 'b') return {"~" + value.text, value.type, true};
      return to_.mask_of("(" + value.text + " == 0)", value.type.bytes);
    }
    const lane_type type = promoted(value.type);
    if (!value.is_vector) return {"(" + sign + value.text + ")", type, false};
    return {"(" + sign + to_.vector_of(value, type) + ")", type, true};
  }
  if (peek() == "(") {
    const std::size_t before = at_;
    take();
    lane_type type;
    if (take_type(type) && take_if(")")) {
      lane_value value = unary();
      if (!value.is_vector) return {"(" + std::string(spelling_of(type)) + ")" + value.text, type, false};
      if (type.kind == 'b' && value.type.kind == 'b') return value;
      return {to_.vector_of(value, type), type, true};
    }
    at_ = before;
  }
  return primary();
}

lane_value lane_parser::primary() {
  if (take_if("(")) {
    lane_value inner = choice();
    take_if(")");
    return inner;
  }
  const token first = take();
  if (is_digit(first[0])) return {std::string(first), literal_type(first), false};
  if (first == "true" || first == "false") return {std::string(first), bool_type, false};
  if (peek() == "(") return call(first);
  const auto found = to_.names_.find(first);
  if (found == to_.names_.end()) throw std::logic_error("lanes: nothing is called " + std::string(first));
  lane_value value = found->second;
  return peek() == "[" ? looked_up(value) : value;
}

lane_value lane_parser::looked_up(const lane_value& table) {
  take();
  const lane_value index = choice();
  take_if("]");
  return {"({ const " + to_.use_type(int_type) + " at = " + to_.vector_of(index, int_type) + "; " +
              to_.use_type(table.type) + " all; for (int e = 0; e < " + to_.lanes_ +
              "; ++e) all[e] = " + table.text + "[at[e]]; all; })",
          table.type, true};
}

std::vector<lane_value> lane_parser::arguments() {
  std::vector<lane_value> all;
  take_if("(");
  while (!take_if(")")) {
    all.push_back(choice());
    take_if(",");
  }
  return all;
}

lane_value lane_parser::call(token name) {
  constexpr std::string_view builtin = "__builtin_";
  if (name == "__builtin_bit_cast") return bit_cast();
  if (name.starts_with("__builtin_inf") || name.starts_with("__builtin_nan")) {
    std::string text(name);
    while (peek() != ")") text += take();
    text += take();
    return {text,
            {'f', static_cast<std::uint8_t>(name.ends_with('f') && name != "__builtin_inf" ? 4 : 8)},
            false};
  }
  if (name.starts_with(builtin)) return builtin_call(name.substr(builtin.size()));
  const device_function* function = find_device_function(name, text_target::cpu, to_.mode_);
  if (function == nullptr) return scalar_call(name);
  const lane_translator::signature types = to_.signature_of(*function);
  const std::vector<lane_value> given = arguments();
  std::string text = to_.use_function(*function, types) + "(";
  for (std::size_t i = 0; i < given.size(); ++i)
    text += (i == 0 ? "" : ", ") + (types.parameters[i].is_reference
                                        ? given[i].text
                                        : to_.vector_of(given[i], types.parameters[i].type));
  return {text + ")", types.result, true};
}

lane_value lane_parser::scalar_call(token name) {
  std::string text(name);
  int depth = 0;
  do {
    depth += peek() == "(" ? 1 : peek() == ")" ? -1 : 0;
    text += take();
  } while (depth != 0);
  return {text, {'f', static_cast<std::uint8_t>(name.starts_with("float") ? 4 : 8)}, false};
}

lane_value lane_parser::bit_cast() {
  take_if("(");
  lane_type type;
  take_type(type);
  take_if(",");
  const lane_value value = choice();
  take_if(")");
  if (!value.is_vector)
    return {"__builtin_bit_cast(" + std::string(spelling_of(type)) + ", " + value.text + ")", type, false};
  return {"__builtin_bit_cast(" + to_.use_type(type) + ", " + value.text + ")", type, true};
}

lane_value lane_parser::builtin_call(std::string_view kind) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 8> vectors{
      {{"fabs", "abs"},
       {"fma", "fma"},
       {"sqrt", "sqrt"},
       {"rint", "rint"},
       {"floor", "floor"},
       {"ceil", "ceil"},
       {"trunc", "trunc"},
       {"copysign", "copysign"}}};
  auto found = std::ranges::find(vectors, kind, &std::pair<std::string_view, std::string_view>::first);
  const bool is_float = found == vectors.end();
  if (is_float)
    found = std::ranges::find(vectors, kind.substr(0, kind.size() - 1),
                              &std::pair<std::string_view, std::string_view>::first);
  if (found == vectors.end()) throw std::logic_error("lanes: no builtin " + std::string(kind));
  const lane_type type{'f', static_cast<std::uint8_t>(is_float ? 4 : 8)};
  std::string text = "__builtin_elementwise_" + std::string(found->second) + "(";
  const std::vector<lane_value> given = arguments();
  for (std::size_t i = 0; i < given.size(); ++i) text += (i == 0 ? "" : ", ") + to_.vector_of(given[i], type);
  return {text + ")", type, true};
}

}  // namespace sinter::inline v0::codegen
