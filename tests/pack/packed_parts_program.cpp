// A program whose functions put arrays together and take them apart, for packed_parts_test.cpp: computes,
// checks the results, and reports where its kernels came from.

#include <sinter/runtime/cache/cache.hpp>
#include <sinter/sinter.hpp>

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

using namespace sinter;

namespace {

int count(cache_layer layer) {
  return static_cast<int>(cache_statistics_now().found[static_cast<std::size_t>(layer)]);
}

bool is_right(std::int64_t rows, int distance) {
  std::vector<float> elements(static_cast<std::size_t>(rows * 40));
  for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<float>(i);
  const auto x = array<float, 2>::from(elements, {rows, 40});
  const auto padded = fuse("padded", [](auto v) { return pad(v, axis<1>, 2, 1, boundary::reflect) * 2; })(x);
  const auto joined = fuse("joined", [](auto v) { return reshape(concatenate<0>(v, -v), 40, -1); })(x);
  const auto moved = fuse("moved", [](auto v, auto n) { return roll(v, n, axis<1>); })(x, distance);
  return padded.shape() == shape<2>(rows, 43) && padded.to_vector()[0] == 4 && padded.to_vector()[42] == 76 &&
         joined.shape() == shape<2>(40, 2 * rows) && joined.to_vector()[elements.size() + 5] == -5 &&
         moved.to_vector()[static_cast<std::size_t>(distance)] == 0 &&
         moved.to_vector()[0] == static_cast<float>(40 - distance);
}

}  // namespace

int main() {
  try {
    device::set_default(device::cpu());
    bool right = true;
    for (const std::int64_t rows : {64, 65, 100})
      for (const int distance : {3, 5}) right &= is_right(rows, distance);
    std::printf("%s: compiled %d pack %d\n", right ? "right" : "wrong", count(cache_layer::compiled),
                count(cache_layer::pack));
  } catch (const std::exception& thrown) {
    std::printf("%s\n", thrown.what());
    return 1;
  }
  return 0;
}
