// Counts of integers and of bins, beside loops: edges, NaN, bounds, weights and types.

#include <doctest/doctest.h>

#include <sinter/sinter.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace sinter::test {
namespace {

using counts = std::vector<std::int64_t>;

template <class T>
array<T, 1> vector_of(const std::vector<T>& elements) {
  return array<T, 1>::from(elements);
}
template <class Expression>
counts counted(const Expression& expression) {
  return array<std::int64_t, 1>(expression).to_vector();
}

array<double, 0> scalar_of(double number) {
  return array<double, 0>::from(std::vector<double>{number}, shape<0>{});
}

/// NumPy's linspace in float64, rounded to the type of the edges.
template <class Edge>
std::vector<Edge> edges_of(std::int64_t bins, double low, double high) {
  if (low == high) {
    low -= 0.5;
    high += 0.5;
  }
  std::vector<Edge> edges;
  const double step = (high - low) / static_cast<double>(bins);
  for (std::int64_t i = 0; i <= bins; ++i) {
    const volatile double product = static_cast<double>(i) * step;  // no fused multiply-add
    edges.push_back(static_cast<Edge>(i == bins ? high : product + low));
  }
  return edges;
}
/// The bin of an element by NumPy's quotient, which edges correct by one; -1 for none.
template <class Edge>
std::int64_t bin_of(const std::vector<Edge>& edges, Edge x) {
  const Edge low = edges.front(), high = edges.back();
  if (!(x >= low && x <= high)) return -1;
  const auto bins = static_cast<std::int64_t>(edges.size()) - 1;
  const volatile Edge part = static_cast<Edge>(x - low) / static_cast<Edge>(high - low);
  auto bin = std::min(static_cast<std::int64_t>(part * static_cast<Edge>(bins)), bins - 1);
  if (x < edges[static_cast<std::size_t>(bin)]) --bin;
  if (bin != bins - 1 && x >= edges[static_cast<std::size_t>(bin) + 1]) ++bin;
  return bin;
}
template <class Edge, class T>
counts counted_as_numpy(const std::vector<T>& x, std::int64_t bins, double low, double high) {
  const std::vector<Edge> edges = edges_of<Edge>(bins, low, high);
  counts made(static_cast<std::size_t>(bins));
  for (const T& element : x)
    if (const std::int64_t bin = bin_of(edges, static_cast<Edge>(element)); bin >= 0)
      ++made[static_cast<std::size_t>(bin)];
  return made;
}

/// Random numbers, each edge with its neighbours, and what is in no bin.
template <class T>
std::vector<T> hard_elements(std::int64_t bins, double low, double high) {
  std::mt19937 random(static_cast<unsigned>(bins));
  std::vector<T> made;
  for (const T& edge : edges_of<T>(bins, low, high))
    for (const T towards : {-std::numeric_limits<T>::infinity(), std::numeric_limits<T>::infinity()}) {
      made.push_back(edge);
      made.push_back(std::nextafter(edge, towards));
    }
  std::uniform_real_distribution<double> around(low - 0.1 * (high - low), high + 0.1 * (high - low));
  for (int i = 0; i < 1000; ++i) made.push_back(static_cast<T>(around(random)));
  for (const T& other : {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity(),
                         -std::numeric_limits<T>::infinity(), T(0), -T(0)})
    made.push_back(other);
  return made;
}

template <class T>
void check_bins(std::int64_t bins, double low, double high) {
  CAPTURE(bins);
  CAPTURE(low);
  CAPTURE(high);
  const std::vector<T> elements = hard_elements<T>(bins, low, high);
  const array<T, 1> x = vector_of(elements);
  const auto histogram_of =
      fuse([](auto x, auto bins, auto low, auto high) { return histogram(x, bins, low, high); });
  const counts wanted = counted_as_numpy<T>(elements, bins, low, high);
  const auto check = [&](const auto& function) {
    CHECK(function(x, bins, static_cast<T>(low), static_cast<T>(high)).to_vector() == wanted);
  };
  check(histogram_of);
  check(histogram_of.strict());
  check(histogram_of.fast());
  check(histogram_of.general());
}

}  // namespace

