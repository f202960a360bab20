#pragma once
// What the programs compare their results with.

#include <sinter/sinter.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <type_traits>
#include <vector>

inline void expect(const sinter::array<float, 1>& computed, const std::vector<float>& expected) {
  const std::vector<float> elements = computed.to_vector();
  bool agrees = elements.size() == expected.size();
  for (std::size_t i = 0; agrees && i < elements.size(); ++i)
    agrees = std::abs(elements[i] - expected[i]) <= 1e-5f * std::abs(expected[i]);
  if (agrees) return;
  for (const float element : elements) std::printf("%g ", static_cast<double>(element));
  std::puts("was computed, and is not what the program expects");
  std::exit(1);
}

template <class Type, class Expected>
void expect_type() {
  static_assert(std::is_same_v<Type, Expected>);
}
