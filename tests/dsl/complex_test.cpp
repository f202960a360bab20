// Complex numbers in the DSL: types, scalars, functions and reductions, compared with NumPy's results
// (vectors/complex.hpp), on every device.
#include <doctest/doctest.h>

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/simplify/simplify.hpp>
#include <sinter/complex.hpp>
#include <sinter/runtime/compile/kernel_table.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "../support/recorded.hpp"
#include "../support/sweep/sweep.hpp"
#include "../vectors/complex.hpp"

using namespace sinter;
using namespace sinter::test;

namespace {

using single = std::complex<float>;
using twice = std::complex<double>;

// NOLINTNEXTLINE(readability-function-size): a value of each type that the checks name
[[maybe_unused]] void result_types(value<single, 2> z, value<twice, 1> w, value<float, 2> f,
                                   value<double, 1> d, value<int, 2> i, value<float16, 2> h,
                                   value<bool, 2> b) {
  const single unit(0, 1);
  CHECK_VALUE(z + w, twice, 2);
  CHECK_VALUE(z * f, single, 2);
  CHECK_VALUE(z * d, twice, 2);
  CHECK_VALUE(z + i, twice, 2);
  CHECK_VALUE(z + h, single, 2);
  CHECK_VALUE(z + b, single, 2);
  CHECK_VALUE(z * 2.5, single, 2);
  CHECK_VALUE(f * unit, single, 2);
  CHECK_VALUE(f * twice(0, 1), single, 2);
  CHECK_VALUE(d * unit, twice, 1);
  CHECK_VALUE(h * twice(0, 1), single, 2);
  CHECK_VALUE(i * twice(0, 1), twice, 2);
  CHECK_VALUE(i * unit, single, 2);
  CHECK_VALUE(f * scalar<twice>(unit), twice, 2);
  CHECK_VALUE(abs(z), float, 2);
  CHECK_VALUE(real(w), double, 1);
  CHECK_VALUE(imag(z), float, 2);
  CHECK_VALUE(real(i), int, 2);
  CHECK_VALUE(conj(z), single, 2);
  CHECK_VALUE(angle(z), float, 2);
  CHECK_VALUE(angle(i), double, 2);
  CHECK_VALUE(make_complex(f, f), single, 2);
  CHECK_VALUE(make_complex(h, h), single, 2);
  CHECK_VALUE(make_complex(f, d), twice, 2);
  CHECK_VALUE(make_complex(f, 0), single, 2);
  CHECK_VALUE(astype<twice>(z), twice, 2);
  CHECK_VALUE(astype<bool>(z), bool, 2);
  CHECK_VALUE(z == w, bool, 2);
  CHECK_VALUE(where(b, z, 0), single, 2);
  CHECK_VALUE(isnan(z), bool, 2);
  CHECK_VALUE(sum(z), single, 0);
  CHECK_VALUE(sum<twice>(z, axis<0>), twice, 1);
  CHECK_VALUE(sum<single>(f), single, 0);
  CHECK_VALUE(prod(w), twice, 0);
  CHECK_VALUE(mean(z, axis<1>), single, 1);
  CHECK_VALUE(var(z), float, 0);
  CHECK_VALUE(stddev(w), double, 0);
  CHECK_VALUE(nanvar(z, axis<0>), float, 1);
  CHECK_VALUE(norm(z), float, 0);
  CHECK_VALUE(norm<1>(w), double, 0);
  CHECK_VALUE(all(z), bool, 0);
  CHECK_VALUE(count_nonzero(z), std::int64_t, 0);
  CHECK_VALUE(cumsum(z, axis<1>), single, 2);
  CHECK_VALUE(cumprod(w), twice, 1);
}

std::vector<double> numbers_of(const char* words) {
  std::vector<double> made;
  char* end = nullptr;
  for (const char* at = words;; at = end) {
    const std::uint64_t bits = std::strtoull(at, &end, 16);
    if (end == at) return made;
    made.push_back(std::bit_cast<double>(bits));
  }
}
std::vector<twice> complex_of_words(const char* words) {
  const std::vector<double> parts = numbers_of(words);
  std::vector<twice> made;
  for (std::size_t i = 0; i < parts.size(); i += 2) made.emplace_back(parts[i], parts[i + 1]);
  return made;
}

/// The allowed error: a number of roundings, relative to the larger of the result and `least`.
struct allowance {
  double roundings, least = 0;
};
/// NumPy's power and exp2 lose digits if the exponent is large, its log1p near 0.
allowance allowed_of(operation op) {
  if (op == operation::power || op == operation::exp2) return {2000};
  return {12, op == operation::log1p ? 1.0 : 0.0};
}

/// Near NumPy's result, which is not always correct to the last place. Zeros have the same signs, and
/// infinities and NaN are in the same parts.
bool is_near(twice actual, twice expected, double rounding, allowance allowed, bool signs = true) {
  const double pairs[2][2] = {{actual.real(), expected.real()}, {actual.imag(), expected.imag()}};
  const bool finite = std::isfinite(expected.real()) && std::isfinite(expected.imag());
  for (const auto& [given, b] : pairs) {
    double a = given;
    if (!signs && (a == 0 || std::isinf(a))) a = std::copysign(a, b);
    if (a == 0 && b == 0 && std::signbit(a) != std::signbit(b)) return false;
    if (finite || a == b || (std::isnan(a) && std::isnan(b))) continue;
    if (!(std::abs(a - b) <= allowed.roundings * rounding * std::abs(b)) || std::isinf(b)) return false;
  }
  if (!finite) return true;
  // scaled, so that the distance of large numbers does not overflow
  const double least = rounding > 0x1p-53 ? 0x1p-126 : 0x1p-1022;  // smaller numbers have fewer digits
  const double size = std::max({allowed.least, std::abs(expected.real()), std::abs(expected.imag()), least});
  return std::hypot(actual.real() / size - expected.real() / size,
                    actual.imag() / size - expected.imag() / size) <= allowed.roundings * rounding;
}

const char* expected_of(std::string_view name) {
  for (const auto& row : numpy_vectors::of_several)
    if (name == row.name) return row.results;
  FAIL("no such vector: ", name);
  return "";
}

template <class T, unsigned Rank>
std::vector<T> elements(const array<T, Rank>& from) {
  return from.to_vector();
}

/// Whether NumPy overflows in between, or gives NaN for an infinite result.
bool is_numpys_own(operation op, twice z, twice expected) {
  const bool finite = std::isfinite(expected.real()) && std::isfinite(expected.imag());
  const bool large = std::max(std::abs(z.real()), std::abs(z.imag())) > 1e38;
  switch (op) {
    case operation::power:
    case operation::log1p:
      return !finite;
    case operation::expm1:
      return !std::isfinite(z.real()) || !std::isfinite(z.imag());
    case operation::sign:
    case operation::multiply:
    case operation::square:
      return large;
    default:
      return false;
  }
}
/// C does not specify signs beside NaN, or if both parts are infinite or NaN.
bool has_signs(twice z, twice expected) {
  return !std::isnan(expected.real()) && !std::isnan(expected.imag()) &&
         (std::isfinite(z.real()) || std::isfinite(z.imag()));
}

template <class T>
array<T, 2> placed(const std::vector<twice>& numbers, std::size_t rows, std::size_t columns, device on) {
  std::vector<T> elements;
  for (const twice z : numbers) elements.emplace_back(z);
  return array<T, 2>::from(elements, {rows, columns}, on);
}

template <class T>
void check_functions(char code, const char* operands, double rounding) {
  const std::vector<twice> numbers = complex_of_words(operands),
                           seconds = complex_of_words(numpy_vectors::complex_seconds);
  std::size_t checked = 0;
  for (const device on : sweep_devices())
    for (const auto& [name, is, results] : numpy_vectors::of_complex) {
      if (is != code) continue;
      const operation_facts& row = *std::ranges::find(element_operations(), name, &operation_facts::name);
      graph_builder builder;
      builder.restart();
      const graph_value x = builder.input(element_type_of<T>, 2), y = builder.input(element_type_of<T>, 2);
      const std::array<graph_value, 2> both{x, y};
      const graph_value made = builder.apply(row.op, std::span(both).first(row.arity));
      builder.output(builder.cast(made, element_type::complex128));
      const auto first = placed<T>(numbers, numbers.size(), 1, on),
                 second = placed<T>(seconds, 1, seconds.size(), on);
      const std::size_t columns = row.arity == 2 ? seconds.size() : 1;
      array<twice, 2> out({numbers.size(), columns}, on);
      const any_view views[] = {first, second, out};
      const runtime::operand erased[] = {views[0].erased(), views[1].erased()},
                             target[] = {views[2].erased()};
      runtime::call(runtime::intern(builder.recorded()), erased, {}, target, {});
      const std::vector<twice> actual = out.to_vector(), expected = complex_of_words(results);
      REQUIRE(actual.size() == expected.size());
      for (std::size_t i = 0; i < actual.size(); ++i) {
        const twice z = numbers[i / columns];
        if (is_numpys_own(row.op, z, expected[i])) continue;
        const std::string what = on.to_string() + " " + name + " of (" + std::to_string(z.real()) + ", " +
                                 std::to_string(z.imag()) + "), second " + std::to_string(i % columns);
        INFO(what);
        CAPTURE(actual[i].real());
        CAPTURE(actual[i].imag());
        CAPTURE(expected[i].real());
        CAPTURE(expected[i].imag());
        CHECK(is_near(actual[i], expected[i], rounding, allowed_of(row.op), has_signs(z, expected[i])));
        ++checked;
      }
    }
  CHECK(checked > 600);
}

}  // namespace

