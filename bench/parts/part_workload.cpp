#include "part_workload.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

namespace sinter_bench {

void check_agreement(std::span<const float> ours, std::span<const float> by_loop, double tolerance) {
  for (std::size_t i = 0; i < by_loop.size(); ++i) {
    const double found = ours[i], expected = by_loop[i];
    if (!(std::abs(found - expected) <= tolerance * (1 + std::abs(expected))))
      throw std::runtime_error(fmt::format("element {} is {}, and {} by the plain loop", i, found, expected));
  }
}

}  // namespace sinter_bench
