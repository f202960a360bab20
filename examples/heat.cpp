// Heat in a plate: a five-point stencil, stepped in a loop that allocates nothing.
#include <sinter/sinter.hpp>

#include <cmath>
#include <cstdio>
#include <numbers>
#include <utility>

#include "check.hpp"

using namespace sinter;

int main() {
  const std::int64_t n = 257, steps = 200;
  // Slices of one array are views: the kernel reads the array once, at five offsets.
  auto step = fuse("heat_step", [](auto u, auto rate) {
    const auto centre = u(slice(1, -1), slice(1, -1));
    const auto neighbours = u(slice(2, end), slice(1, -1)) + u(slice(0, -2), slice(1, -1)) +
                            u(slice(1, -1), slice(2, end)) + u(slice(1, -1), slice(0, -2));
    return centre + rate * (neighbours - 4.f * centre);
  });

  // A half wave keeps its form and decays by an exactly known factor.
  const float quarter_wave = std::numbers::pi_v<float> / static_cast<float>(n - 1);
  auto hump =
      fuse([&](auto x, auto y) { return sin(x * quarter_wave) * sin(y(all(), newaxis) * quarter_wave); });
  const array<float, 1> positions = arange<float>(0, static_cast<float>(n));
  array<float, 2> now = hump(positions, positions);
  array<float, 2> next = now.copy();  // the edges are copied once and never change

  const float rate = 0.2f;
  for (std::int64_t i = 0; i < steps; ++i) {
    step.into(next(slice(1, -1), slice(1, -1)))(now, rate);
    std::swap(now, next);
  }

  const double factor = 1 - 4 * 0.2 * (1 - std::cos(std::numbers::pi / static_cast<double>(n - 1)));
  const double expected = std::pow(factor, static_cast<double>(steps));
  const auto middle = static_cast<std::size_t>((n / 2) * n + n / 2);
  const double found = static_cast<double>(now.to_vector()[middle]);
  std::printf("after %lld steps the middle holds %.6f; exactly %.6f\n", static_cast<long long>(steps), found,
              expected);
  check(std::abs(found - expected) < 1e-4, "decay of a half wave");
}
