// Variances: accurate however far from zero the elements are, and read once however long the rows are.

#include <doctest/doctest.h>

#include "../support/sweep/sweep.hpp"
#include "../support/sweep/sweep_layout.hpp"

#include <sinter/codegen/simplify/simplify.hpp>
#include <sinter/dsl/detail/recorder.hpp>
#include <sinter/sinter.hpp>

#include <cmath>
#include <functional>
#include <limits>
#include <random>

namespace sinter::test {
namespace {

/// The pass's output for the graph that `body` records on arrays of these types and shapes.
template <class... Arguments, class Body>
lowered_call lowered_on(const target_facts& target, const std::vector<layout>& arrays, const Body& body) {
  detail::call_site site;
  detail::frame recording(site, true);
  detail::record_declared<Body, Arguments...>(&body);
  return lower(simplify(recording->steps.builder().recorded()), arrays, target);
}

template <class T, unsigned Rank>
using in = view<const T, Rank>;

/// Bytes of inputs that all stages read; an element counts as often as it is read.
std::int64_t bytes_read(const lowered_call& lowered) {
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < lowered.stage_count; ++i) {
    const stage& made = lowered.stages[i];
    for (const access& at : made.body.accesses) {
      if (at.what != access::kind::read || at.place != access::where::argument) continue;
      auto all = static_cast<std::int64_t>(size_of(at.type));
      for (unsigned axis = 0; axis < made.body.rank; ++axis)
        if (at.strides[axis] != 0)
          all *=
              made.body.split >= 0 && made.body.is_reduced(axis) ? made.body.whole : made.body.extents[axis];
      bytes += all;
    }
  }
  return bytes;
}

struct moments {
  double mean = 0, variance = 0;
};

/// In double-double style: the mean first, then distances from it.
moments exact(const std::vector<float>& values, const std::function<bool(std::size_t)>& counts, double ddof) {
  long double sum = 0, squares = 0, count = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (counts(i)) {
      sum += values[i];
      count += 1;
    }
  const long double mean = sum / count;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (counts(i)) squares += (values[i] - mean) * (values[i] - mean);
  return {static_cast<double>(mean), static_cast<double>(squares / (count - ddof))};
}

struct data_set {
  const char* name;
  std::function<float(std::size_t position, std::size_t count, float drawn)> element;
};

/// `drawn` is uniform between -1 and 1.
const data_set data_sets[] = {
    {"around zero", [](auto, auto, float drawn) { return drawn; }},
    {"far from zero", [](auto, auto, float drawn) { return 1e6f + drawn; }},
    {"the first element far off", [](std::size_t i, auto, float drawn) { return i == 0 ? 1e4f : 3 + drawn; }},
    {"the first half all the same",
     [](std::size_t i, std::size_t n, float drawn) { return i < n / 2 ? 1e3f : 1e3f + drawn; }},
    {"rising", [](std::size_t i, std::size_t n,
                  float drawn) { return drawn + 1e3f * static_cast<float>(i) / static_cast<float>(n); }},
};

std::vector<float> drawn_from(const data_set& from, std::size_t count) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> even(-1, 1);
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = from.element(i, count, even(random));
  return values;
}

double apart(double a, double b) { return std::abs(a - b) / std::abs(b); }

constexpr std::int64_t giant = std::int64_t{1} << 28;

}  // namespace

TEST_CASE("variances are right to 1e-5 wherever the elements lie, in resident rows and in pieces") {
  for (const device on : sweep_devices())
    for (const data_set& from : data_sets)
      // one element, resident rows, slightly longer ones, pieces of which the last is short, many pieces
      for (const std::size_t count : {2u, 100u, 4096u, 32769u, 100003u, 1u << 20}) {
        INFO(on.to_string(), ": ", from.name, ", ", count);
        const std::vector<float> values = drawn_from(from, count);
        const moments expected = exact(values, [](auto) { return true; }, 0);
        const auto x = array<float, 1>::from(values, {count}, on);
        const auto [m, v] = fuse([](auto a) { return std::tuple{mean(a), var(a)}; })(x);
        CHECK(apart(m.to_vector()[0], expected.mean) < 1e-5);
        // two different numbers near 1e6 differ by at least 1/16
        CHECK(apart(v.to_vector()[0], expected.variance) < 1e-5);
      }
}

