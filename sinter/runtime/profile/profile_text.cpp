// The table of a profile.

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>

#include <sinter/runtime/profile.hpp>

namespace sinter::inline v0 {
namespace {

constexpr std::size_t max_name = 38;  // with the other columns, 110

/// The index of the first byte at or after `at` (at or before it, if `back`) that begins a character of
/// UTF-8.
std::size_t character_at(std::string_view text, std::size_t at, bool back) {
  while (at > 0 && at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0u) == 0x80u)
    at = back ? at - 1 : at + 1;
  return at;
}

/// A name without what would break its line, cut in the middle: its end has the place.
std::string short_name(std::string_view name) {
  std::string text(name);
  std::replace_if(
      text.begin(), text.end(), [](char letter) { return static_cast<unsigned char>(letter) < ' '; }, ' ');
  if (text.size() <= max_name) return text;
  constexpr std::string_view dots = "...";
  constexpr std::size_t head = (max_name - dots.size()) / 2, tail = max_name - dots.size() - head;
  const std::string_view all = text;
  return std::string(all.substr(0, character_at(all, head, true))) + std::string(dots) +
         std::string(all.substr(character_at(all, all.size() - tail, false)));
}

std::string duration_text(double seconds) {
  if (seconds == 0) return "0";
  constexpr struct {
    double seconds;
    const char* name;
  } units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}};
  for (const auto& each : units)
    if (seconds >= each.seconds) return fmt::format("{:.4g} {}", seconds / each.seconds, each.name);
  return fmt::format("{:.4g} ns", seconds * 1e9);
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1000 && unit + 1 < std::size(units); ++unit) value /= 1024;
  return fmt::format("{:.4g} {}", value, units[unit]);
}

}  // namespace

std::string to_string(std::span<const function_profile> rows) {
  constexpr const char* columns = "{:<38} {:<7} {:>10} {:>9} {:>9} {:>10} {:>11} {:>8}\n";
  std::string text = fmt::format(fmt::runtime(columns), "function", "device", "calls", "time", "a call",
                                 "kernels", "bytes", "compiles");
  for (const function_profile& each : rows) {
    const std::string_view estimated = each.timed < each.calls ? "~" : "";
    const auto seconds = [&](double of) { return std::string(estimated) + duration_text(of); };
    text += fmt::format(fmt::runtime(columns), short_name(each.function), each.where.to_string(), each.calls,
                        seconds(each.seconds),
                        each.calls == 0 ? "" : seconds(each.seconds / static_cast<double>(each.calls)),
                        each.kernels, bytes_text(each.bytes), each.compiles);
  }
  return text;
}

}  // namespace sinter::inline v0
