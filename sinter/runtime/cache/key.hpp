#pragma once
// The name under which a compiled kernel is stored, which depends on content only.

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sinter::inline v0::runtime {

/// Everything that a compiled kernel depends on. Paths, user names and times are not part of it.
struct key_parts {
  /// The signature of a stage (sinter/codegen/lowering.hpp): graph, layouts, mode, schedule and, in its first
  /// eight bytes, the emitter's version.
  std::string_view signature;
  std::string_view target;   ///< the compile target: "cuda 90", or a processor's features
  std::string_view options;  ///< of the compiler
  std::string_view linked;   ///< hashes of the linked code, "" for none
};

/// The parts as one string. An entry stores it whole, so that hash collisions are detected.
std::string key_content(const key_parts& parts);
/// Splits the result of key_content(); nullopt for any other string. Refers to `content`.
std::optional<key_parts> parts_of(std::string_view content);
/// The version of the emitter that wrote the kernel's text; 0 if the signature is too short to have one.
std::uint64_t emitter_of(const key_parts& parts);

/// Names an entry of a cache.
struct cache_key {
  /// Identifies what the kernel computes and its target; independent of the emitter's version and of options.
  /// Entries that differ only in those share it.
  std::uint64_t identity = 0;
  std::uint64_t high = 0, low = 0;  ///< xxHash3-128 of key_content()
  auto operator<=>(const cache_key&) const = default;
};

cache_key key_of(std::string_view content);

/// "0123456789abcdef-" and 32 more digits: the file name of an entry.
std::string to_string(const cache_key& key);
/// The key with this name; nullopt for any other string.
std::optional<cache_key> parse_key(std::string_view name);

}  // namespace sinter::inline v0::runtime
