// A program for shape_generic_program_test.cpp for which the cache has only shape-generic kernels: "prepare"
// compiles those, "run" calls the function with arrays of many sizes.

#include <sinter/runtime/cache/cache.hpp>
#include <sinter/runtime/log.hpp>
#include <sinter/sinter.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace {

int times_told = 0;

void count_told(sinter::log_level, std::string_view text) {
  if (text.find("shape-generic kernels") != std::string_view::npos) ++times_told;
}

std::vector<float> shares_by_hand(const std::vector<float>& values, std::size_t columns) {
  std::vector<float> made(values.size());
  for (std::size_t first = 0; first < values.size(); first += columns) {
    double total = 0;
    for (std::size_t i = first; i < first + columns; ++i) total += static_cast<double>(values[i]) + 1;
    for (std::size_t i = first; i < first + columns; ++i)
      made[i] = static_cast<float>((static_cast<double>(values[i]) + 1) / total);
  }
  return made;
}

}  // namespace

int main(int, char** arguments) {
  using namespace sinter;
  device::set_default(device::cpu());
  set_log_hook(&count_told);
  const auto shares = fuse("shares", [](auto x) {
    const auto y = x + 1.0f;
    return y / sum(y, axis<1>, keepdims);
  });
  if (std::string_view(arguments[1]) == "prepare") {
    shares.general().prepare(described<float, 2>({7, extent_range(1, 9)}));
    return 0;
  }
  bool right = true;
  for (const std::int64_t columns : {1, 3, 64, 5000}) {
    std::vector<float> values(static_cast<std::size_t>(4 * columns));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 5);
    const auto x = array<float, 2>::from(values, {4, columns});
    const std::vector<float> expected = shares_by_hand(values, static_cast<std::size_t>(columns));
    try {
      const std::vector<float> made = shares(x).to_vector();
      right = right && std::equal(made.begin(), made.end(), expected.begin(), expected.end(),
                                  [](float a, float b) { return std::abs(a - b) < 1e-6f; });
    } catch (const device_error& refused) {
      std::printf("refused: %s\n", refused.what());
      return 0;
    }
  }
  const cache_statistics now = cache_statistics_now();
  std::printf("%s, told %d times, compiled %d\n", right ? "right" : "wrong", times_told,
              static_cast<int>(now.found[static_cast<std::size_t>(cache_layer::compiled)]));
  return 0;
}
