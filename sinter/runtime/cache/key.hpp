#pragma once
// Under which name a compiled kernel is kept: content and nothing else.

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sinter::runtime {

/// All that a compiled kernel depends on. Paths, names of users and times are not among it.
struct key_parts {
  /// Of a stage (sinter/codegen/lowering.hpp): graph, layouts, mode, schedule and, in its first eight bytes,
  /// the emitter's version.
  std::string_view signature;
  std::string_view target;   ///< what it is compiled for, as "cuda 90" or a processor's features
  std::string_view options;  ///< of the compiler
  std::string_view linked;   ///< hashes of the code that is linked with it, "" for none
};

/// The parts as one string, which an entry holds whole: equal hashes of unequal content are told apart.
std::string key_content(const key_parts& parts);
/// The parts of what key_content() made; nullopt of anything else. Refers to `content`.
std::optional<key_parts> parts_of(std::string_view content);

/// Names an entry of a cache.
struct cache_key {
  /// Of what the kernel computes and for what target: the same in every version of the emitter, and with any
  /// options. Entries that could have served had they been made a little differently share it.
  std::uint64_t identity = 0;
  std::uint64_t high = 0, low = 0;  ///< xxHash3-128 of key_content()
  auto operator<=>(const cache_key&) const = default;
};

cache_key key_of(std::string_view content);

/// "0123456789abcdef-" and 32 more digits: the name of an entry's file.
std::string to_string(const cache_key& key);
/// The key of such a name; nullopt of anything else.
std::optional<cache_key> parse_key(std::string_view name);

}  // namespace sinter::runtime