TEST_SUITE("counts of integers") {
  TEST_CASE("bincount counts each integer, of any type and shape") {
    CHECK(counted(bincount(vector_of<int>({1, 3, 1, 0}), 5)) == counts{1, 2, 0, 1, 0});
    CHECK(counted(bincount(vector_of<std::uint8_t>({255, 0, 255}), 256))[255] == 2);
    CHECK(counted(bincount(array<std::int64_t, 2>::from(counts{1, 1, 0, 1}, {2, 2}), 2)) == counts{1, 3});
    CHECK(counted(bincount(array<int, 1>({0}), 3)) == counts{0, 0, 0});
    CHECK(counted(bincount(array<int, 1>({0}), 0)).empty());
  }
  TEST_CASE("negative numbers and those from n on are errors") {
    for (const int k : {-1, 4, 1000}) {
      CHECK_THROWS_AS(counted(bincount(vector_of<int>({0, k}), 4)), index_error);
      CHECK_THROWS_WITH_AS(counted(bincount(vector_of<int>({0, k}), 4)),
                           doctest::Contains(("index " + std::to_string(k)).c_str()), index_error);
    }
  }
  TEST_CASE("weights are added instead, in their type, integers in 64 bits") {
    const array<int, 1> k = vector_of<int>({1, 3, 1});
    const array<float, 1> sums = bincount(k, 4, weights(vector_of<float>({0.5f, 2, 0.25f})));
    CHECK(sums.to_vector() == std::vector<float>{0, 0.75f, 0, 2});
    CHECK(counted(bincount(k, 4, weights(vector_of<std::int8_t>({100, 1, 100})))) == counts{0, 200, 0, 1});
    const auto fused = fuse([](auto k, auto w) { return bincount(k, 4, weights(w * 2)); });
    CHECK(fused(k, vector_of<double>({1, 2, 3})).to_vector() == std::vector<double>{0, 8, 0, 4});
  }
  TEST_CASE("the number of counts is a number, an argument or an extent") {
    const auto by_extent = fuse([](auto k, auto like) { return bincount(k, extent<0>(like)); });
    CHECK(by_extent(vector_of<int>({1, 1}), zeros<float>(3)).to_vector() == counts{0, 2, 0});
    const auto by_argument = fuse([](auto k, auto n) { return bincount(k, n + 1); });
    CHECK(by_argument(vector_of<int>({1, 1}), 1).to_vector() == counts{0, 2});
  }
}

TEST_SUITE("histograms") {
  TEST_CASE("an edge belongs to the bin above it, and the last one to the last bin") {
    CHECK(counted(histogram(vector_of<float>({0, 1, 1.5f, 2, 4, 5, -1, 6}), 5, 0.f, 5.f)) ==
          counts{1, 2, 1, 0, 2});
    CHECK(counted(histogram(vector_of<int>({0, 1, 1, 9}), 3, 0, 9)) == counts{3, 0, 1});
  }
  TEST_CASE("elements at edges, beside them and far from them, as NumPy counts them") {
    for (const std::int64_t bins : {1, 2, 3, 10, 256, 1000}) {
      check_bins<float>(bins, 0, 1);
      check_bins<float>(bins, -3.7f, 11.3f);
      check_bins<double>(bins, 0, 1);
      check_bins<double>(bins, -1e300, 1e299);
      check_bins<float>(bins, 1e6f, 1e6f + 7);  // edges that are few units in the last place apart
      check_bins<double>(bins, 5, 5);
    }
  }
  TEST_CASE("halves are compared with edges of their own type") {
    std::vector<float> numbers;
    std::vector<float16> halves;
    for (int i = -20; i <= 1100; ++i) halves.push_back(float16(static_cast<float>(i) / 1000));
    for (const float16& half : halves) numbers.push_back(static_cast<float>(half));
    std::vector<float> edges;
    for (const float edge : edges_of<float>(7, 0, 1)) edges.push_back(static_cast<float>(float16(edge)));
    counts wanted(7);
    for (const float x : numbers)
      if (const std::int64_t bin = bin_of(edges, x); bin >= 0) ++wanted[static_cast<std::size_t>(bin)];
    CHECK(counted(histogram(vector_of(halves), 7, 0, 1)) == wanted);
  }
  TEST_CASE("integers are counted between edges of float64") {
    std::vector<std::uint8_t> pixels;
    for (int i = 0; i < 1000; ++i) pixels.push_back(static_cast<std::uint8_t>(i * 7));
    CHECK(counted(histogram(vector_of(pixels), 256, 0, 255)) ==
          counted_as_numpy<double>(pixels, 256, 0, 255));
    CHECK(counted(histogram(vector_of(pixels), 10, 0, 255)) == counted_as_numpy<double>(pixels, 10, 0, 255));
  }
  TEST_CASE("without elements, and between bounds of the wrong order, nothing is counted") {
    CHECK(counted(histogram(array<float, 1>({0}), 3, 0, 1)) == counts{0, 0, 0});
    CHECK(counted(histogram(vector_of<float>({0, 0.5f, 1}), 3, 1, 0)) == counts{0, 0, 0});
  }
  TEST_CASE("short floats between edges of float64 are compared as float64") {
    const std::vector<float> elements = hard_elements<float>(10, 0, 1);
    const auto by_doubles = fuse([](auto x, auto low, auto high) { return histogram(x, 10, low, high); });
    const array<double, 0> low = scalar_of(0.), high = scalar_of(1.);
    CHECK(by_doubles(vector_of(elements), low, high).to_vector() ==
          counted_as_numpy<double>(elements, 10, 0, 1));
    CHECK(counted(histogram(vector_of<float>({0.32f}), 32, low * 8 - 4, high * 8 - 4)) ==
          counted_as_numpy<double>(std::vector<float>{0.32f}, 32, -4, 4));
  }
  TEST_CASE("no bins count nothing") {
    CHECK(counted(histogram(vector_of<float>({0, 1}), 0, 0, 1)).empty());
    const array<float, 1> sums =
        histogram(vector_of<float>({0, 1}), 0, 0, 1, weights(vector_of<float>({1, 2})));
    CHECK(sums.size() == 0);
  }
  TEST_CASE("weights of the elements are added") {
    const array<float, 1> x = vector_of<float>({0, 1, 1, 7}), w = vector_of<float>({1, 2, 4, 8});
    const array<float, 1> sums = histogram(x, 2, 0, 2, weights(w));
    CHECK(sums.to_vector() == std::vector<float>{1, 6});
  }
  TEST_CASE("equal on every run, and fused with what is counted") {
    const auto of_squares = fuse([](auto x) { return histogram(x * x, 16, 0.f, 1.f); });
    std::vector<float> numbers(100000);
    std::mt19937 random(7);
    for (float& number : numbers) number = std::uniform_real_distribution<float>(-1, 1)(random);
    std::vector<float> squares = numbers;
    for (float& square : squares) square *= square;
    const counts wanted = counted_as_numpy<float>(squares, 16, 0, 1);
    for (int run = 0; run < 3; ++run) CHECK(of_squares(vector_of(numbers)).to_vector() == wanted);
  }
}

