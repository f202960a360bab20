#include <sinter/dsl/half.hpp>
#include <sinter/dsl/printing/element_texts.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

namespace sinter::inline v0::detail {

namespace {

/// NumPy's default number of digits after the point.
constexpr std::size_t max_digits = 8;

template <class T>
T read(const std::byte* from) {
  T element;
  std::memcpy(&element, from, sizeof element);
  return element;
}

template <class Number, class... Format>
std::string text_of(Number number, Format... format) {
  char text[400];  // the largest double has 309 digits
  return {text, std::to_chars(text, text + sizeof text, number, format...).ptr};
}
double number_in(const std::string& text) {
  double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// An element as it is, and the decimal number that stands for it.
struct element_number {
  double exact = 0, decimal = 0;
};

/// The decimal number with the fewest digits that rounds to this element.
template <class Half>
double shortest_half(Half element) {
  const double exact = static_cast<float>(element);
  for (int digits = 0; std::isfinite(exact) && digits < 9; ++digits) {
    const double shorter = number_in(text_of(std::fabs(exact), std::chars_format::scientific, digits));
    if (Half(std::copysign(shorter, exact)).bits() == element.bits()) return std::copysign(shorter, exact);
  }
  return exact;
}
element_number number_at(element_type type, const std::byte* from) {
  if (type == element_type::float16) return {read<float16>(from), shortest_half(read<float16>(from))};
  if (type == element_type::bfloat16) return {read<bfloat16>(from), shortest_half(read<bfloat16>(from))};
  if (type == element_type::float64) return {read<double>(from), read<double>(from)};
  const auto number = read<float>(from);
  return {number, std::isfinite(number) ? number_in(text_of(number)) : static_cast<double>(number)};
}

/// A number's text in parts, which are aligned with those of other numbers.
struct number_parts {
  std::string whole;     ///< before the point, with the sign
  std::string fraction;  ///< after it
  std::string exponent;  ///< from the `e` on
  bool finite = true;
};

std::string sign_of(double number, bool with_plus) {
  if (std::signbit(number) && !std::isnan(number)) return "-";
  return with_plus ? "+" : "";
}

number_parts split(const std::string& sign, const std::string& text) {
  const std::size_t end = std::min(text.find('e'), text.size()), point = std::min(text.find('.'), end);
  const std::size_t fraction = std::min(point + 1, end);
  return {sign + text.substr(0, point), text.substr(fraction, end - fraction), text.substr(end)};
}

number_parts parts_of(double number, bool scientific, bool with_plus) {
  const std::string sign = sign_of(number, with_plus);
  if (!std::isfinite(number)) return {sign + (std::isnan(number) ? "nan" : "inf"), "", "", false};
  const std::chars_format format = scientific ? std::chars_format::scientific : std::chars_format::fixed;
  number_parts parts = split(sign, text_of(std::fabs(number), format));
  if (parts.fraction.size() > max_digits) {
    parts = split(sign, text_of(std::fabs(number), format, static_cast<int>(max_digits)));
    parts.fraction.erase(parts.fraction.find_last_not_of('0') + 1);
  }
  return parts;
}

/// NumPy's rule: where fixed digits would hide small numbers beside large ones.
bool needs_exponents(std::span<const element_number> numbers) {
  double least = INFINITY, greatest = 0;
  for (const auto& [number, decimal] : numbers) {
    if (!std::isfinite(number) || number == 0) continue;
    least = std::min(least, std::fabs(number));
    greatest = std::max(greatest, std::fabs(number));
  }
  return greatest != 0 && (greatest >= 1e8 || least < 1e-4 || greatest / least > 1000);
}

/// Aligns the points of all numbers.
std::vector<std::string> aligned(std::span<const number_parts> all) {
  std::size_t whole = 0, behind = 0, unbounded = 0;
  for (const number_parts& parts : all) {
    std::size_t& length = parts.finite ? whole : unbounded;
    length = std::max(length, parts.whole.size());
    if (parts.finite) behind = std::max(behind, 1 + parts.fraction.size() + parts.exponent.size());
  }
  const std::size_t width = std::max(whole + behind, unbounded);
  std::vector<std::string> texts;
  for (const number_parts& parts : all) {
    std::string text = parts.whole;
    if (parts.finite) {
      text += '.' + parts.fraction + parts.exponent;
      text.append(behind - (text.size() - parts.whole.size()), ' ');
    }
    texts.push_back(std::string(width - text.size(), ' ') + text);
  }
  return texts;
}

std::vector<std::string> texts_of_numbers(std::span<const element_number> numbers, bool with_plus) {
  const bool scientific = needs_exponents(numbers);
  std::vector<number_parts> all;
  std::size_t fraction = 0, exponent = 0;
  for (const element_number& number : numbers) {
    const number_parts& parts = all.emplace_back(parts_of(number.decimal, scientific, with_plus));
    fraction = std::max(fraction, parts.fraction.size());
    exponent = std::max(exponent, parts.exponent.size());
  }
  for (std::size_t i = 0; scientific && i != all.size(); ++i) {
    number_parts& parts = all[i];
    if (!parts.finite) continue;
    // As many digits as the longest has, of the element itself
    if (parts.fraction.size() < fraction)
      parts = split(
          sign_of(numbers[i].exact, with_plus),
          text_of(std::fabs(numbers[i].exact), std::chars_format::scientific, static_cast<int>(fraction)));
    if (parts.exponent.size() < exponent) parts.exponent.insert(2, exponent - parts.exponent.size(), '0');
  }
  return aligned(all);
}

std::string text_of_integer(element_type type, const std::byte* from) {
  switch (type) {
    case element_type::boolean:
      return read<unsigned char>(from) != 0 ? "True" : "False";
    case element_type::int8:
      return std::to_string(read<std::int8_t>(from));
    case element_type::int16:
      return std::to_string(read<std::int16_t>(from));
    case element_type::int32:
      return std::to_string(read<std::int32_t>(from));
    case element_type::int64:
      return std::to_string(read<std::int64_t>(from));
    case element_type::uint8:
      return std::to_string(read<std::uint8_t>(from));
    case element_type::uint16:
      return std::to_string(read<std::uint16_t>(from));
    case element_type::uint32:
      return std::to_string(read<std::uint32_t>(from));
    default:
      return std::to_string(read<std::uint64_t>(from));
  }
}

/// The letter of imaginary numbers stands before the spaces that align.
std::string imaginary(std::string text) {
  text.insert(text.find_last_not_of(' ') + 1, "j");
  return text;
}

std::string lone_number(double number) {
  const double size = std::fabs(number);
  const bool scientific = std::isfinite(number) && size != 0 && (size < 1e-4 || size >= 1e16);
  std::string text = text_of(number, scientific ? std::chars_format::scientific : std::chars_format::fixed);
  if (std::isfinite(number) && !scientific && text.find('.') == std::string::npos) text += ".0";
  return std::isnan(number) ? "nan" : text;
}

}  // namespace

std::vector<std::string> element_texts(element_type type, std::span<const std::byte> elements) {
  const std::size_t size = size_of(type);
  const element_kind kind = facts_of(type).kind;
  std::vector<std::string> texts;
  if (kind == element_kind::floating || kind == element_kind::complex) {
    const element_type part = kind == element_kind::complex ? component_of(type) : type;
    std::vector<element_number> real, imaginary_parts;
    for (std::size_t at = 0; at != elements.size(); at += size) {
      real.push_back(number_at(part, elements.data() + at));
      if (kind == element_kind::complex)
        imaginary_parts.push_back(number_at(part, elements.data() + at + size / 2));
    }
    texts = texts_of_numbers(real, false);
    const std::vector<std::string> others = texts_of_numbers(imaginary_parts, true);
    for (std::size_t i = 0; i != others.size(); ++i) texts[i] += imaginary(others[i]);
    return texts;
  }
  std::size_t width = 0;
  for (std::size_t at = 0; at != elements.size(); at += size) {
    texts.push_back(text_of_integer(type, elements.data() + at));
    width = std::max(width, texts.back().size());
  }
  if (kind == element_kind::boolean) width = std::string_view("False").size();
  for (std::string& text : texts) text.insert(0, width - text.size(), ' ');
  return texts;
}

std::string lone_text(element_type type, const std::byte* element) {
  const element_kind kind = facts_of(type).kind;
  if (kind == element_kind::floating) return lone_number(number_at(type, element).decimal);
  if (kind != element_kind::complex) return text_of_integer(type, element);
  const element_type part = component_of(type);
  const double real = number_at(part, element).decimal,
               other = number_at(part, element + size_of(part)).decimal;
  const auto short_text = [](double number) {
    std::string text = lone_number(number);
    return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
  };
  return '(' + short_text(real) + (std::signbit(other) && !std::isnan(other) ? "" : "+") + short_text(other) +
         "j)";
}

}  // namespace sinter::inline v0::detail
