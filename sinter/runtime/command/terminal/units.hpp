#pragma once
// Numbers and names as people write and read them.

#include <sinter/runtime/base/sizes.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sinter::command {

using runtime::readable_bytes;
/// "just now", "5 minutes ago", "3 days ago", "in the future".
std::string readable_age(std::int64_t seconds);
/// "12 ms", "3.4 s", "2 min 5 s", "3 h 20 min".
std::string readable_duration(double seconds);
/// "2026-11-21T10:00:00Z".
std::string iso_time(std::int64_t seconds_since_1970);

/// Of "4096", "200M", "1.5GiB" or "64 kB" (k, M, G and T are powers of 1024, with or without "B" or "iB");
/// nullopt of anything else, and of what does not fit.
std::optional<std::uint64_t> parse_bytes(std::string_view text);

/// "Lists entries." of "lists entries".
std::string sentence(std::string_view words);

/// Whether a name fits a pattern of the shell's: * stands for any letters, ? for one, [a-c] for one of those.
bool fits(const std::string& pattern, const std::string& name);

/// Text of somebody else's as a terminal may be given it: control characters as \x1b and the like, and what
/// is no UTF-8 likewise. Line ends and tabs stay where `lines` are wanted.
std::string harmless(std::string_view text, bool lines = false);
/// Columns that UTF-8 text takes, as far as one letter is one column.
std::size_t columns_of(std::string_view text);

}  // namespace sinter::command
