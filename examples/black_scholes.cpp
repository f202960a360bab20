// Two results from one kernel: European call and put prices, checked against put-call parity and the host.
#include <sinter/sinter.hpp>

#include <cmath>
#include <cstdio>
#include <tuple>

#include "check.hpp"

using namespace sinter;

// A function template is a function: it serves values while recording, and plain numbers on the host.
template <class X>
auto normal_cdf(X x) {
  using std::erf;
  return 0.5f * (1.f + erf(x * 0.70710678f));
}

int main() {
  const std::int64_t n = 100'000;
  auto price = fuse("black_scholes", [](auto spot, auto strike, auto years, auto rate, auto volatility) {
    const auto spread = volatility * sqrt(years);
    const auto d1 = (log(spot / strike) + (rate + 0.5f * volatility * volatility) * years) / spread;
    const auto d2 = d1 - spread;
    const auto discounted = strike * exp(-rate * years);
    const auto call = spot * normal_cdf(d1) - discounted * normal_cdf(d2);
    const auto put = discounted * normal_cdf(-d2) - spot * normal_cdf(-d1);
    return std::tuple{call, put};
  });

  const array<float, 1> spot = linspace<float>(50, 150, n);
  const array<float, 1> strike = full<float>({n}, 100.f);
  const array<float, 1> years = linspace<float>(0.25, 2, n);
  const float rate = 0.03f, volatility = 0.2f;

  const auto [call, put] = price(spot, strike, years, rate, volatility);

  const auto s = spot.to_vector(), t = years.to_vector(), c = call.to_vector(), p = put.to_vector();
  for (std::size_t i = 0; i < c.size(); i += 997) {
    const float discounted = 100.f * std::exp(-rate * t[i]);
    check(std::abs((c[i] - p[i]) - (s[i] - discounted)) < 1e-3f, "call - put = spot - discounted strike");
    const float spread = volatility * std::sqrt(t[i]);
    const float d1 = (std::log(s[i] / 100.f) + (rate + 0.5f * volatility * volatility) * t[i]) / spread;
    const float expected = s[i] * normal_cdf(d1) - discounted * normal_cdf(d1 - spread);
    check(std::abs(c[i] - expected) < 1e-3f, "the call's price on the host");
  }
  std::printf("spot 150, strike 100, 2 years: call %.4f, put %.4f\n", static_cast<double>(c.back()),
              static_cast<double>(p.back()));
}
