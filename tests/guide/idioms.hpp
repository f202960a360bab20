// The operands of docs/from_numpy.md, and how the program of its rows shows a result.
#pragma once

#include <sinter/rng.hpp>
#include <sinter/sinter.hpp>

#include <cstdio>

using namespace sinter;

struct idiom_operands {
  array<float, 1> x = linspace<float>(-1, 1, 6);
  array<float, 1> y = linspace<float>(0, 3, 6);
  array<float, 2> m = reshape(arange<float>(24), 4, 6);
  array<int, 1> k = arange<int>(6);
};

/// A line: the row's number, the type, the extents, a colon, the elements.
template <class T, unsigned Rank>
void show(int number, const array<T, Rank>& result) {
  std::printf("%d %s", number, facts_of(element_type_of<T>).name.data());
  for (unsigned axis = 0; axis < Rank; ++axis)
    std::printf(" %lld", static_cast<long long>(result.shape()[axis]));
  std::printf(" :");
  for (const auto& element : result.to_vector()) std::printf(" %.9g", static_cast<double>(element));
  std::printf("\n");
}
