#pragma once
// Who made a pack: Ed25519 signatures, and the digests that they stand for.

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sinter {

/// Tells a signer to others. Written as 64 hexadecimal digits.
struct pack_public_key {
  std::array<std::uint8_t, 32> bytes{};
  auto operator<=>(const pack_public_key&) const = default;
};
/// What a signer keeps. Written likewise; whoever has it signs as them.
struct pack_secret_key {
  std::array<std::uint8_t, 32> bytes{};
};
struct pack_key_pair {
  pack_public_key shown;
  pack_secret_key kept;
};

/// A new pair, from the system's source of random numbers.
pack_key_pair make_pack_keys();
pack_public_key public_key_of(const pack_secret_key& kept);

std::string to_string(const pack_public_key& key);
std::string to_string(const pack_secret_key& key);
/// nullopt of anything but 64 hexadecimal digits, around which there may be spaces; and of digits that cannot
/// be the public key of anybody.
std::optional<pack_public_key> parse_pack_public_key(std::string_view text);
std::optional<pack_secret_key> parse_pack_secret_key(std::string_view text);

namespace runtime {

using pack_digest = std::array<std::uint8_t, 32>;
using pack_signature = std::array<std::uint8_t, 64>;

/// BLAKE2b-256.
pack_digest digest_of(std::string_view bytes);
pack_signature sign(std::string_view message, const pack_secret_key& by);
bool is_signature(const pack_signature& signature, std::string_view message, const pack_public_key& by);

}  // namespace runtime
}  // namespace sinter