TEST_CASE("columns of a tall matrix have the variances of their elements") {
  constexpr std::int64_t rows = 5003, columns = 19;
  for (const device on : sweep_devices())
    for (const data_set& from : data_sets) {
      INFO(on.to_string(), ": ", from.name);
      std::vector<float> all(rows * columns);
      std::vector<moments> expected;
      for (std::int64_t column = 0; column < columns; ++column) {
        const std::vector<float> values = drawn_from(from, rows);
        for (std::int64_t row = 0; row < rows; ++row)
          all[static_cast<std::size_t>(row * columns + column)] = values[static_cast<std::size_t>(row)];
        expected.push_back(exact(values, [](auto) { return true; }, 0));
      }
      const auto x = array<float, 2>::from(all, {rows, columns}, on);
      const std::vector<float> found = fuse([](auto a) { return var(a, axis<0>); })(x).to_vector();
      for (std::size_t column = 0; column < columns; ++column)
        CHECK(apart(found[column], expected[column].variance) < 1e-5);
    }
}

TEST_CASE("masks, NaN and degrees of freedom count in pieces as they do in rows") {
  for (const device on : sweep_devices())
    for (const std::size_t count : {1000u, 200003u}) {
      INFO(on.to_string(), ": ", count);
      std::vector<float> values = drawn_from(data_sets[1], count), holes = values;
      // whole pieces are masked
      const auto counts = [&](std::size_t i) { return i % 3 != 0 && (i < 40 || i > count / 2); };
      array<bool, 1> mask({static_cast<std::int64_t>(count)}, device::cpu());
      for (std::size_t i = 0; i < count; ++i) {
        mask.data()[i] = counts(i);
        if (!counts(i)) {
          values[i] = 1e30f;
          holes[i] = std::numeric_limits<float>::quiet_NaN();
        }
      }
      const auto held = mask.to(on);
      const auto x = array<float, 1>::from(values, {count}, on),
                 y = array<float, 1>::from(holes, {count}, on);
      const double expected = exact(values, counts, 0).variance,
                   corrected = exact(values, counts, 1).variance;
      const auto one = [](const auto& made) { return made.to_vector()[0]; };
      CHECK(apart(one(fuse([](auto a, auto m) { return var(a, only_where(m)); })(x, held)), expected) < 1e-5);
      CHECK(apart(one(fuse([](auto a, auto m) { return var(a, only_where(m), ddof(1)); })(x, held)),
                  corrected) < 1e-5);
      CHECK(apart(one(fuse([](auto a) { return nanvar(a); })(y)), expected) < 1e-5);
      CHECK(apart(one(fuse([](auto a) { return nanstddev(a, ddof(1)); })(y)), std::sqrt(corrected)) < 1e-5);
    }
}

TEST_CASE("a variance written by hand is split like the library's") {
  for (const device on : sweep_devices())
    for (const std::size_t count : {1000u, 300001u}) {
      const std::vector<float> values = drawn_from(data_sets[4], count);
      const auto x = array<float, 1>::from(values, {count}, on);
      const auto by_hand = fuse([](auto a) {
        const auto d = a - mean(a);
        return mean(d * d);
      })(x);
      CHECK(apart(by_hand.to_vector()[0], exact(values, [](auto) { return true; }, 0).variance) < 1e-5);
      const auto squared = fuse([](auto a) { return mean(square(a - mean(a, keepdims))); })(x);
      CHECK(apart(squared.to_vector()[0], by_hand.to_vector()[0]) < 1e-5);
    }
}

TEST_CASE("infinite, equal and missing elements have NumPy's variances") {
  const float inf_ = std::numeric_limits<float>::infinity();
  for (const device on : sweep_devices()) {
    const auto variance = [&](const std::vector<float>& values) {
      const auto x = array<float, 1>::from(values, {values.size()}, on);
      return fuse([](auto a) { return var(a); })(x).to_vector()[0];
    };
    for (const std::size_t count : {1u, 7u, 100000u}) {
      CHECK(variance(std::vector<float>(count, 0.1f)) == 0);
      std::vector<float> values(count, 1.0f);
      values[count / 2] = inf_;
      CHECK(std::isnan(variance(values)));
      const auto x = array<float, 1>::from(values, {count}, on);
      const auto [m, v] = fuse([](auto a) { return std::tuple{mean(a), var(a)}; })(x);
      CHECK(m.to_vector()[0] == inf_);
      CHECK(std::isnan(v.to_vector()[0]));
    }
    CHECK(std::isnan(variance({})));
    CHECK(std::isinf(variance({1e25f, -1e25f})));
  }
}

