// A program whose functions put arrays together and take them apart, read at indices, write there and draw
// numbers, for packed_parts_test.cpp: computes, checks the results, and reports where its kernels came from.

#include <sinter/codegen/scalars/random_operations.hpp>
#include <sinter/rng.hpp>
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

/// Columns of x from `distance` on, in one function read at indices, in the others by bodies.
bool reads_right(std::int64_t rows, int distance) {
  std::vector<float> elements(static_cast<std::size_t>(rows * 40));
  for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<float>(i);
  const auto x = array<float, 2>::from(elements, {rows, 40});
  const auto first = array<int, 1>::from({distance, distance + 1});
  const auto taken = fuse("taken", [](auto v, auto i) { return take(v, i, axis<1>) + 1; })(x, first);
  const auto walked = fuse("walked", [](auto v, auto i) {
    return repeat(3, i, 0.0f, [&](auto at, auto sum) { return std::tuple(at + 1, sum + v(0, at)); });
  })(x, first);
  const auto found = fuse("found", [](auto v) { return searchsorted(v(0, all()), v(1, all()) * 0.5f); })(x);
  const auto drawn = fuse("drawn", [](auto v, auto seed) { return rng::bits(v, seed); })(x, distance);
  const auto sums = std::get<1>(walked).to_vector();
  return taken.to_vector()[0] == static_cast<float>(distance + 1) &&
         taken.to_vector()[2] == static_cast<float>(40 + distance + 1) &&
         sums[1] == static_cast<float>(3 * distance + 6) && found.to_vector()[1] == 21 &&
         drawn.to_vector()[5] ==
             reference_random_word<std::uint64_t>(5, static_cast<std::uint64_t>(distance), 0);
}

/// Counts and sums at positions that are values, the latter in several kernels.
bool writes_right(std::int64_t rows, int distance) {
  std::vector<float> elements(static_cast<std::size_t>(rows * 40));
  for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<float>(i);
  const auto x = array<float, 2>::from(elements, {rows, 40});
  std::vector<int> parity(40);
  for (std::size_t i = 0; i < parity.size(); ++i) parity[i] = static_cast<int>(i % 2);
  const auto counted = fuse("counted", [](auto v, auto n) { return histogram(v, n, 0, 8 * n); })(x, distance);
  const auto deposited = fuse("deposited", [](auto v, auto i) {
    return scatter_add(v(0, all()), i, v(1, all()));
  })(x, array<int, 1>::from(parity));
  std::vector<std::int64_t> counts(static_cast<std::size_t>(distance), 8);
  counts.back() = 9;  // with the last edge
  const auto sums = deposited.to_vector();
  return counted.to_vector() == counts && sums[0] == 1180 && sums[1] == 1201 && sums[2] == 2;
}

}  // namespace

int main() {
  try {
    device::set_default(device::cpu());
    bool right = true;
    for (const std::int64_t rows : {64, 65, 100})
      for (const int distance : {3, 5})
        right &= is_right(rows, distance) && reads_right(rows, distance) && writes_right(rows, distance);
    std::printf("%s: compiled %d pack %d\n", right ? "right" : "wrong", count(cache_layer::compiled),
                count(cache_layer::pack));
  } catch (const std::exception& thrown) {
    std::printf("%s\n", thrown.what());
    return 1;
  }
  return 0;
}
