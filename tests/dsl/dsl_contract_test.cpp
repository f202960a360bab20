// The design's contract programs in small, as written there. The build also compiles this file with the other
// compilers (compilers/).
#include <cmath>
#include <limits>
#include <memory>
#include <ostream>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

#include <sinter/sinter.hpp>

using namespace sinter;

TEST_SUITE("dsl_contract") {
  TEST_CASE("points that a mask names become infinite, in one kernel") {
    auto masked = fuse([](auto points, auto mask) { return where(mask(all(), newaxis), inf, points); });
    const std::vector<float> host_points{1, 2, 3, 4, 5, 6};
    const std::vector<bool> host_mask{false, true};
    const std::size_t rows = 2;

    array<float, 2> points = array<float, 2>::from(host_points, {rows, 3});
    array<bool, 1> mask = array<bool, 1>::from(host_mask, {rows});
    const stream stream = stream::default_of(points.device());
    array<float, 2> out = masked(points, mask);
    std::vector<float> back = out.to_vector();

    const float infinity = std::numeric_limits<float>::infinity();
    const std::vector<float> expected{1, 2, 3, infinity, infinity, infinity};
    CHECK(back == expected);
    out(all(), all()) = 0;
    masked.into(out)(points, mask);
    CHECK(out.to_vector() == expected);
    CHECK(masked.on(stream)(points, mask).to_vector() == expected);
    out(all(), all()) = 0;
    masked.on(stream).into(out)(points, mask);
    CHECK(out.to_vector() == expected);
  }

  TEST_CASE("reductions broadcast back inside one kernel") {
    const array<float, 2> x = array<float, 2>::from(std::vector<float>{1, 1, 1, 1, 5, -200, -200, 5}, {2, 4});
    auto softmax = fuse("softmax", [](auto x) {
      auto e = exp(x - max(x, axis<1>, keepdims));
      return e / sum(e, axis<1>, keepdims);
    });
    CHECK(softmax(x).to_vector() == std::vector<float>{0.25f, 0.25f, 0.25f, 0.25f, 0.5f, 0, 0, 0.5f});
    auto moments = fuse([](auto x) { return std::tuple{mean(x, axis<0>), var(x, axis<0>)}; });
    const array<float, 2> points = array<float, 2>::from(std::vector<float>{1, 2, 3, 6}, {2, 2});
    auto [m, v] = moments(points);
    CHECK(m.to_vector() == std::vector<float>{2, 4});
    CHECK(v.to_vector() == std::vector<float>{1, 4});
  }

  TEST_CASE("several results come back as a tuple") {
    auto both = fuse([](auto x) { return std::tuple{x * x, x > 2}; });
    const array<float, 1> points = arange<float>(4);
    auto [squares, large] = both(points);
    CHECK(squares.to_vector() == std::vector<float>{0, 1, 4, 9});
    CHECK(large.to_vector() == std::vector<bool>{false, false, false, true});
  }

  TEST_CASE("a pair of values comes back as a pair of arrays") {
    auto both = fuse([](auto x) { return std::pair(x + 1, sum(x)); });
    auto product = fuse([](auto factors) { return factors.first * factors.second; });
    const array<float, 1> points = arange<float>(3);
    const std::pair<array<float, 1>, array<float, 0>> results = both(points);
    CHECK(results.first.to_vector() == std::vector<float>{1, 2, 3});
    CHECK(results.second.to_vector() == std::vector<float>{3});
    CHECK(product(results).to_vector() == std::vector<float>{3, 6, 9});
  }

  TEST_CASE("loops unroll and captures are run-time parameters") {
    const array<float, 1> x = full<float>(3, 4.0f), y = full<float>(3, 0.4f);
    const array<float, 1> bias = arange<float>(3);
    auto rsqrt_newton = fuse([](auto x, auto y) {
      for (int i = 0; i < 4; ++i) y = y * (1.5f - 0.5f * x * y * y);
      return y;
    });
    CHECK(std::fabs(rsqrt_newton(x, y).to_vector()[2] - 0.5f) < 1e-6f);

    float alpha = 0.5f;
    auto scaled = fuse([&](auto x) { return alpha * x + bias; });
    CHECK(scaled(x).to_vector() == std::vector<float>{2, 3, 4});
    alpha = 1;
    CHECK(scaled(x).to_vector() == std::vector<float>{4, 5, 6});
    auto axpy = fuse([](auto a, auto x, auto y) { return a * x + y; });
    CHECK(axpy(2.5f, x, bias).to_vector() == std::vector<float>{10, 11, 12});
  }

  TEST_CASE("expressions over arrays need no lambda") {
    const array<float, 1> x = linspace<float>(-1, 1, 12), y = ones<float>(12);
    array<float, 1> z = where(x > 0, x * y + 1, y - x);
    z = z / sum(abs(z));
    z += x;
    z(slice(0, 10)) = 0;
    CHECK(z.to_vector()[9] == 0);
    CHECK(z.to_vector()[11] > 1);
  }

  TEST_CASE("views copy nothing, on arrays and on values") {
    auto laplace = fuse([](auto u) {
      auto c = u(slice(1, -1), slice(1, -1));
      return u(slice(2, end), slice(1, -1)) + u(slice(0, -2), slice(1, -1)) + u(slice(1, -1), slice(2, end)) +
             u(slice(1, -1), slice(0, -2)) - 4 * c;
    });
    array<float, 2> points = zeros<float>({5, 6});
    points(2, 2) = 1;
    CHECK(laplace(points).to_vector() == std::vector<float>{0, 1, 0, 0, 1, -4, 1, 0, 0, 1, 0, 0});
    const array<float, 3> cube = zeros<float>({2, 3, 4});
    auto t = transpose(points);
    auto r = flip<0>(points);
    auto p = permute<2, 0, 1>(cube);
    CHECK(evaluate(t + 0).shape() == shape<2>{6, 5});
    CHECK(evaluate(r + 0).to_vector()[2 * 6 + 2] == 1);
    CHECK(evaluate(p + 0).shape() == shape<3>{4, 2, 3});
  }

  TEST_CASE("a function can be looked into and steered") {
    auto softplus = fuse("softplus", [](auto x) { return log1p(exp(x)); });
    const array<float, 1> x = zeros<float>(100);
    std::ostringstream out;
    out << softplus.explain(x);
    out << softplus.source(x);
    CHECK(out.str().find("softplus") != std::string::npos);
    softplus.prepare(x);
    CHECK(softplus.strict()(x).size() == 100);
    CHECK(softplus.fast()(x).size() == 100);
    const schedule schedule = parse_schedule(x.device().is_cpu() ? "rows steps=2" : "rows vector=1 steps=2");
    CHECK(parse_schedule(to_string(schedule)) == schedule);
    CHECK(softplus.with(schedule)(x).to_vector() == softplus(x).to_vector());
    softplus.prepare(described<float, 1>({extent_range(1, 1000)}));
  }
}
