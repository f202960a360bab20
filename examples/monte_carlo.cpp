// The price of an option by simulation: four million random prices of a share, and the mean of what the
// option then pays. The numbers are drawn in the kernel that adds them up, so that none is stored. Beside the
// same loop in C++, which draws the same numbers, and beside the formula of Black and Scholes. There is no
// picture: what comes out are two numbers.
#include <sinter/rng.hpp>
#include <sinter/sinter.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numbers>
#include <tuple>

#include "check.hpp"
#include "timing.hpp"

using namespace sinter;

struct contract {
  float price, strike, rate, volatility, years;
};

struct estimate {
  double mean, error;  // the error is one standard deviation
};

// Block number `block` of Philox4x32-10, the generator that sinter/rng.hpp documents.
std::array<std::uint32_t, 4> philox(std::uint64_t seed, std::uint64_t block) {
  std::array<std::uint32_t, 4> words{static_cast<std::uint32_t>(block),
                                     static_cast<std::uint32_t>(block >> 32), 0, 0};
  auto key = static_cast<std::uint32_t>(seed), other_key = static_cast<std::uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t first = 0xd2511f53ull * words[0], second = 0xcd9e8d57ull * words[2];
    words = {static_cast<std::uint32_t>(second >> 32) ^ words[1] ^ key, static_cast<std::uint32_t>(second),
             static_cast<std::uint32_t>(first >> 32) ^ words[3] ^ other_key,
             static_cast<std::uint32_t>(first)};
    key += 0x9e3779b9u;
    other_key += 0xbb67ae85u;
  }
  return words;
}

// In C++. A block makes four normal numbers.
estimate simulate_in_loop(const contract& option, std::int64_t paths, std::uint64_t seed) {
  const float drift = (option.rate - 0.5f * option.volatility * option.volatility) * option.years;
  const float spread = option.volatility * std::sqrt(option.years);
  const float discount = std::exp(-option.rate * option.years);
  double total = 0, total_of_squares = 0;
  for (std::int64_t path = 0; path < paths; path += 4) {
    const auto words = philox(seed, static_cast<std::uint64_t>(path / 4));
    for (std::size_t pair = 0; pair < 4; pair += 2) {
      const float uniform = static_cast<float>(words[pair] | 1) * 0x1p-32f;
      const float angle = static_cast<float>(words[pair + 1]) * 0x1p-32f * 2 * std::numbers::pi_v<float>;
      const float radius = std::sqrt(-2 * std::log(uniform));
      for (const float normal : {radius * std::cos(angle), radius * std::sin(angle)}) {
        const float end = option.price * std::exp(drift + spread * normal);
        const float pays = discount * std::max(end - option.strike, 0.f);
        total += static_cast<double>(pays);
        total_of_squares += static_cast<double>(pays * pays);
      }
    }
  }
  const double number = static_cast<double>(paths), mean = total / number;
  return {mean, std::sqrt((total_of_squares / number - mean * mean) / number)};
}

// With Sinter: `iota` has as many elements as there are paths, and is not stored either.
const auto simulate = [](auto price, auto strike, auto rate, auto volatility, auto years, auto paths,
                         auto seed) {
  const auto normal = rng::normal<float>(iota(paths), seed);
  const auto end =
      price * exp((rate - 0.5f * volatility * volatility) * years + volatility * sqrt(years) * normal);
  const auto pays = exp(-rate * years) * maximum(end - strike, 0);
  return std::tuple(mean<double>(pays), stddev<double>(pays) / sqrt(astype<double>(paths)));
};

// The exact price, by the formula of Black and Scholes.
double exact_price(const contract& option) {
  const double price = static_cast<double>(option.price), strike = static_cast<double>(option.strike);
  const double rate = static_cast<double>(option.rate), years = static_cast<double>(option.years);
  const double volatility = static_cast<double>(option.volatility), spread = volatility * std::sqrt(years);
  const double upper = (std::log(price / strike) + (rate + 0.5 * volatility * volatility) * years) / spread;
  const auto below = [](double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); };
  return price * below(upper) - strike * std::exp(-rate * years) * below(upper - spread);
}

int main() {
  const contract option{.price = 100, .strike = 105, .rate = 0.03f, .volatility = 0.25f, .years = 1.5f};
  const std::int64_t paths = 1 << 22;
  const std::uint64_t seed = 1973;

  const auto price = fuse("monte_carlo", simulate);
  const auto priced = [&] {
    const auto [mean, error] =
        price(option.price, option.strike, option.rate, option.volatility, option.years, paths, seed);
    return estimate{mean.to_vector()[0], error.to_vector()[0]};
  };
  estimate found = priced(), expected{};
  const double in_loop = milliseconds([&] { expected = simulate_in_loop(option, paths, seed); });
  const double in_kernel = milliseconds([&] { found = priced(); });

  const double exact = exact_price(option);
  std::printf("%.4f ± %.4f in Sinter, %.4f ± %.4f in the loop, exactly %.4f\n", found.mean, found.error,
              expected.mean, expected.error, exact);
  std::printf("%lld paths: C++ loop %.1f ms, Sinter %.1f ms\n", static_cast<long long>(paths), in_loop,
              in_kernel);
  check(std::abs(found.mean - expected.mean) < 1e-4 * exact, "the price of the loop's numbers");
  check(std::abs(found.error - expected.error) < 1e-3 * expected.error, "its error");
  check(std::abs(found.mean - exact) < 4 * found.error, "the price");
}
