// Keys as text: exactly hexadecimal digits, of either case, and nothing beside them in ASCII.

#include <doctest/doctest.h>

#include <sinter/runtime/cache/pack_signature.hpp>

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace sinter::test {

TEST_CASE("each byte of a key is two lower-case digits, which are read back") {
  for (int byte = 0; byte < 256; ++byte) {
    CAPTURE(byte);
    pack_secret_key key;
    key.bytes[31] = static_cast<std::uint8_t>(byte);
    const std::string text = to_string(key);
    CHECK(text == std::string(62, '0') + fmt::format("{:02x}", byte));
    CHECK(parse_pack_secret_key(text)->bytes == key.bytes);
    const auto upper = parse_pack_secret_key(std::string(62, '0') + fmt::format("{:02X}", byte));
    REQUIRE(upper.has_value());
    CHECK(upper->bytes == key.bytes);
  }
}

TEST_CASE("a key has no characters but digits, at either place of a byte") {
  constexpr std::string_view digits = "0123456789abcdefABCDEF";
  for (int code = 0; code < 256; ++code) {
    CAPTURE(code);
    const auto character = static_cast<char>(code);
    for (const std::size_t place : {30, 31}) {
      std::string text(64, '1');
      text[place] = character;
      CHECK(parse_pack_secret_key(text).has_value() == (digits.find(character) != digits.npos));
    }
  }
}

}  // namespace sinter::test
