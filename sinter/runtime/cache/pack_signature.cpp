#include <sodium.h>

#include <array>

#include <sinter/runtime/cache/pack_signature.hpp>
#include <sinter/runtime/error.hpp>

namespace sinter::inline v0 {
namespace {

using key_bytes = std::array<std::uint8_t, 32>;

static_assert(crypto_sign_PUBLICKEYBYTES == sizeof(key_bytes) && crypto_sign_SEEDBYTES == sizeof(key_bytes));
static_assert(crypto_sign_BYTES == sizeof(runtime::pack_signature));

void require_sodium() {
  static const bool usable = sodium_init() >= 0;  // selects the code for this processor
  if (!usable) throw device_error("libsodium, which signs and checks packs, could not be started");
}

struct expanded_key {
  std::array<std::uint8_t, crypto_sign_SECRETKEYBYTES> bytes{};
  pack_public_key shown;
  explicit expanded_key(const pack_secret_key& kept) {
    require_sodium();
    crypto_sign_seed_keypair(shown.bytes.data(), bytes.data(), kept.bytes.data());
  }
  expanded_key(const expanded_key&) = delete;
  expanded_key& operator=(const expanded_key&) = delete;
  ~expanded_key() { sodium_memzero(bytes.data(), bytes.size()); }
};

const unsigned char* raw(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

}  // namespace

pack_key_pair make_pack_keys() {
  require_sodium();
  pack_key_pair made;
  randombytes_buf(made.kept.bytes.data(), made.kept.bytes.size());
  made.shown = public_key_of(made.kept);
  return made;
}

pack_public_key public_key_of(const pack_secret_key& kept) { return expanded_key(kept).shown; }

namespace runtime {

std::string signature_absence_reason() { return {}; }

// Digits that are not a point of the curve, and weak points such as zero, with which signatures can be
// forged, are no keys.
bool can_verify(const pack_public_key& key) {
  return crypto_core_ed25519_is_valid_point(key.bytes.data()) == 1;
}

pack_signature sign(std::string_view message, const pack_secret_key& by) {
  const expanded_key key(by);
  pack_signature made{};
  crypto_sign_detached(made.data(), nullptr, raw(message), message.size(), key.bytes.data());
  return made;
}

bool is_signature(const pack_signature& signature, std::string_view message, const pack_public_key& by) {
  require_sodium();
  return crypto_sign_verify_detached(signature.data(), raw(message), message.size(), by.bytes.data()) == 0;
}

}  // namespace runtime
}  // namespace sinter::inline v0