TEST_SUITE("complex numbers") {
  TEST_CASE("every function gives what NumPy gives, on both sides of branch cuts too") {
    check_functions<twice>('D', numpy_vectors::complex_numbers, 0x1p-53);
    check_functions<single>('F', numpy_vectors::complex_singles, 0x1p-24);
  }

  TEST_CASE("what is infinite or NaN is so where C and NumPy say") {
    check_functions<twice>('S', numpy_vectors::complex_special, 0x1p-53);
  }

  TEST_CASE("reductions give what NumPy gives") {
    const std::vector<twice> all_numbers = complex_of_words(numpy_vectors::complex_numbers);
    const std::span<const twice> several = std::span(all_numbers).first(8);
    const bool mask_values[] = {true, true, false, true, true, true, false, true};
    for (const device on : sweep_devices()) {
      const auto x = array<twice, 1>::from(several, {8}, on);
      const auto mask = array<bool, 1>::from(mask_values, {8}, on);
      const auto expect = [&](std::string_view name, const auto& made) {
        CAPTURE(name);
        const twice expected = complex_of_words(expected_of(name))[0];
        const auto actual = made.to_vector()[0];
        CAPTURE(expected.real());
        CHECK(is_near(twice(actual), expected, 0x1p-53, {8}));
      };
      const auto functions = fuse([](auto x, auto mask) {
        return std::tuple{sum(x),
                          prod(x(slice(1, end))),
                          mean(x),
                          var(x),
                          var(x, ddof(1)),
                          stddev(x),
                          norm(x),
                          norm<1>(x),
                          norm<std::numeric_limits<double>::infinity()>(x),
                          sum(x, only_where(mask)),
                          mean(x, only_where(mask)),
                          var(x, only_where(mask)),
                          astype<double>(count_nonzero(x))};
      });
      const auto made = functions(x, mask);
      constexpr const char* names[] = {"sum",        "prod",      "mean",         "var",      "var ddof",
                                       "stddev",     "norm",      "norm 1",       "norm inf", "sum where",
                                       "mean where", "var where", "count_nonzero"};
      std::apply(
          [&](const auto&... each) {
            std::size_t i = 0;
            (expect(names[i++], each), ...);
          },
          made);
      std::vector<twice> with_nan(several.begin(), several.end());
      with_nan.emplace_back(std::nan(""), 0.0);
      const auto y = array<twice, 1>::from(with_nan, {9}, on);
      expect("nansum", fuse([](auto v) { return nansum(v); })(y));
    }
  }

  TEST_CASE("scalars: literals, captures, arguments and those of expressions, real and complex") {
    for (const device on : sweep_devices()) {
      const std::vector<single> host{{1, 2}, {-3, 0.5f}, {0, -1}};
      const auto z = array<single, 1>::from(host, {3}, on);
      const auto expect = [&](const array<single, 1>& made, auto&& of) {
        const std::vector<single> actual = elements(made);
        for (std::size_t i = 0; i < host.size(); ++i) CHECK(std::abs(actual[i] - of(host[i])) < 1e-5f);
      };
      const auto literal_unit = fuse([](auto x) { return x * std::complex<double>(0, 1) + 2; });
      expect(literal_unit(z), [](single x) { return x * single(0, 1) + 2.0f; });
      single factor(0.5f, -1);
      const auto captured = fuse([&](auto x) { return factor * x - 1.5f; });
      expect(captured(z), [&](single x) { return factor * x - 1.5f; });
      factor = {2, 3};
      expect(captured(z), [&](single x) { return factor * x - 1.5f; });
      const auto argument = fuse([](auto a, auto x, auto b) { return a * x + b; });
      expect(argument(factor, z, 2.5f), [&](single x) { return factor * x + 2.5f; });
      expect(argument(3.0f, z, twice(1, 1)), [](single x) { return 3.0f * x + single(1, 1); });
      expect(argument(single(1, 1), z, 1), [](single x) { return single(1, 1) * x + 1.0f; });
      array<single, 1> lazy = factor * z + conj(z) * 2.0f;
      expect(lazy, [&](single x) { return factor * x + std::conj(x) * 2.0f; });
      lazy += single(1, -1);
      expect(lazy, [&](single x) { return factor * x + std::conj(x) * 2.0f + single(1, -1); });
      lazy = literal(factor) * z;
      expect(lazy, [&](single x) { return factor * x; });
      expect(full<single>(3, twice(1, 2), on), [](single) { return single(1, 2); });
      expect(full<single>(3, 4, on), [](single) { return single(4, 0); });
      expect(zeros<single>(3, on), [](single) { return single(); });
    }
  }

  TEST_CASE("another value of a complex scalar compiles nothing") {
    const auto z = zeros<single>(16, device::cpu());
    const auto scaled = fuse([](auto a, auto x) { return a * x; });
    (void)scaled(single(1, 2), z);
    const std::size_t before = runtime::kernel_table_statistics().compiled;
    (void)scaled(single(-3, 0.5f), z);
    CHECK(runtime::kernel_table_statistics().compiled == before);
  }

  TEST_CASE("parts of what was made of parts cost nothing") {
    graph_builder builder;
    builder.restart();
    const graph_value x = builder.input(element_type::float32, 1), y = builder.apply(operation::exp, {x});
    const graph_value z =
        builder.apply(operation::make_complex, {x, builder.apply(operation::negative, {y})});
    builder.output(builder.apply(operation::add, {builder.apply(operation::real, {z}), y}));
    const graph made = simplify(builder.recorded());
    for (const node& at : made.nodes) CHECK(at.op != operation::make_complex);
  }

  TEST_CASE("what has no meaning for complex numbers is refused by the run-time builder in words") {
    graph_builder builder;
    builder.restart();
    const graph_value z = builder.input(element_type::complex64, 1);
    CHECK_THROWS_WITH_AS(builder.apply(operation::less, {z, z}),
                         doctest::Contains("complex numbers have no order: compare real(x)"), type_error);
    CHECK_THROWS_WITH_AS(builder.reduce(operation::max, z, 1, false), doctest::Contains("take real(x)"),
                         type_error);
    CHECK_THROWS_WITH_AS(builder.cast(z, element_type::float32), doctest::Contains("two parts"), type_error);
    CHECK_THROWS_WITH_AS(builder.literal(element_type::complex64, 0), doctest::Contains("make_complex"),
                         type_error);
    CHECK_THROWS_WITH_AS(builder.parameter(element_type::complex64), doctest::Contains("make_complex"),
                         type_error);
    CHECK_THROWS_WITH_AS(builder.apply(operation::make_complex, {z, z}),
                         doctest::Contains("two real operands"), type_error);
  }
}
