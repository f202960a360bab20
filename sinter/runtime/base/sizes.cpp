#include <fmt/format.h>

#include <array>

#include <sinter/runtime/base/sizes.hpp>

namespace sinter::inline v0::runtime {

static constexpr std::array<const char*, 6> byte_units{"B", "KiB", "MiB", "GiB", "TiB", "PiB"};

std::string readable_bytes(std::uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  // 999.5 would print as 1000
  while (value >= 999.5 && unit + 2 < byte_units.size()) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.{}f} {}", value, value < 9.95 ? 1 : 0, byte_units[unit]);
}

std::string format_bytes(std::uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} bytes", bytes);
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 1;
  for (; value >= 1024 && unit + 1 < byte_units.size(); ++unit) value /= 1024;
  return fmt::format("{:.1f} {} ({} bytes)", value, byte_units[unit], bytes);
}

}  // namespace sinter::inline v0::runtime
