#pragma once
// Ed25519 signatures of packs, and the digests that they sign.

#include <sinter/runtime/base/blake2b.hpp>

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sinter::inline v0 {

/// Identifies a signer. Written as 64 hexadecimal digits.
struct pack_public_key {
  std::array<std::uint8_t, 32> bytes{};
  auto operator<=>(const pack_public_key&) const = default;
};
/// A signer's secret, written in the same form; anyone who has it can sign in the signer's name.
struct pack_secret_key {
  std::array<std::uint8_t, 32> bytes{};
};
struct pack_key_pair {
  pack_public_key shown;
  pack_secret_key kept;
};

// A build without libsodium makes no keys, signs nothing, and knows of no signature whether it is right: what
// needs that throws error there, with signature_absence_reason().

/// A new key pair from the system's random number generator.
pack_key_pair make_pack_keys();
pack_public_key public_key_of(const pack_secret_key& kept);

std::string to_string(const pack_public_key& key);
std::string to_string(const pack_secret_key& key);
/// Accepts 64 hexadecimal digits, with optional white space around them; nullopt for anything else, and for
/// digits that cannot be a public key.
std::optional<pack_public_key> parse_pack_public_key(std::string_view text);
std::optional<pack_secret_key> parse_pack_secret_key(std::string_view text);

namespace runtime {

using pack_digest = std::array<std::uint8_t, 32>;
using pack_signature = std::array<std::uint8_t, 64>;

/// Why this build signs no packs and checks no signatures; "" if it does.
std::string signature_absence_reason();
/// Whether signatures can be checked by these bytes.
bool can_verify(const pack_public_key& key);

inline pack_digest digest_of(std::string_view bytes) { return blake2b_256(bytes); }
pack_signature sign(std::string_view message, const pack_secret_key& by);
bool is_signature(const pack_signature& signature, std::string_view message, const pack_public_key& by);

}  // namespace runtime
}  // namespace sinter::inline v0
