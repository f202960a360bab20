// How many of some points lie in each cell of a grid, for tests that run the program twice: computes, checks
// the counts, and reports where its kernels came from and whether the compiler's library was opened.

#include <sinter/runtime/cache/cache.hpp>
#include <sinter/sinter.hpp>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

namespace {

using namespace sinter;

constexpr int side = 16;
constexpr int points = 1 << 16;

bool has_opened(const std::string& library) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.find(library) != std::string::npos) return true;
  return false;
}

int found_in(cache_layer layer) {
  return static_cast<int>(cache_statistics_now().found[static_cast<std::size_t>(layer)]);
}

}  // namespace

int main() {
  device::set_default(device::cpu());
  std::vector<float> host_x, host_y;
  std::vector<std::int64_t> expected(side * side);
  for (int i = 0; i < points; ++i) {
    const int column = i % 23 % side, row = i % 37 % side;
    host_x.push_back((static_cast<float>(column) + 0.5f) / side);
    host_y.push_back((static_cast<float>(row) + 0.25f) / side);
    ++expected[static_cast<std::size_t>(column * side + row)];
  }
  const array<float, 1> x = array<float, 1>::from(host_x), y = array<float, 1>::from(host_y);
  const array<std::int64_t, 2> counts = histogram2d(x, y, side, side, 0.0, 1.0, 0.0, 1.0);
  std::printf("%s: compiled %d directory %d compiler %d\n",
              counts.to_vector() == expected ? "right" : "wrong", found_in(cache_layer::compiled),
              found_in(cache_layer::directory), has_opened("libsinter_cpu_compiler") ? 1 : 0);
}
