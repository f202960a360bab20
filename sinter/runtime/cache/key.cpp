#include <fmt/format.h>

#include <charconv>
#include <utility>

#include <sinter/codegen/base/bytes.hpp>
#include <sinter/runtime/base/checksum.hpp>
#include <sinter/runtime/cache/key.hpp>

namespace sinter::inline v0::runtime {
namespace {

constexpr std::size_t version_bytes = sizeof(std::uint64_t);  // at the start of a signature
constexpr std::size_t word_digits = 16, name_digits = 3 * word_digits + 1;

}  // namespace

std::string key_content(const key_parts& parts) {
  byte_writer content;
  content.bytes.reserve(parts.signature.size() + parts.target.size() + parts.options.size() +
                        parts.linked.size() + 16);
  for (const std::string_view part : {parts.signature, parts.target, parts.options, parts.linked})
    content.put_text(part);
  return std::move(content.bytes);
}

std::optional<key_parts> parts_of(std::string_view content) {
  byte_reader from(content);
  key_parts parts;
  for (std::string_view* part : {&parts.signature, &parts.target, &parts.options, &parts.linked})
    *part = from.take_text();
  if (!from.good() || !from.at_end() || parts.signature.size() < version_bytes) return std::nullopt;
  return parts;
}

std::uint64_t emitter_of(const key_parts& parts) {
  return byte_reader(parts.signature).take<std::uint64_t>();
}

cache_key key_of(std::string_view content) {
  cache_key key;
  const content_hash hash = hash_of_content(content);
  key.high = hash.high;
  key.low = hash.low;
  if (const std::optional<key_parts> parts = parts_of(content))
    key.identity =
        short_hash_of_content(parts->signature.substr(version_bytes), short_hash_of_content(parts->target));
  return key;
}

std::string to_string(const cache_key& key) {
  return fmt::format("{:016x}-{:016x}{:016x}", key.identity, key.high, key.low);
}

std::optional<cache_key> parse_key(std::string_view name) {
  cache_key key;
  if (name.size() != name_digits) return std::nullopt;
  const auto take = [&](std::size_t at, std::uint64_t& word) {
    std::from_chars(name.data() + at, name.data() + at + word_digits, word, 16);
  };
  take(0, key.identity);
  take(word_digits + 1, key.high);
  take(2 * word_digits + 1, key.low);
  // other digits, or another spelling of the same ones, are not a name
  return to_string(key) == name ? std::optional(key) : std::nullopt;
}

}  // namespace sinter::inline v0::runtime
