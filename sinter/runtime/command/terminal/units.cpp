#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <ctime>

#include "units.hpp"

namespace sinter::inline v0::command {
namespace {

/// The number of bytes of the UTF-8 character at the front; 0 if it is invalid.
std::size_t letter_size(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned char first = byte(0);
  const std::size_t size = first < 0x80       ? 1
                           : first >> 5 == 6  ? 2
                           : first >> 4 == 14 ? 3
                           : first >> 3 == 30 ? 4
                                              : 0;
  if (size == 0 || size > text.size()) return 0;
  std::uint32_t value = size == 1 ? first : first & (0x7fu >> size);
  for (std::size_t at = 1; at < size; ++at) {
    if (byte(at) >> 6 != 2) return 0;
    value = value << 6 | (byte(at) & 0x3fu);
  }
  constexpr std::uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xd800 && value < 0xe000;
  return value < least[size] || value > 0x10ffff || surrogate ? 0 : size;
}

bool is_control(std::string_view letter) {
  const auto first = static_cast<unsigned char>(letter[0]);
  // the C1 control characters, U+0080 to U+009F, control terminals too
  return first < 0x20 || first == 0x7f ||
         (letter.size() == 2 && first == 0xc2 && static_cast<unsigned char>(letter[1]) < 0xa0);
}

std::string counted(std::int64_t number, const char* unit) {
  return fmt::format("{} {}{}", number, unit, number == 1 ? "" : "s");
}

}  // namespace

std::string readable_age(std::int64_t seconds) {
  constexpr std::int64_t minute = 60, hour = 60 * minute, day = 24 * hour, year = 365 * day;
  if (seconds < -minute) return "in the future";
  if (seconds < minute) return "just now";
  if (seconds < hour) return counted(seconds / minute, "minute") + " ago";
  if (seconds < day) return counted(seconds / hour, "hour") + " ago";
  if (seconds < year) return counted(seconds / day, "day") + " ago";
  return counted(seconds / year, "year") + " ago";
}

std::string readable_duration(double seconds) {
  if (seconds < 0.9995) return fmt::format("{:.0f} ms", seconds * 1000);
  if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<std::int64_t>(std::llround(std::min(seconds, 1e15)));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

std::string iso_time(std::int64_t seconds_since_1970) {
  const auto seconds = static_cast<std::time_t>(seconds_since_1970);
  std::tm parts{};
  if (gmtime_r(&seconds, &parts) == nullptr) return {};
  char text[64];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  double number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !std::isfinite(number) || number < 0) return std::nullopt;
  std::string unit;
  for (const char* at = rest; at != text.data() + text.size(); ++at)
    if (*at != ' ') unit += static_cast<char>(std::tolower(static_cast<unsigned char>(*at)));
  double factor = 1;
  if (!unit.empty() && unit != "b") {
    const std::size_t power = std::string_view("kmgt").find(unit.front());
    if (power == std::string_view::npos) return std::nullopt;
    if (const std::string_view tail = std::string_view(unit).substr(1);
        !tail.empty() && tail != "b" && tail != "ib")
      return std::nullopt;
    factor = std::pow(1024.0, static_cast<double>(power) + 1);
  }
  if (number * factor >= 0x1p63) return std::nullopt;
  return static_cast<std::uint64_t>(number * factor);
}

std::string sentence(std::string_view words) {
  std::string made(words);
  if (!made.empty()) made.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(made.front())));
  return made + ".";
}

bool fits(const std::string& pattern, const std::string& name) {
  return ::fnmatch(pattern.c_str(), name.c_str(), FNM_NOESCAPE) == 0;
}

std::string harmless(std::string_view text, bool lines) {
  std::string made;
  made.reserve(text.size());
  while (!text.empty()) {
    const std::size_t size = letter_size(text);
    const std::string_view letter = text.substr(0, std::max<std::size_t>(size, 1));
    const bool layout = lines && (letter[0] == '\n' || letter[0] == '\t');
    if (size != 0 && (layout || !is_control(letter)))
      made += letter;
    else
      for (const char byte : letter) made += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    text.remove_prefix(letter.size());
  }
  return made;
}

std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return (byte & 0xc0) != 0x80; }));
}

}  // namespace sinter::inline v0::command
