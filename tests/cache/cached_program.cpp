// A program as users have it, for cached_program_test.cpp: computes, checks, and tells where its kernels came
// from and which libraries that took.

#include <sinter/runtime/cache/cache.hpp>
#include <sinter/sinter.hpp>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

namespace {

bool has_opened(const std::string& library) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.find(library) != std::string::npos) return true;
  return false;
}

}  // namespace

int main() {
  using namespace sinter;
  device::set_default(device::cpu());
  std::vector<float> values(1000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) / 100;
  const auto x = array<float, 1>::from(values, {1000});
  const auto scaled = fuse("scaled", [](auto v) { return exp(-v) * 2.0f; });
  const auto total = fuse("total", [](auto v) { return sum(v * v); });
  const std::vector<float> result = scaled(x).to_vector();
  const float sum_of_squares = total(x).to_vector().front();
  double expected = 0;
  for (const float v : values) expected += static_cast<double>(v) * v;
  if (std::abs(result[100] - 2 * std::exp(-1.0f)) > 1e-6f ||
      std::abs(sum_of_squares - expected) > 1e-5 * expected)
    return 1;
  const cache_statistics now = cache_statistics_now();
  std::printf("compiled %d directory %d shared %d compiler %d\n",
              static_cast<int>(now.found[static_cast<std::size_t>(cache_layer::compiled)]),
              static_cast<int>(now.found[static_cast<std::size_t>(cache_layer::directory)]),
              static_cast<int>(now.found[static_cast<std::size_t>(cache_layer::shared)]),
              has_opened("sinter_cpu_compiler") ? 1 : 0);
  return 0;
}
