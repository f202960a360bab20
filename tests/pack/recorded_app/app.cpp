// What only a recording tells of: a function with a capture.
#include <sinter/sinter.hpp>

#include <cstdio>
#include <exception>
#include <vector>

int main() {
  try {
    sinter::device::set_default(sinter::device::cpu());
    const std::vector<float> values(100, 2.0f);
    const auto x = sinter::array<float, 1>::from(values, {100});
    const float factor = 3;
    const auto scaled = sinter::fuse("scaled", [factor](auto v) { return factor * v; });
    return scaled(x).to_vector()[99] == 6 ? 0 : 1;
  } catch (const std::exception& failed) {
    std::puts(failed.what());
    return 2;
  }
}
