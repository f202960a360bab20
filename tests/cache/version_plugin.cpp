// A plug-in with Sinter inside for two_versions.cpp, built once and linked to two versions of the library.

#include <sinter/runtime/cache/cache.hpp>
#include <sinter/sinter.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

namespace {

template <int Number>
bool is_right() {
  using namespace sinter;
  device::set_default(device::cpu());
  const std::vector<float> values{0.0f, 0.5f, 1.0f};
  const auto x = array<float, 1>::from(values, {3});
  const auto scaled = fuse("scaled", [](auto v) { return exp(-v) * static_cast<float>(Number + 2); });
  const std::vector<float> made = scaled(x).to_vector();
  for (std::size_t i = 0; i < values.size(); ++i)
    if (std::abs(made[i] - static_cast<float>(Number + 2) * std::exp(-values[i])) > 1e-5f) return false;
  return true;
}

constexpr bool (*checks[])() = {&is_right<0>, &is_right<1>, &is_right<2>, &is_right<3>};

}  // namespace

/// Computes with one of four kernels and writes where the kernel came from, and the reason of a miss.
extern "C" void sinter_plugin_run(int number, char* told, std::size_t size) {
  const bool right = checks[number]();
  const sinter::cache_event event = sinter::recent_cache_events().back();
  std::snprintf(told, size, "%s, %s%s", sinter::to_string(event.found), sinter::to_string(event.reason),
                right ? "" : ", and it computes wrongly");
}
