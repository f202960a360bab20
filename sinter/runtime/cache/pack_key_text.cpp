// Keys of packs as text.

#include <algorithm>
#include <string_view>

#include <sinter/runtime/cache/pack_signature.hpp>

namespace sinter::inline v0 {
namespace {

using key_bytes = std::array<std::uint8_t, 32>;

// Keys may be secret: no branch and no address depends on their bytes, whose time would tell of them.

/// 1 where a < b, for numbers below 2^31.
constexpr std::uint32_t is_less(std::uint32_t a, std::uint32_t b) { return (a - b) >> 31; }

/// The digit of a number below 16: from '9' to 'a' are 39 more.
constexpr char digit_of(std::uint32_t number) {
  return static_cast<char>('0' + number + 39 * is_less(9, number));
}

/// The number that a digit stands for, 16 for what is no digit.
constexpr std::uint32_t number_of(char digit) {
  const std::uint32_t byte = static_cast<unsigned char>(digit), lower = byte | 0x20;
  const std::uint32_t is_decimal = is_less('0' - 1, byte) & is_less(byte, '9' + 1);
  const std::uint32_t is_letter = is_less('a' - 1, lower) & is_less(lower, 'f' + 1);
  return is_decimal * (byte - '0') + is_letter * (lower - 'a' + 10) + 16 * (1 - is_decimal - is_letter);
}

std::string hexadecimal(const key_bytes& bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  for (const std::uint8_t byte : bytes) {
    text += digit_of(byte >> 4);
    text += digit_of(byte & 15);
  }
  return text;
}

/// Exactly as many digits as a key has. White space around them is accepted, because files end with a
/// newline.
bool parse(std::string_view text, key_bytes& to) {
  constexpr std::string_view spaces = " \t\r\n";
  text.remove_prefix(std::min(text.find_first_not_of(spaces), text.size()));
  text = text.substr(0, text.find_last_not_of(spaces) + 1);
  if (text.size() != 2 * to.size()) return false;
  std::uint32_t all = 0;
  for (std::size_t i = 0; i < to.size(); ++i) {
    const std::uint32_t high = number_of(text[2 * i]), low = number_of(text[2 * i + 1]);
    all |= high | low;
    to[i] = static_cast<std::uint8_t>(high << 4 | (low & 15));
  }
  return all < 16;
}

}  // namespace

std::string to_string(const pack_public_key& key) { return hexadecimal(key.bytes); }
std::string to_string(const pack_secret_key& key) { return hexadecimal(key.bytes); }

std::optional<pack_public_key> parse_pack_public_key(std::string_view text) {
  pack_public_key made;
  return parse(text, made.bytes) && runtime::can_verify(made) ? std::optional(made) : std::nullopt;
}

std::optional<pack_secret_key> parse_pack_secret_key(std::string_view text) {
  pack_secret_key made;
  return parse(text, made.bytes) ? std::optional(made) : std::nullopt;
}

}  // namespace sinter::inline v0