TEST_SUITE("histograms of two axes") {
  TEST_CASE("row i has the bins of y for bin i of x, by edges of float64") {
    std::vector<float> x, y;
    std::mt19937 random(3);
    for (int i = 0; i < 3000; ++i) {
      x.push_back(std::uniform_real_distribution<float>(-0.2f, 1.2f)(random));
      y.push_back(static_cast<float>(i % 11) * 0.1f);
    }
    const auto of_points = fuse([](auto x, auto y) { return histogram2d(x, y, 7, 10, 0.0, 1.0, 0.0, 1.0); });
    const array<std::int64_t, 2> made = of_points(vector_of(x), vector_of(y));
    CHECK(made.shape() == shape<2>{7, 10});
    counts wanted(70);
    const auto edges_x = edges_of<double>(7, 0, 1), edges_y = edges_of<double>(10, 0, 1);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::int64_t row = bin_of<double>(edges_x, x[i]), column = bin_of<double>(edges_y, y[i]);
      if (row >= 0 && column >= 0) ++wanted[static_cast<std::size_t>(row * 10 + column)];
    }
    CHECK(made.to_vector() == wanted);
    CHECK(of_points.general()(vector_of(x), vector_of(y)).to_vector() == wanted);
  }
  TEST_CASE("an axis without bins, or with fewer than none") {
    const auto counts =
        fuse([](auto x, auto rows, auto columns) { return histogram2d(x, x, rows, columns, 0, 1, 0, 1); });
    const array<double, 1> x = vector_of<double>({0.1, 0.9});
    CHECK(counts(x, 2, 0).shape() == shape<2>{2, 0});
    CHECK(counts(x, 0, 3).shape() == shape<2>{0, 3});
    CHECK_THROWS_AS(counts(x, -2, -3), shape_error);
  }
  TEST_CASE("weights of the points are added") {
    const array<double, 1> x = vector_of<double>({0.1, 0.9, 0.9}), w = vector_of<double>({1, 2, 4});
    const array<double, 2> sums = histogram2d(x, x, 2, 2, 0, 1, 0, 1, weights(w));
    CHECK(sums.to_vector() == std::vector<double>{1, 0, 0, 6});
  }
}

}  // namespace sinter::test
