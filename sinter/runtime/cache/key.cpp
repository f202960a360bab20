#define XXH_INLINE_ALL
#include <xxhash.h>

#include <array>
#include <cstring>

#include <sinter/runtime/cache/key.hpp>

namespace sinter::runtime {
namespace {

constexpr std::size_t version_bytes = 8;  // at the beginning of a signature
constexpr std::size_t digits_of_identity = 16, digits_of_key = 48;

void append_part(std::string& to, std::string_view part) {
  const auto size = static_cast<std::uint32_t>(part.size());
  to.append(reinterpret_cast<const char*>(&size), sizeof size);
  to += part;
}

bool take_part(std::string_view& from, std::string_view& part) {
  std::uint32_t size = 0;
  if (from.size() < sizeof size) return false;
  std::memcpy(&size, from.data(), sizeof size);
  from.remove_prefix(sizeof size);
  if (from.size() < size) return false;
  part = from.substr(0, size);
  from.remove_prefix(size);
  return true;
}

void append_hexadecimal(std::string& to, std::uint64_t value) {
  for (int shift = 60; shift >= 0; shift -= 4) to += "0123456789abcdef"[value >> shift & 15];
}

bool take_hexadecimal(std::string_view digits, std::uint64_t& value) {
  value = 0;
  for (const char digit : digits) {
    if (digit >= '0' && digit <= '9')
      value = value << 4 | static_cast<std::uint64_t>(digit - '0');
    else if (digit >= 'a' && digit <= 'f')
      value = value << 4 | static_cast<std::uint64_t>(digit - 'a' + 10);
    else
      return false;
  }
  return true;
}

}  // namespace

std::string key_content(const key_parts& parts) {
  std::string content;
  content.reserve(parts.signature.size() + parts.target.size() + parts.options.size() + parts.linked.size() +
                  16);
  for (const std::string_view part : {parts.signature, parts.target, parts.options, parts.linked})
    append_part(content, part);
  return content;
}

std::optional<key_parts> parts_of(std::string_view content) {
  key_parts parts;
  for (std::string_view* part : {&parts.signature, &parts.target, &parts.options, &parts.linked})
    if (!take_part(content, *part)) return std::nullopt;
  if (!content.empty() || parts.signature.size() < version_bytes) return std::nullopt;
  return parts;
}

cache_key key_of(std::string_view content) {
  cache_key key;
  const XXH128_hash_t hash = XXH3_128bits(content.data(), content.size());
  key.high = hash.high64;
  key.low = hash.low64;
  if (const std::optional<key_parts> parts = parts_of(content)) {
    const std::uint64_t target = XXH3_64bits(parts->target.data(), parts->target.size());
    key.identity = XXH3_64bits_withSeed(parts->signature.data() + version_bytes,
                                        parts->signature.size() - version_bytes, target);
  }
  return key;
}

std::string to_string(const cache_key& key) {
  std::string name;
  name.reserve(digits_of_key + 1);
  append_hexadecimal(name, key.identity);
  name += '-';
  append_hexadecimal(name, key.high);
  append_hexadecimal(name, key.low);
  return name;
}

std::optional<cache_key> parse_key(std::string_view name) {
  cache_key key;
  if (name.size() != digits_of_key + 1 || name[digits_of_identity] != '-' ||
      !take_hexadecimal(name.substr(0, digits_of_identity), key.identity) ||
      !take_hexadecimal(name.substr(digits_of_identity + 1, 16), key.high) ||
      !take_hexadecimal(name.substr(digits_of_identity + 17), key.low))
    return std::nullopt;
  return key;
}

}  // namespace sinter::runtime
