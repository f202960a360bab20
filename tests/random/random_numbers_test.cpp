// Random numbers (sinter/rng.hpp) on the CPU: the published generator, the layout of its words, moments, and
// every way to ask for them.

#include <sinter/codegen/scalars/random_operations.hpp>
#include <sinter/rng.hpp>
#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

using namespace sinter;

namespace {

std::uint32_t word(std::uint64_t w, std::uint64_t seed, std::uint64_t sequence = 0) {
  return reference_random_word(w, seed, sequence);
}
std::uint64_t long_word(std::uint64_t i, std::uint64_t seed, std::uint64_t sequence = 0) {
  return word(2 * i, seed, sequence) | std::uint64_t{word(2 * i + 1, seed, sequence)} << 32;
}

template <class T, class Formula>
std::vector<T> each_of(std::int64_t count, Formula formula) {
  std::vector<T> made;
  for (std::int64_t i = 0; i < count; ++i)
    made.push_back(static_cast<T>(formula(static_cast<std::uint64_t>(i))));
  return made;
}
std::vector<float> uniforms(std::int64_t count, std::uint64_t seed, std::uint64_t sequence = 0) {
  return each_of<float>(
      count, [&](std::uint64_t i) { return static_cast<float>(word(i, seed, sequence) >> 8) * 0x1p-24f; });
}

/// The elements of an expression, and the array that it is.
template <class Expression>
auto evaluated(Expression&& expression) {
  using info = sinter::detail::info_of<Expression>;
  return array<sinter::detail::spelling_of<info::type.type, false>, info::rank>(
      std::forward<Expression>(expression));
}
template <class Expression>
auto numbers(Expression&& expression) {
  return evaluated(std::forward<Expression>(expression)).to_vector();
}

struct moments {
  double mean = 0, variance = 0, skewness = 0, kurtosis = 0;
};
template <class T>
moments moments_of(const std::vector<T>& all) {
  moments made;
  const auto count = static_cast<double>(all.size());
  for (const T x : all) made.mean += static_cast<double>(x) / count;
  for (const T x : all) {
    const double d = static_cast<double>(x) - made.mean;
    made.variance += d * d / count;
    made.skewness += d * d * d / count;
    made.kurtosis += d * d * d * d / count;
  }
  made.skewness /= std::pow(made.variance, 1.5);
  made.kurtosis /= made.variance * made.variance;
  return made;
}

const array<float, 1>& million() {
  static const array<float, 1> made({1 << 20});
  return made;
}

}  // namespace

