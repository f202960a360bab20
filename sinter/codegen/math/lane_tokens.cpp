#include <sinter/codegen/math/lane_tokens.hpp>

#include <array>
#include <cctype>

namespace sinter::inline v0::codegen {
namespace {

bool begins_name(char letter) {
  return std::isalpha(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

std::string_view next_token(std::string_view text, std::size_t begin) {
  static constexpr std::array<std::string_view, 12> long_signs = {
      "<<=", ">>=", "==", "!=", "<=", ">=", "<<", ">>", "&&", "||", "+=", "-="};
  std::size_t end = begin + 1;
  if (begins_name(text[begin])) {
    // "a.q0", a field, is one name
    while (end < text.size() && (begins_name(text[end]) || is_digit(text[end]) || text[end] == '.')) ++end;
  } else if (is_digit(text[begin])) {
    const auto is_exponent = [&](std::size_t at) {  // which may have a sign
      const char letter = text[at - 1];
      const bool is_hexadecimal = text.substr(begin).starts_with("0x");
      return letter == 'p' || letter == 'P' || (!is_hexadecimal && (letter == 'e' || letter == 'E'));
    };
    while (end < text.size() && (begins_name(text[end]) || is_digit(text[end]) || text[end] == '.' ||
                                 ((text[end] == '-' || text[end] == '+') && is_exponent(end))))
      ++end;
  } else if (text[begin] == '"') {
    end = text.find('"', begin + 1) + 1;
  } else {
    for (const std::string_view sign : long_signs)
      if (text.substr(begin).starts_with(sign)) return text.substr(begin, sign.size());
  }
  return text.substr(begin, end - begin);
}
}  // namespace

std::vector<std::string_view> tokens_of(std::string_view text) {
  std::vector<std::string_view> made;
  for (std::size_t at = 0; at < text.size();) {
    if (std::isspace(static_cast<unsigned char>(text[at])) != 0) {
      ++at;
      continue;
    }
    made.push_back(next_token(text, at));
    at += made.back().size();
  }
  return made;
}

}  // namespace sinter::inline v0::codegen
