#include <sinter/codegen/print/text/literal_text.hpp>
#include <sinter/codegen/types/narrow_float.hpp>

#include <bit>
#include <charconv>
#include <cmath>

namespace sinter::inline v0::codegen {
namespace {

std::string number(std::uint64_t value) { return std::to_string(value); }

/// "2.5f" and the like: the shortest text that reads back as the same bits; infinities and NaN by their bits.
template <typename T>
std::string floating_literal(T value, std::string_view suffix, std::string_view from_bits,
                             std::uint64_t bits) {
  if (!std::isfinite(value))
    return std::string(from_bits) + "(" + number(bits) + (sizeof(T) == 8 ? "ull)" : "u)");
  char digits[64];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  std::string text(digits, end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  text += suffix;
  return std::signbit(value) ? "(" + text + ")" : text;
}

}  // namespace

std::string literal_text(element_type type, std::uint64_t bits) {
  if (is_storage_only(type)) {  // its values are float32 in a kernel
    bits = detail::widened(detail::format_of(type), static_cast<std::uint32_t>(bits));
    type = element_type::float32;
  }
  const auto signed_bits = static_cast<std::int64_t>(bits);
  switch (type) {
    case element_type::boolean:
      return (bits & 1) != 0 ? "true" : "false";
    case element_type::float32: {
      const auto narrow = static_cast<std::uint32_t>(bits);
      return floating_literal(std::bit_cast<float>(narrow), "f", "float_from_bits", narrow);
    }
    case element_type::float64:
      return floating_literal(std::bit_cast<double>(bits), "", "double_from_bits", bits);
    case element_type::int64:
      if (signed_bits == INT64_MIN) return "(-9223372036854775807ll - 1)";
      return "(" + std::to_string(signed_bits) + "ll)";
    case element_type::uint64:
      return number(bits) + "ull";
    default:
      break;
  }
  const std::string spelling(facts_of(type).spelling);
  switch (size_of(type)) {
    case 1:
      return "(" + spelling + ")" +
             (is_integer(type) && kind_of(type) == element_kind::signed_integer
                  ? "(" + std::to_string(static_cast<std::int8_t>(bits)) + ")"
                  : number(bits & 0xff));
    case 2:
      return "(" + spelling + ")" +
             (kind_of(type) == element_kind::signed_integer
                  ? "(" + std::to_string(static_cast<std::int16_t>(bits)) + ")"
                  : number(bits & 0xffff));
    default:
      if (kind_of(type) == element_kind::unsigned_integer) return number(bits & 0xffffffff) + "u";
      if (static_cast<std::int32_t>(bits) == INT32_MIN) return "(-2147483647 - 1)";
      return "(" + std::to_string(static_cast<std::int32_t>(bits)) + ")";
  }
}

}  // namespace sinter::inline v0::codegen