TEST_SUITE("random numbers") {
  TEST_CASE("the generator gives the known answers of its authors") {
    using words = std::array<std::uint32_t, 4>;
    CHECK(philox4x32({0, 0, 0, 0}, {0, 0}) == words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
    CHECK(philox4x32({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}) ==
          words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
    CHECK(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
          words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
    CHECK(numbers(rng::bits(array<float, 1>({4}), 0)) ==
          std::vector<std::uint32_t>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  }

  TEST_CASE("element i takes word i of 32 bits, or words 2 i and 2 i + 1 of 64") {
    constexpr std::uint64_t seed = 0x299f31d0a4093822, sequence = 0x0370734413198a2e;
    for (const std::int64_t count : {0, 1, 3, 4, 5, 63, 64, 1000, 100003}) {
      CAPTURE(count);
      const array<float, 1> like({count});
      CHECK(numbers(rng::bits(like, seed, sequence)) ==
            each_of<std::uint32_t>(count, [](std::uint64_t i) { return word(i, seed, sequence); }));
      CHECK(numbers(rng::bits<std::uint64_t>(like, seed, sequence)) ==
            each_of<std::uint64_t>(count, [](std::uint64_t i) { return long_word(i, seed, sequence); }));
    }
  }

  TEST_CASE("uniforms are multiples of their type's unit, below 1") {
    const array<std::int32_t, 1> like({5000});
    CHECK(numbers(rng::uniform(like, 7)) == uniforms(5000, 7));
    CHECK(numbers(rng::uniform<double>(like, 7)) == each_of<double>(5000, [](std::uint64_t i) {
            return static_cast<double>(long_word(i, 7) >> 11) * 0x1p-53;
          }));
    CHECK(numbers(astype<float>(rng::uniform<float16>(like, 7))) == each_of<float>(5000, [](std::uint64_t i) {
            return static_cast<float>(word(i, 7) >> 21) * 0x1p-11f;
          }));
    CHECK(
        numbers(astype<float>(rng::uniform<bfloat16>(like, 7))) ==
        each_of<float>(5000, [](std::uint64_t i) { return static_cast<float>(word(i, 7) >> 24) * 0x1p-8f; }));
  }

  TEST_CASE("integers are the upper half of a product, from any low to any high") {
    const array<float, 1> like({3000});
    for (const auto& [low, high] :
         {std::pair<std::int64_t, std::int64_t>{0, 6}, {-100, 100}, {INT32_MIN, INT32_MAX}, {5, 5}}) {
      CAPTURE(low);
      const std::int64_t from = low;
      const auto range = static_cast<std::uint64_t>(high - low);
      CHECK(numbers(rng::randint<std::int32_t>(like, low, high, 3)) ==
            each_of<std::int32_t>(3000, [&](std::uint64_t i) {
              return from + static_cast<std::int64_t>(word(i, 3) * range >> 32);
            }));
    }
    for (const auto& [low, high] :
         {std::pair<std::int64_t, std::int64_t>{0, 6}, {INT64_MIN, INT64_MAX}, {-7, std::int64_t{1} << 40}}) {
      CAPTURE(low);
      const auto from = static_cast<std::uint64_t>(low), range = static_cast<std::uint64_t>(high) - from;
      CHECK(numbers(rng::randint(like, low, high, 3)) == each_of<std::int64_t>(3000, [&](std::uint64_t i) {
              __extension__ using wide = unsigned __int128;
              return from + static_cast<std::uint64_t>(static_cast<wide>(long_word(i, 3)) * range >> 64);
            }));
    }
  }

  TEST_CASE("bernoulli is true where the uniform is below p, also of a p for each element") {
    const array<float, 1> like({1000});
    const array<float, 1> p(rng::uniform(like, 1));
    const std::vector<float> drawn = uniforms(1000, 2), each = p.to_vector();
    const array<bool, 1> of_number(rng::bernoulli(like, 0.25, 2)), of_array(rng::bernoulli(like, p, 2));
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      CHECK(of_number.to_vector()[i] == (drawn[i] < 0.25f));
      CHECK(of_array.to_vector()[i] == (drawn[i] < each[i]));
    }
    CHECK_FALSE(numbers(any(rng::bernoulli(like, 0, 2)))[0]);
    CHECK(numbers(all(rng::bernoulli(like, 1, 2)))[0]);
  }

  TEST_CASE("elements are counted row-major in the shape, whatever the memory is") {
    const array<float, 2> x({40, 300});
    const std::vector<float> all = uniforms(40 * 300, 11);
    const array<float, 2> whole(rng::uniform(x, 11));
    CHECK(whole.to_vector() == all);
    const array<float, 2> of_transposed(rng::uniform(transpose(x), 11));
    CHECK(of_transposed.shape()[0] == 300);
    CHECK(of_transposed.to_vector() == all);
    const auto some = x(slice(1, end, 3), slice(7, 100));
    CHECK(numbers(rng::uniform(some, 11)) == uniforms(some.shape()[0] * some.shape()[1], 11));
    const auto part = fuse([](auto y) { return rng::uniform(y, 11)(slice(3, 9), slice(5, end, 7)); })(x);
    std::vector<float> wanted;
    for (std::size_t i = 3; i < 9; ++i)
      for (std::size_t j = 5; j < 300; j += 7) wanted.push_back(all[i * 300 + j]);
    CHECK(part.to_vector() == wanted);
  }

  TEST_CASE("numbers are the same in sums, stencils and everything else that computes them again") {
    const array<float, 2> x({50, 77});
    const auto total = fuse([](auto y) { return sum(astype<std::uint64_t>(rng::bits(y, 5)), axis<1>); })(x);
    const auto moved = fuse([](auto y) {
      const auto drawn = rng::bits(y, 5);
      return roll(drawn, 1, axis<0>) + roll(drawn, 2, axis<1>);
    })(x);
    const auto centred = fuse([](auto y) {
      const auto drawn = rng::uniform<double>(y, 5);
      return drawn - max(drawn, axis<1>, keepdims);
    })(x);
    const auto at = [](std::int64_t i, std::int64_t j) {
      return static_cast<std::uint64_t>((i + 50) % 50 * 77 + (j + 77) % 77);
    };
    for (std::int64_t i = 0; i < 50; ++i) {
      std::uint64_t row = 0;
      double largest = 0;
      for (std::int64_t j = 0; j < 77; ++j) {
        row += word(at(i, j), 5);
        largest = std::max(largest, static_cast<double>(long_word(at(i, j), 5) >> 11) * 0x1p-53);
        const auto q = static_cast<std::size_t>(at(i, j));
        CHECK(moved.to_vector()[q] == word(at(i - 1, j), 5) + word(at(i, j - 2), 5));
      }
      CHECK(total.to_vector()[static_cast<std::size_t>(i)] == row);
      for (std::int64_t j = 0; j < 77; ++j) {
        const auto q = static_cast<std::size_t>(at(i, j));
        CHECK(centred.to_vector()[q] ==
              static_cast<double>(long_word(at(i, j), 5) >> 11) * 0x1p-53 - largest);
      }
    }
  }

  TEST_CASE("seeds and sequences count modulo 2^64, and may be values, arguments and arrays of rank 0") {
    const array<float, 1> like({100});
    const std::vector<float> wanted = uniforms(100, ~std::uint64_t{0}, 9);
    CHECK(numbers(rng::uniform(like, -1, 9)) == wanted);
    CHECK(numbers(rng::uniform(like, ~std::uint64_t{0}, 9)) == wanted);
    CHECK(fuse([](auto x) { return rng::uniform(x, -1, 9); })(like).to_vector() == wanted);
    CHECK(fuse([](auto x, auto seed) { return rng::uniform(x, seed, 9); })(like, std::int64_t{-1})
              .to_vector() == wanted);
    const auto seed = array<std::uint64_t, 0>::from({~std::uint64_t{0}}, {});
    auto sequence = array<std::uint64_t, 0>::from({9}, {});
    CHECK(numbers(rng::uniform(like, seed, sequence)) == wanted);
    CHECK(fuse([](auto x, auto s, auto q) { return rng::uniform(x, s, q); })(like, seed, sequence)
              .to_vector() == wanted);
    sequence = array<std::uint64_t, 0>::from({10}, {});
    CHECK(numbers(rng::uniform(like, seed, sequence)) == uniforms(100, ~std::uint64_t{0}, 10));
  }

  TEST_CASE("a shape of rank 0 draws number 0") {
    const auto like = array<float, 0>::from({1}, {});
    CHECK(numbers(rng::uniform(like, 4)) == uniforms(1, 4));
  }

  TEST_CASE("normals are Box and Muller's pairs, within five units in the last place") {
    const std::int64_t count = 200001;
    const array<float, 1> like({count});
    const std::vector<float> singles = numbers(rng::normal(like, 6));
    const std::vector<double> doubles = numbers(rng::normal<double>(like, 6));
    double worst = 0, worst_double = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const auto w = static_cast<std::uint64_t>(i), first = w & ~std::uint64_t{1};
      const auto distance = [](long double got, long double exact, int bits) {
        if (exact == 0) return got == 0 ? 0.0 : 1e9;
        const int exponent = std::ilogb(exact) - bits + 1;
        return static_cast<double>(std::abs(std::ldexp(got - exact, -exponent)));
      };
      worst = std::max(worst, distance(singles[static_cast<std::size_t>(i)],
                                       reference_normal_of_bits(word(first, 6), word(first + 1, 6),
                                                                static_cast<std::uint32_t>(w)),
                                       24));
      worst_double =
          std::max(worst_double,
                   distance(doubles[static_cast<std::size_t>(i)],
                            reference_normal_of_bits(long_word(first, 6), long_word(first + 1, 6), w), 53));
    }
    CHECK(worst < 5);
    CHECK(worst_double < 5);
  }

  TEST_CASE("uniforms, normals and exponentials have the moments of their distributions") {
    const moments uniform = moments_of(numbers(rng::uniform(million(), 1))),
                  normal = moments_of(numbers(rng::normal(million(), 2))),
                  exponential = moments_of(numbers(rng::exponential<double>(million(), 3)));
    const auto near = [](double a, double b, double within) { return std::abs(a - b) < within; };
    CHECK(near(uniform.mean, 0.5, 0.002));
    CHECK(near(uniform.variance, 1.0 / 12, 0.0005));
    CHECK(near(uniform.kurtosis, 1.8, 0.01));
    CHECK(near(normal.mean, 0, 0.005));
    CHECK(near(normal.variance, 1, 0.007));
    CHECK(near(normal.skewness, 0, 0.012));
    CHECK(near(normal.kurtosis, 3, 0.025));
    CHECK(near(exponential.mean, 1, 0.005));
    CHECK(near(exponential.variance, 1, 0.015));
    CHECK(near(exponential.skewness, 2, 0.06));
  }

  TEST_CASE("exponentials are never negative, and 0 is positive") {
    CHECK(numbers(all(rng::exponential(million(), 3) >= 0.0f))[0]);
    CHECK_FALSE(numbers(any(signbit(rng::exponential(million(), 3))))[0]);
  }

  TEST_CASE("the type is that of like, or float") {
    const array<float16, 1> like({1000});
    static_assert(std::is_same_v<decltype(evaluated(rng::normal(like, 1))), array<float16, 1>>);
    static_assert(std::is_same_v<decltype(evaluated(rng::uniform(array<int, 1>({1}), 1))), array<float, 1>>);
    const moments normal = moments_of(numbers(astype<float>(rng::normal(like, 1))));
    CHECK(std::abs(normal.mean) < 0.15);
  }
}
