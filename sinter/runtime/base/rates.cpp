#include <fmt/format.h>

#include <sinter/runtime/base/rates.hpp>

namespace sinter::inline v0::runtime {

std::string time_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.4g} us", seconds * 1e6);
  return seconds < 1 ? fmt::format("{:.4g} ms", seconds * 1e3) : fmt::format("{:.4g} s", seconds);
}

std::string rate_text(double bytes_per_second) {
  if (bytes_per_second < 1e9) return fmt::format("{:.1f} MB/s", bytes_per_second * 1e-6);
  return bytes_per_second < 1e12 ? fmt::format("{:.1f} GB/s", bytes_per_second * 1e-9)
                                 : fmt::format("{:.2f} TB/s", bytes_per_second * 1e-12);
}

}  // namespace sinter::inline v0::runtime
