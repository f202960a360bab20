#include "random_indices.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace sinter_bench {

std::vector<int> draw_indices(drawn how, std::int64_t count, std::int64_t extent) {
  std::mt19937_64 draws(7);
  std::vector<int> made(static_cast<std::size_t>(count));
  for (int& index : made) {
    const double u = std::uniform_real_distribution<double>(0, 1)(draws);
    // by the inverse of the continuous form of Zipf's law
    const double at = how == drawn::zipf    ? std::exp(u * std::log(static_cast<double>(extent))) - 1
                      : how == drawn::equal ? static_cast<double>(extent) / 2
                                            : u * static_cast<double>(extent);
    index = static_cast<int>(std::min<double>(at, static_cast<double>(extent - 1)));
  }
  if (how == drawn::sorted) std::ranges::sort(made);
  return made;
}

}  // namespace sinter_bench
