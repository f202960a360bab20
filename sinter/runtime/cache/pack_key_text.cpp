// Keys of packs as text.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include <sinter/runtime/cache/pack_signature.hpp>

namespace sinter::inline v0 {
namespace {

using key_bytes = std::array<std::uint8_t, 32>;

std::string hexadecimal(const key_bytes& bytes) { return fmt::format("{:02x}", fmt::join(bytes, "")); }

/// Exactly as many digits as a key has. White space around them is accepted, because files end with a
/// newline.
bool parse(std::string_view text, key_bytes& to) {
  constexpr std::string_view spaces = " \t\r\n";
  text.remove_prefix(std::min(text.find_first_not_of(spaces), text.size()));
  text = text.substr(0, text.find_last_not_of(spaces) + 1);
  if (text.size() != 2 * to.size()) return false;
  const char* digits = text.data();
  for (std::uint8_t& byte : to) {
    const auto [end, error] = std::from_chars(digits, digits + 2, byte, 16);
    if (error != std::errc() || end != digits + 2) return false;
    digits += 2;
  }
  return true;
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
