// A user's program for tests that run it repeatedly: computes, checks the results, and reports where its
// kernels came from and which libraries were opened. With the argument "cuda" it runs on a GPU and does not
// check results, because the driver may only count calls.

#include <sinter/runtime/cache/cache.hpp>
#include <sinter/sinter.hpp>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

bool has_opened(const std::string& library) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.find(library) != std::string::npos) return true;
  return false;
}

}  // namespace

int main(int count, char** arguments) {
  using namespace sinter;
  const bool on_gpu = count > 1 && std::string_view(arguments[1]) == "cuda";
  device::set_default(on_gpu ? device::cuda(0) : device::cpu());
  std::vector<float> values(1000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) / 100;
  const auto x = array<float, 1>::from(values, {1000});
  const auto scaled = fuse("scaled", [](auto v) { return exp(-v) * 2.0f; });
  const auto total = fuse("total", [](auto v) { return sum(v * v); });
  const std::vector<float> result = scaled(x).to_vector();
  const float sum_of_squares = total(x).to_vector().front();
  double expected = 0;
  for (const float v : values) expected += static_cast<double>(v) * v;
  if (!on_gpu && (std::abs(result[100] - 2 * std::exp(-1.0f)) > 1e-6f ||
                  std::abs(sum_of_squares - expected) > 1e-5 * expected))
    return 1;
  const cache_statistics now = cache_statistics_now();
  std::printf("compiled %d directory %d shared %d compiler %d\n",
              static_cast<int>(now.found[static_cast<std::size_t>(cache_layer::compiled)]),
              static_cast<int>(now.found[static_cast<std::size_t>(cache_layer::directory)]),
              static_cast<int>(now.found[static_cast<std::size_t>(cache_layer::shared)]),
              has_opened(on_gpu ? "libnvrtc" : "sinter_cpu_compiler") ? 1 : 0);
  return 0;
}
