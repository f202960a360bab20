#pragma once
// Numbers and names in readable form.

#include <sinter/runtime/base/sizes.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sinter::inline v0::command {

using runtime::readable_bytes;
/// "just now", "5 minutes ago", "3 days ago", "in the future".
std::string readable_age(std::int64_t seconds);
/// "12 ms", "3.4 s", "2 min 5 s", "3 h 20 min".
std::string readable_duration(double seconds);
/// "2026-11-21T10:00:00Z".
std::string iso_time(std::int64_t seconds_since_1970);

/// Parses "4096", "200M", "1.5GiB" or "64 kB" (k, M, G and T are powers of 1024, with or without "B" or
/// "iB"); nullopt for anything else, and for numbers out of range.
std::optional<std::uint64_t> parse_bytes(std::string_view text);

/// Turns "lists entries" into "Lists entries."
std::string sentence(std::string_view words);

/// Whether a name matches a shell pattern: * matches any letters, ? one, [a-c] one of those.
bool fits(const std::string& pattern, const std::string& name);

/// Text of others made safe for a terminal: control characters and invalid UTF-8 become \x1b and the like.
/// With `lines`, newlines and tabs stay.
std::string harmless(std::string_view text, bool lines = false);
/// Columns of UTF-8 text, with one column per character.
std::size_t columns_of(std::string_view text);

}  // namespace sinter::inline v0::command
