#pragma once
// Rows of keys, and how the host sorts them.

#include "../support/needs.hpp"

#include <sinter/runtime/sort/sort_kernels.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace sinter::test {

inline bool lacks_sort_kernels() {
  return lacks(need::cccl, runtime::has_sort_kernels() ? "" : "the library was built without CCCL");
}

enum class key_order : std::uint8_t { equal, sorted, reversed, random, few_values };

template <class Key>
std::vector<Key> drawn_keys(std::size_t count, unsigned bits, key_order order) {
  std::vector<Key> keys(count);
  std::mt19937_64 random(count + bits);
  const Key mask = static_cast<Key>(~Key{0} >> (8 * sizeof(Key) - bits));
  for (std::size_t i = 0; i < count; ++i) {
    switch (order) {
      case key_order::equal:
        keys[i] = mask;
        break;
      case key_order::sorted:
        keys[i] = static_cast<Key>(i) & mask;
        break;
      case key_order::reversed:
        keys[i] = static_cast<Key>(count - i) & mask;
        break;
      case key_order::random:
        keys[i] = static_cast<Key>(random()) & mask;
        break;
      case key_order::few_values:
        keys[i] = (random() % 3 == 0 ? mask : static_cast<Key>(random() % 3)) & mask;
        break;
    }
  }
  return keys;
}

/// The positions in each row, in the stable order of its keys.
template <class Key>
std::vector<std::uint32_t> sorted_positions(const std::vector<Key>& keys, std::size_t length) {
  std::vector<std::uint32_t> positions(keys.size());
  for (std::size_t row = 0; length != 0 && row < keys.size(); row += length) {
    const auto begin = positions.begin() + static_cast<std::ptrdiff_t>(row);
    std::iota(begin, begin + static_cast<std::ptrdiff_t>(length), 0u);
    // By key and position: what std::stable_sort gives, whose buffer Clang calls deprecated.
    std::sort(begin, begin + static_cast<std::ptrdiff_t>(length), [&](std::uint32_t a, std::uint32_t b) {
      return std::pair(keys[row + a], a) < std::pair(keys[row + b], b);
    });
  }
  return positions;
}

}  // namespace sinter::test
