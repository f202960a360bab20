#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/sinter.hpp>

using namespace sinter;

namespace {

// The end of this file's name, as it appears in messages.
const std::string this_file = std::string(__FILE__).substr(std::string(__FILE__).rfind('/') + 1);

std::vector<float> ramp(std::size_t count, float first = 0, float step = 1) {
  std::vector<float> numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = first + step * static_cast<float>(i);
  return numbers;
}

// Typed functions, as in a program without generic lambdas.
value<float, 1> twice(value<float, 1> x) { return x + x; }
template <class Value>
auto polynomial(const Value& x) {
  return 3 * x * x + 2 * x + 1;
}
struct offset {
  float by;
  template <class Value>
  auto operator()(const Value& x) const {
    return x + by;
  }
};

}  // namespace

TEST_SUITE("dsl_fuse") {
  TEST_CASE("the first contract program: where over a broadcast mask") {
    const auto masked = fuse([](auto points, auto mask) { return where(mask(all(), newaxis), inf, points); });
    const std::size_t rows = 5;
    const std::vector<float> host_points = ramp(15);
    const std::vector<bool> host_mask{true, false, true, false, false};
    const array<float, 2> points = array<float, 2>::from(host_points, {rows, 3});
    const array<bool, 1> mask = array<bool, 1>::from(host_mask, {rows});
    array<float, 2> out = masked(points, mask);
    std::vector<float> expected = host_points;
    for (std::size_t i = 0; i < expected.size(); ++i)
      if (host_mask[i / 3]) expected[i] = std::numeric_limits<float>::infinity();
    CHECK(out.to_vector() == expected);
    CHECK(out.shape() == shape<2>{5, 3});

    const float* before = out.data();
    out(all()) = 0;
    masked.into(out)(points, mask);
    CHECK(out.to_vector() == expected);
    CHECK(static_cast<const float*>(out.data()) == before);
    out(all()) = 0;
    const stream order = stream::create(out.device());
    masked.on(order).into(out)(points, mask);
    order.synchronize();
    CHECK(out.to_vector() == expected);
  }

  TEST_CASE("several results come back as a tuple and go into several arrays") {
    const auto both = fuse("sum_and_product", [](auto x, auto y) { return std::tuple{x + y, x * y}; });
    const auto x = array<float, 1>::from(ramp(6));
    const auto y = array<float, 1>::from(ramp(6, 10, -1));
    auto [sum, product] = both(x, y);
    CHECK(sum.to_vector() == std::vector<float>(6, 10));
    CHECK(product.to_vector() == std::vector<float>{0, 9, 16, 21, 24, 25});
    array<float, 1> other_sum(x.shape()), other_product(x.shape());
    both.into(other_sum, other_product)(x, y);
    CHECK(other_sum.to_vector() == sum.to_vector());
    CHECK(other_product.to_vector() == product.to_vector());
    std::tuple<array<float, 1>, array<float, 1>> pair = both(x, y);
    both.into(pair)(y, y);
    CHECK(std::get<0>(pair).to_vector() == std::vector<float>{20, 18, 16, 14, 12, 10});
  }

  TEST_CASE("a loop unrolls while recording and a parameter may be assigned") {
    const auto rsqrt_newton = fuse([](auto x, auto y) {
      for (int i = 0; i < 4; ++i) y = y * (1.5f - 0.5f * x * y * y);
      return y;
    });
    const std::vector<float> host = ramp(8, 1, 0.25f);
    const auto x = array<float, 1>::from(host);
    const std::vector<float> roots = rsqrt_newton(x, full<float>(8, 0.8f)).to_vector();
    for (std::size_t i = 0; i < host.size(); ++i)
      CHECK(roots[i] == doctest::Approx(1 / std::sqrt(host[i])).epsilon(1e-4));
  }

  TEST_CASE("captured numbers are run-time parameters and captured arrays are operands") {
    const auto x = array<float, 1>::from(ramp(4));
    const auto bias = array<float, 1>::from(ramp(4, 100, 1));
    float alpha = 0.5f;
    const auto scaled = fuse([&](auto values) { return alpha * values + bias; });
    CHECK(scaled(x).to_vector() == std::vector<float>{100, 101.5f, 103, 104.5f});
    const std::string text = scaled.source(x);
    alpha = 2;
    CHECK(scaled(x).to_vector() == std::vector<float>{100, 103, 106, 109});
    CHECK(scaled.source(x) == text);
    // a captured number is converted on the CPU to the type that it meets
    const auto halves = array<float16, 1>::from({float16(1), float16(2)}, {2});
    const double third = 1.0 / 3;
    const auto made = fuse([third](auto h) { return h * third; })(halves).to_vector();
    CHECK(made[0].bits() == float16(third).bits());
  }

  TEST_CASE("a number as argument is a run-time parameter that yields to what it meets") {
    const auto axpy = fuse([](auto a, auto x, auto y) { return a * x + y; });
    const auto x = array<float, 1>::from(ramp(3));
    const array<float, 1> out = axpy(2.5f, x, x);
    CHECK(out.to_vector() == std::vector<float>{0, 3.5f, 7});
    CHECK(axpy.source(2.5f, x, x) == axpy.source(-7.0f, x, x));
    const array<float, 1> from_double = axpy(2.5, x, x);
    const array<float, 1> from_integer = axpy(3, x, x);
    CHECK(from_double.to_vector() == out.to_vector());
    CHECK(from_integer.to_vector() == std::vector<float>{0, 4, 8});
    const array<double, 1> strong = axpy(scalar<double>(2), x, x);
    CHECK(strong.to_vector() == std::vector<double>{0, 3, 6});
    const auto bytes = array<std::int8_t, 1>::from({1, 2, 3}, {3});
    CHECK(axpy(2, bytes, bytes).to_vector() == std::vector<std::int8_t>{3, 6, 9});
    CHECK_THROWS_AS(axpy(200, bytes, bytes), type_error);
  }

  TEST_CASE("a stateless function is recorded once and a stateful one at each call") {
    static int stateless_recordings;
    stateless_recordings = 0;
    int stateful_recordings = 0;
    const auto x = array<float, 1>::from(ramp(4));
    const auto stateless = fuse([](auto v) {
      ++stateless_recordings;
      return v + 1;
    });
    const auto stateful = fuse([&stateful_recordings](auto v) {
      ++stateful_recordings;
      return v + 1;
    });
    for (int i = 0; i < 3; ++i) {
      CHECK(stateless(x).to_vector() == ramp(4, 1));
      CHECK(stateful(x).to_vector() == ramp(4, 1));
    }
    if (std::getenv("SINTER_CHECK") == nullptr) CHECK(stateless_recordings == 1);
    CHECK(stateful_recordings == 3);
    const auto y = array<double, 1>::from({1, 2}, {2});
    stateless(y);
    stateless.strict()(x);
    if (std::getenv("SINTER_CHECK") == nullptr) CHECK(stateless_recordings == 3);
  }

  TEST_CASE("a stateless function that meets an array is stateful from then on") {
    static int recordings;
    recordings = 0;
    const auto x = array<float, 1>::from(ramp(4));
    const auto with_array = fuse([](auto v) {
      ++recordings;
      const array<float, 1> made = arange<float>(static_cast<int>(4));
      const int number = recordings;
      return v * 10 + made + 0 * number;  // `made` is destroyed before the launch
    });
    CHECK(with_array(x).to_vector() == ramp(4, 0, 11));
    const int first = recordings;
    CHECK(with_array(x).to_vector() == ramp(4, 0, 11));
    CHECK(recordings == first + 1);
  }

  TEST_CASE("fused functions nest: with values they become part of the kernel") {
    const auto inner = fuse([](auto x) { return x * 2 + 1; });
    const auto x = array<float, 1>::from(ramp(4));
    const auto outer = fuse([inner](auto v) { return inner(v) - inner(v * v); });
    CHECK(outer(x).to_vector() == std::vector<float>{0, 0, -4, -12});
    // a stateless function inside a stateful recording keeps its literals; a stateful one inside a stateless
    // recording makes that stateful
    CHECK(outer.source(x).find("struct arguments") != std::string::npos);
    static float by;
    by = 3;
    const auto calls_stateful = fuse([](auto v) { return fuse(offset{by})(v) + 1; });
    CHECK(calls_stateful(x).to_vector() == ramp(4, 4));
    by = 5;
    CHECK(calls_stateful(x).to_vector() == ramp(4, 6));
    const auto with_scalar = fuse([](auto v) { return fuse([](auto a, auto b) { return a * b; })(2.5f, v); });
    CHECK(with_scalar(x).to_vector() == ramp(4, 0, 2.5f));
  }

  TEST_CASE("a call of a temporary function keeps the callable") {
    const auto x = array<float, 1>::from({1, 2, 3});
    array<float, 1> z(3);
    const auto heavy = std::make_shared<float>(10.0f);
    const stream where = stream::default_of(z.device());
    const auto call = fuse([shift = heavy](auto v) { return v + *shift; }).into(z);
    CHECK(heavy.use_count() == 2);
    call(x);
    CHECK(z.to_vector() == std::vector<float>{11, 12, 13});
    const auto on_stream =
        fuse([shift = heavy](auto v) { return v * *shift; }).assume_ordered().on(where).into(z);
    CHECK(heavy.use_count() == 3);
    on_stream(x);
    CHECK(z.to_vector() == std::vector<float>{10, 20, 30});
    const auto move_only =
        fuse([shift = std::make_unique<float>(1.0f)](auto v) { return v + *shift; }).assume_ordered().into(z);
    move_only(x);
    CHECK(z.to_vector() == std::vector<float>{2, 3, 4});
  }
  TEST_CASE("what a call with targets needs is told with them") {
    array<float, 2> square = ones<float>({16, 16}, device::cpu());
    const auto turned = fuse("dsl_fuse_turned", [](auto v) { return transpose(v) + 1.0f; });
    CHECK(turned.workspace_bytes(square) == 0);
    CHECK(turned.into(square).workspace_bytes(square) >= 16 * 16 * sizeof(float));
    array<float, 1> shorter({3}, device::cpu());
    const auto twice = fuse("dsl_fuse_twice", [](auto v) { return v * 2; });
    const array<float, 1> four = ones<float>({4}, device::cpu());
    CHECK_THROWS_AS(twice.into(shorter).prepare(four), shape_error);
    CHECK_THROWS_AS((void)twice.into(shorter).source(four), shape_error);
  }
  TEST_CASE("function pointers, functors, function templates and std::function are callables") {
    const auto x = array<float, 1>::from(ramp(4));
    CHECK(fuse(&twice)(x).to_vector() == ramp(4, 0, 2));
    CHECK(fuse(twice)(x).to_vector() == ramp(4, 0, 2));
    CHECK(fuse(offset{7})(x).to_vector() == ramp(4, 7));
    CHECK(fuse([](auto v) { return polynomial(v); })(x).to_vector() == std::vector<float>{1, 6, 17, 34});
    const std::function<value<float, 1>(value<float, 1>, value<float, 0>)> scale = [](auto v, auto by) {
      return v * by;
    };
    CHECK(fuse(scale)(x, 3).to_vector() == ramp(4, 0, 3));
    CHECK(fuse(scale)(x, 3.0).to_vector() == ramp(4, 0, 3));
  }

  TEST_CASE("a move-only capture makes a function that is called in place") {
    const auto x = array<float, 1>::from(ramp(4));
    const auto add_table = fuse([table = array<float, 1>::from(ramp(4, 1))](auto v) { return v + table; });
    CHECK(add_table(x).to_vector() == ramp(4, 1, 2));
    array<float, 1> out(x.shape());
    add_table.into(out)(x);
    CHECK(out.to_vector() == ramp(4, 1, 2));
  }

  TEST_CASE("expressions as arguments are computed in the same kernel") {
    const auto axpy = fuse([](auto a, auto x, auto y) { return a * x + y; });
    const auto x = array<float, 1>::from(ramp(4));
    CHECK(axpy(2, x + 1, x * x).to_vector() == std::vector<float>{2, 5, 10, 17});
    CHECK(axpy(2, x + 1, x).to_vector() == ramp(4, 2, 3));
    int offset_by = 1;
    const auto with_state = fuse([&](auto v) { return v + offset_by; });
    CHECK(with_state(x * x).to_vector() == std::vector<float>{1, 2, 5, 10});
  }

  TEST_CASE("a Laplacian of slices equals the loop") {
    const auto laplace = fuse([](auto u) {
      auto c = u(slice(1, -1), slice(1, -1));
      return u(slice(2, end), slice(1, -1)) + u(slice(0, -2), slice(1, -1)) + u(slice(1, -1), slice(2, end)) +
             u(slice(1, -1), slice(0, -2)) - 4 * c;
    });
    const std::size_t rows = 6, columns = 7;
    std::vector<float> host(rows * columns);
    for (std::size_t i = 0; i < host.size(); ++i) host[i] = static_cast<float>((i * i) % 11);
    const auto u = array<float, 2>::from(host, {rows, columns});
    const array<float, 2> out = laplace(u);
    CHECK(out.shape() == shape<2>{rows - 2, columns - 2});
    const std::vector<float> values = out.to_vector();
    for (std::size_t i = 1; i + 1 < rows; ++i)
      for (std::size_t j = 1; j + 1 < columns; ++j) {
        const auto at = [&](std::size_t r, std::size_t c) { return host[r * columns + c]; };
        CHECK(values[(i - 1) * (columns - 2) + j - 1] ==
              at(i + 1, j) + at(i - 1, j) + at(i, j + 1) + at(i, j - 1) - 4 * at(i, j));
      }
  }

  TEST_CASE("indices and bounds that are captured are run-time parameters") {
    const auto x = array<float, 1>::from(ramp(10));
    int start = 2, position = 4;
    const auto pick = fuse([&](auto v) { return v(slice(start, start + 3)) + v(position); });
    CHECK(pick(x).to_vector() == std::vector<float>{6, 7, 8});
    const std::string text = pick.source(x);
    start = 5;
    position = -1;
    CHECK(pick(x).to_vector() == std::vector<float>{14, 15, 16});
    position = 10;
    CHECK_THROWS_AS(pick(x), shape_error);
  }

  TEST_CASE("permutations, flips, coordinates and extents of values") {
    std::vector<float> host = ramp(6);
    const auto x = array<float, 2>::from(host, {2, 3});
    CHECK(fuse([](auto v) { return transpose(v); })(x).to_vector() == std::vector<float>{0, 3, 1, 4, 2, 5});
    CHECK(fuse([](auto v) { return flip<1>(v) + permute<0, 1>(v); })(x).to_vector() ==
          std::vector<float>{2, 2, 2, 8, 8, 8});
    const auto places =
        fuse([](auto v) { return coordinate<0>(v) * 10 + coordinate<-1>(v) + 100 * extent<1>(v); });
    const array<std::int64_t, 2> where_they_are = places(x);
    CHECK(where_they_are.to_vector() == std::vector<std::int64_t>{300, 301, 302, 310, 311, 312});
  }

  TEST_CASE("constants and literals reach the kernel bit for bit") {
    const auto zeros_of =
        fuse([](auto v) { return std::tuple{v * 0 + pi, where(v == v, nan, v), v * 0 - inf, 0 * v + 0.1f}; });
    auto [circle, not_a_number, negative, tenth] = zeros_of(array<float, 1>::from({1}, {1}));
    CHECK(circle.to_vector()[0] == 3.14159265358979323846f);
    CHECK(std::isnan(not_a_number.to_vector()[0]));
    CHECK(negative.to_vector()[0] == -std::numeric_limits<float>::infinity());
    CHECK(tenth.to_vector()[0] == 0.1f);
    const auto halves = array<float16, 1>::from({float16(1)}, {1});
    CHECK(fuse([](auto v) { return where(v < 0, v, inf); })(halves).to_vector()[0].bits() == 0x7c00);
    const array<double, 1> wide = fuse([](auto v) { return v * e; })(array<int, 1>::from({1}, {1}));
    CHECK(wide.to_vector()[0] == 2.718281828459045);
    // in a stateful function a constant is not a parameter, and neither is literal()
    int state = 0;
    const auto x = array<float, 1>::from({1}, {1});
    const auto stateful = fuse([&](auto v) { return v * pi + literal(2.5) + state; });
    CHECK(stateful.explain(x).find("parameter 1") == std::string::npos);
    CHECK(stateful(x).to_vector()[0] == doctest::Approx(5.6415926));
  }

  TEST_CASE("a name is the kernel's name and modes are functions of their own") {
    const auto x = array<float, 1>::from(ramp(4, 1));
    const auto named = fuse("my_kernel", [](auto v) { return 1 / v; });
    CHECK(named.source(x).find("my_kernel") != std::string::npos);
    CHECK(named(x).to_vector()[1] == 0.5f);
    CHECK(named.strict()(x).to_vector()[3] == 0.25f);
    CHECK(named.fast()(x).to_vector()[3] == doctest::Approx(0.25f));
    CHECK(named.explain(x).find("graph") != std::string::npos);
    named.prepare(x);
    CHECK(named.workspace_bytes(x) == 0);
  }

  TEST_CASE("two functors of one type keep their names and arguments apart") {
    const auto x = array<float, 1>::from(ramp(2, 1));
    const auto callable = [](auto v) { return v + 1; };
    const auto first = fuse("first_name", callable), second = fuse("second_name", callable);
    CHECK(first.source(x).find("first_name") != std::string::npos);
    CHECK(second.source(x).find("second_name") != std::string::npos);
    CHECK(first.source(x).find("first_name") != std::string::npos);
  }

  TEST_CASE("a mismatch of shapes names the operation, the shapes and both lines") {
    const int fused_at = __LINE__ + 1;
    const auto sum = fuse([](auto a, auto b) {
      auto scaled = a * 2;
      return scaled + b;
    });
    const auto x = array<float, 1>::from(ramp(4)), y = array<float, 1>::from(ramp(5));
    std::string message;
    try {
      sum(x, y);
    } catch (const shape_error& thrown) {
      message = thrown.what();
    }
    CHECK(message.find("add") != std::string::npos);
    CHECK(message.find("float32[4]") != std::string::npos);
    CHECK(message.find("float32[5]") != std::string::npos);
    CHECK(message.find(this_file + ":" + std::to_string(fused_at)) != std::string::npos);
    CHECK(message.find(this_file + ":" + std::to_string(fused_at + 2)) != std::string::npos);
  }

  TEST_CASE("a value used in another recording throws, and an exception unwinds the recordings") {
    const auto x = array<float, 1>::from(ramp(4));
    const auto mixes = fuse([&](auto v) {
      const auto inner = fuse([&](auto w) { return w + v; });
      return v + inner(x);  // launches: v belongs to the outer recording
    });
    CHECK_THROWS_AS(mixes(x), error);
    const auto throws = fuse([&](auto v) {
      if (x.size() == 4) throw std::runtime_error("mine");
      return v;
    });
    CHECK_THROWS_WITH(throws(x), "mine");
    // a stateless function is recorded once; an incomplete recording is not stored
    static int attempts = 0;
    const auto once = fuse([](auto v) {
      const auto made = v * 2;
      if (attempts++ == 0) throw std::runtime_error("not yet");
      return made;
    });
    CHECK_THROWS_WITH(once(x), "not yet");
    CHECK(once(x).to_vector() == std::vector<float>{0, 2, 4, 6});
    // an exception inside a nested recording unwinds both
    const auto outer = fuse([&](auto v) { return throws(v) + v; });
    CHECK_THROWS_WITH(outer(x), "mine");
    std::vector<value<float, 1>> kept;
    fuse([&](auto v) {
      kept.push_back(v);
      return v;
    })(x);
    CHECK_THROWS_AS(kept[0] + kept[0], error);
    CHECK(fuse([](auto v) { return v + 1; })(x).to_vector() == ramp(4, 1));
  }

  TEST_CASE("one function serves many threads at once") {
    static const auto function = fuse([](auto x, auto a) { return x * a + 1; });
    std::vector<std::thread> threads;
    std::vector<int> wrong(4, 0);
    for (std::size_t t = 0; t < wrong.size(); ++t)
      threads.emplace_back([t, &wrong] {
        const auto x = array<float, 1>::from(ramp(100));
        for (int i = 0; i < 50; ++i) {
          const float a = static_cast<float>(t) + static_cast<float>(i);
          const auto stateful = fuse([a](auto v) { return v * a + 1; });
          if (function(x, a).to_vector() != ramp(100, 1, a)) ++wrong[t];
          if (stateful(x).to_vector() != ramp(100, 1, a)) ++wrong[t];
        }
      });
    for (std::thread& thread : threads) thread.join();
    CHECK(std::accumulate(wrong.begin(), wrong.end(), 0) == 0);
  }

  TEST_CASE("a result may be the array that is read") {
    auto x = array<float, 1>::from(ramp(6));
    const auto reversed_sum = fuse([](auto v) { return v + flip<0>(v) * 10; });
    reversed_sum.into(x)(x);
    CHECK(x.to_vector() == std::vector<float>{50, 41, 32, 23, 14, 5});
  }
}