TEST_CASE("half types and integers have variances in the type that they are computed in") {
  for (const device on : sweep_devices()) {
    constexpr std::size_t count = 70001;
    std::vector<float> values(count);
    std::vector<float16> halves(count);
    std::vector<std::int32_t> whole(count);
    for (std::size_t i = 0; i < count; ++i) {
      whole[i] = 1000 + static_cast<std::int32_t>(i % 17);
      values[i] = static_cast<float>(whole[i]);
      halves[i] = float16(values[i]);
    }
    const double expected = exact(values, [](auto) { return true; }, 0).variance;
    const auto of = [&](const auto& from) {
      using element = std::remove_cvref_t<decltype(from[0])>;
      const auto x = array<element, 1>::from(from, {count}, on);
      return static_cast<double>(static_cast<float>(fuse([](auto a) { return var(a); })(x).to_vector()[0]));
    };
    CHECK(apart(of(whole), expected) < 1e-6);
    CHECK(apart(of(halves), expected) < 1e-3);
  }
}

TEST_CASE("a giant array is read once for its variance and twice to be normalised") {
  for (const target_facts& target : {cuda_facts(), cpu_facts()}) {
    INFO("target ", static_cast<int>(target.kind));
    const std::vector<layout> line{contiguous({giant})};
    const lowered_call both =
        lowered_on<in<float, 1>>(target, line, [](auto x) { return std::tuple{mean(x), stddev(x)}; });
    CHECK(bytes_read(both) == 4 * giant);
    CHECK(both.stage_count == 2);
    const lowered_call normal =
        lowered_on<in<float, 1>>(target, line, [](auto x) { return (x - mean(x)) / stddev(x); });
    CHECK(bytes_read(normal) == 8 * giant);
    CHECK(normal.stage_count == 3);
    CHECK(normal.stages[0].body.stores.size() == 4);  // sum, centre and the two sums of distances
    const lowered_call by_hand = lowered_on<in<float, 1>>(target, line, [](auto x) {
      const auto d = x - mean(x);
      return d * rsqrt(mean(d * d) + 1e-5f);
    });
    CHECK(bytes_read(by_hand) == 8 * giant);
  }
}

TEST_CASE("columns and rows that are too long to keep are read once, too, for next to no more traffic") {
  for (const target_facts& target : {cuda_facts(), cpu_facts()})
    for (const bool rows : {false, true}) {
      INFO("target ", static_cast<int>(target.kind), rows ? ", rows" : ", columns");
      const std::vector<layout> matrix{rows ? contiguous({512, 1 << 19}) : contiguous({1 << 16, 1 << 12})};
      const lowered_call lowered =
          rows ? lowered_on<in<float, 2>>(target, matrix, [](auto x) { return var(x, axis<1>); })
               : lowered_on<in<float, 2>>(target, matrix, [](auto x) { return var(x, axis<0>); });
      CHECK(bytes_read(lowered) == 4 * giant);
      std::int64_t moved = 0;
      for (std::size_t i = 0; i < lowered.stage_count; ++i) moved += lowered.stages[i].bytes_moved;
      CHECK(static_cast<double>(moved) < 1.07 * 4 * giant);
    }
}

TEST_CASE("resident rows have their variance in one stage") {
  const lowered_call lowered = lowered_on<in<float, 2>>(cuda_facts(), {contiguous({1 << 16, 1 << 12})},
                                                        [](auto x) { return var(x, axis<1>); });
  CHECK(lowered.stage_count == 1);
  CHECK(lowered.stages[0].chosen.resident);
  CHECK(bytes_read(lowered) == 4 * giant);
}

TEST_CASE("reductions that are ready together are made together before what needs them") {
  for (const target_facts& target : {cuda_facts(), cpu_facts()}) {
    INFO("target ", static_cast<int>(target.kind));
    const lowered_call scaled = lowered_on<in<float, 1>>(
        target, {contiguous({giant})}, [](auto x) { return (x - min(x)) / (max(x) - min(x)); });
    CHECK(scaled.stage_count == 3);  // pieces, the pieces of all, the result
    CHECK(bytes_read(scaled) == 8 * giant);

    const lowered_call centred = lowered_on<in<float, 2>>(target, {contiguous({2000, 3000})}, [](auto x) {
      return x - max(x, axis<1>, keepdims) - min(x, axis<1>, keepdims) + max(x, axis<0>) * min(x, axis<0>);
    });
    CHECK(bytes_read(centred) <= 3 * 4 * 2000 * 3000);
  }
}

}  // namespace sinter::test
