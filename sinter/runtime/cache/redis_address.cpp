#include <charconv>
#include <string_view>

#include <sinter/runtime/cache/redis_store.hpp>

namespace sinter::inline v0::runtime {
namespace {

template <class Number>
bool parse_number(std::string_view text, Number& to) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), to);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::optional<redis_address> parse_redis_address(std::string_view text) {
  constexpr std::string_view scheme = "redis://";
  if (!text.starts_with(scheme)) return std::nullopt;
  text.remove_prefix(scheme.size());
  redis_address at;
  if (const std::size_t slash = text.find('/'); slash != text.npos) {
    if (!parse_number(text.substr(slash + 1), at.database) || at.database < 0) return std::nullopt;
    text = text.substr(0, slash);
  }
  if (const std::size_t sign = text.rfind('@'); sign != text.npos) {
    const std::string_view who = text.substr(0, sign);
    const std::size_t colon = who.find(':');
    if (colon == who.npos) return std::nullopt;
    at.user = who.substr(0, colon);
    at.password = who.substr(colon + 1);
    text = text.substr(sign + 1);
  }
  // an IPv6 address contains colons, and has brackets around it
  const std::size_t bracket = text.rfind(']'), colon = text.rfind(':');
  if (colon != text.npos && (bracket == text.npos || colon > bracket)) {
    if (!parse_number(text.substr(colon + 1), at.port) || at.port < 1 || at.port > 65535) return std::nullopt;
    text = text.substr(0, colon);
  }
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  if (text.empty()) return std::nullopt;
  at.host = text;
  return at;
}

}  // namespace sinter::inline v0::runtime
