// Roots for an array of parameters: Kepler's equation e - eccentricity * sin(e) = m, solved for e at each
// element of m by Newton's method and by bisection, beside the same loops in C++.
#include <sinter/sinter.hpp>

#include <cmath>
#include <cstdio>
#include <numbers>
#include <tuple>
#include <vector>

#include "check.hpp"
#include "timing.hpp"

using namespace sinter;

constexpr float tolerance = 1e-6f;
constexpr int max_steps = 50, halvings = 24;

// A function template serves values while recording, and plain numbers in C++.
template <class E, class Eccentricity, class M>
auto kepler(E e, Eccentricity eccentricity, M m) {
  using std::sin;
  return e - eccentricity * sin(e) - m;
}
template <class E, class Eccentricity>
auto kepler_slope(E e, Eccentricity eccentricity) {
  using std::cos;
  return 1.f - eccentricity * cos(e);
}

// In C++, for one element.
float newton_root(float eccentricity, float m) {
  float e = m + eccentricity;
  for (int step = 0; step < max_steps; ++step) {
    const float error = kepler(e, eccentricity, m);
    if (std::abs(error) <= tolerance) break;
    e -= error / kepler_slope(e, eccentricity);
  }
  return e;
}
float bisection_root(float eccentricity, float m) {
  float low = m, high = m + eccentricity;
  for (int i = 0; i < halvings; ++i) {
    const float middle = 0.5f * (low + high);
    (kepler(middle, eccentricity, m) > 0 ? high : low) = middle;
  }
  return low;
}

// Runs a function and its loop, compares, and prints the times.
template <class Function>
void show(const char* name, const Function& root, float (*loop)(float, float), const array<float, 1>& m,
          float eccentricity) {
  array<float, 1> roots = root(eccentricity, m);
  const std::vector<float> each_m = m.to_vector();
  std::vector<float> expected(each_m.size());
  const double in_loop = milliseconds([&] {
    for (std::size_t i = 0; i < each_m.size(); ++i) expected[i] = loop(eccentricity, each_m[i]);
  });
  const double in_kernel = milliseconds([&] {
    root.into(roots)(eccentricity, m);
    synchronize();
  });
  const std::vector<float> found = roots.to_vector();
  float largest = 0;
  for (std::size_t i = 0; i < found.size(); ++i)
    largest = std::max(largest, std::abs(found[i] - expected[i]));
  std::printf("%s: C++ loop %.2f ms, Sinter %.2f ms, largest difference %.1e\n", name, in_loop, in_kernel,
              static_cast<double>(largest));
  check(largest < 1e-5f, name);
}

int main() {
  // Each element takes as many steps as it needs.
  auto newton = fuse("newton", [](auto eccentricity, auto m) {
    const auto unsolved = [&](auto e, auto step) {
      return abs(kepler(e, eccentricity, m)) > tolerance && step < max_steps;
    };
    const auto improve = [&](auto e, auto step) {
      return std::tuple(e - kepler(e, eccentricity, m) / kepler_slope(e, eccentricity), step + 1);
    };
    return std::get<0>(repeat_while(unsolved, m + eccentricity, scalar<int>(0), improve));
  });
  // All elements take the same number of steps; each keeps the half that has its root.
  auto bisection = fuse("bisection", [](auto eccentricity, auto m) {
    const auto halve = [&](auto low, auto high) {
      const auto middle = 0.5f * (low + high);
      return when(
          kepler(middle, eccentricity, m) > 0, [&] { return std::tuple(low, middle); },
          [&] { return std::tuple(middle, high); });
    };
    return std::get<0>(repeat(halvings, m, m + eccentricity, halve));
  });

  const array<float, 1> m = linspace<float>(0, std::numbers::pi_v<float>, 200'000);
  const float eccentricity = 0.6f;
  show("newton", newton, newton_root, m, eccentricity);
  show("bisection", bisection, bisection_root, m, eccentricity);
}
