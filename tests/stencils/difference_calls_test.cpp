// Calls of differences, slopes and areas, as users write them.

#include <doctest/doctest.h>

#include <sinter/complex.hpp>
#include <sinter/sinter.hpp>

#include <complex>
#include <cstdint>
#include <vector>

namespace sinter::test {
namespace {

template <class T>
array<T, 1> vector_of(const std::vector<T>& elements) {
  return array<T, 1>::from(elements);
}
array<float, 2> matrix_of(const std::vector<float>& elements, std::int64_t rows) {
  return array<float, 2>::from(elements, {rows, static_cast<std::int64_t>(elements.size()) / rows});
}
template <class T, class Expression>
std::vector<T> vector_from(const Expression& expression) {
  return array<T, 1>(expression).to_vector();
}
template <class Expression>
std::vector<float> matrix_from(const Expression& expression) {
  return array<float, 2>(expression).to_vector();
}

/// A function gives the same in every arithmetic mode and in the kernel for all shapes.
template <class Function, class... Operands>
void check_modes(const Function& function, const std::vector<float>& wanted, const Operands&... operands) {
  CHECK(function(operands...).to_vector() == wanted);
  CHECK(function.strict()(operands...).to_vector() == wanted);
  CHECK(function.fast()(operands...).to_vector() == wanted);
  CHECK(function.general()(operands...).to_vector() == wanted);
}

using floats = std::vector<float>;

}  // namespace

TEST_SUITE("calls of differences") {
  TEST_CASE("diff has the differences of neighbours, as often as its order says") {
    const array<float, 1> x = vector_of<float>({1, 4, 9, 16, 27});
    CHECK(vector_from<float>(diff(x)) == floats{3, 5, 7, 11});
    CHECK(vector_from<float>(diff(x, 0)) == floats{1, 4, 9, 16, 27});
    CHECK(vector_from<float>(diff(x, 2)) == floats{2, 2, 4});
    CHECK(vector_from<float>(diff(x, 4)) == floats{2});
    CHECK(vector_from<float>(diff(x, 5)) == floats{});
    CHECK(vector_from<float>(diff(x, 32)) == floats{});
    check_modes(fuse([](auto x) { return diff(x * 2, 2) + 1; }), {5, 5, 9}, x);
  }
  TEST_CASE("diff goes along the last axis, or along the one that is named") {
    const array<float, 2> x = matrix_of({1, 2, 4, 7, 11, 16}, 2);
    CHECK(matrix_from(diff(x)) == floats{1, 2, 4, 5});
    CHECK(matrix_from(diff(x, axis<0>)) == floats{6, 9, 12});
    CHECK(matrix_from(diff(x, 1, axis<-2>)) == floats{6, 9, 12});
    CHECK(array<float, 2>(diff(x, 2, axis<0>)).shape()[0] == 0);
  }
  TEST_CASE("an order follows each call of a function that captures it") {
    std::int64_t order = 1;
    const auto differences = fuse([&order](auto x) { return diff(x, order); });
    const array<float, 1> x = vector_of<float>({1, 4, 9, 16});
    CHECK(differences(x).to_vector() == floats{3, 5, 7});
    order = 2;
    CHECK(differences(x).to_vector() == floats{2, 2});
    order = 33;
    CHECK_THROWS_AS(differences(x), shape_error);
    order = -1;
    CHECK_THROWS_AS(differences(x), shape_error);
  }
  TEST_CASE("unsigned differences wrap, and booleans differ or not") {
    CHECK(vector_from<std::uint8_t>(diff(vector_of<std::uint8_t>({5, 3, 4}))) ==
          std::vector<std::uint8_t>{254, 1});
    CHECK(vector_from<bool>(diff(vector_of<bool>({true, true, false}))) == std::vector<bool>{false, true});
    CHECK(vector_from<bool>(diff(vector_of<bool>({true, true, false}), 2)) == std::vector<bool>{true});
  }
  TEST_CASE("an axis without elements has no differences") {
    CHECK(vector_from<float>(diff(vector_of<float>({}))) == floats{});
    const auto rows = fuse([](auto x) { return diff(x, axis<0>); });
    CHECK(rows(array<float, 2>({0, 3})).shape()[0] == 0);
    CHECK(rows(array<float, 2>({4, 0})).shape()[0] == 3);
  }

  TEST_CASE("gradient has the slope between neighbours, and at the ends that to the next element") {
    const array<float, 1> x = vector_of<float>({1, 4, 9, 16, 27});
    CHECK(vector_from<float>(gradient(x)) == floats{3, 4, 6, 9, 11});
    CHECK(vector_from<float>(gradient(x, 0.5)) == floats{6, 8, 12, 18, 22});
    CHECK(vector_from<float>(gradient(vector_of<float>({1, 3}))) == floats{2, 2});
    check_modes(fuse([](auto x, auto h) { return gradient(x, h) * 2; }), {3, 4, 6, 9, 11}, x, 2.0f);
    check_modes(fuse([](auto x, auto h) { return gradient(x, h, axis<0>, edge_order::second); }),
                {1, 2, 3, 4.5, 6.5}, x, 2.0f);
  }
  TEST_CASE("coordinates weigh the neighbours by their distances") {
    const auto y = [](double x) { return static_cast<float>(3 * x * x - x + 2); };
    const std::vector<double> places{0, 1, 3, 4, 8};
    floats elements, slopes;
    for (const double x : places) {
      elements.push_back(y(x));
      slopes.push_back(static_cast<float>(6 * x - 1));  // of a parabola exact inside, and at ends of order 2
    }
    const array<float, 1> of = vector_of<float>(elements);
    const array<double, 1> coordinates = vector_of<double>(places);
    const floats second = vector_from<float>(gradient(of, coordinates, axis<0>, edge_order::second));
    for (std::size_t i = 0; i < slopes.size(); ++i) CHECK(second[i] == doctest::Approx(slopes[i]));
    const floats first = vector_from<float>(gradient(of, coordinates));
    for (std::size_t i = 1; i < 4; ++i) CHECK(first[i] == doctest::Approx(slopes[i]));
    CHECK(first[0] == elements[1] - elements[0]);
    CHECK(first[4] == (elements[4] - elements[3]) / 4);
    const array<std::int16_t, 1> whole = vector_of<std::int16_t>({0, 1, 3, 4, 8});
    CHECK(vector_from<float>(gradient(of, whole)) == first);
  }
  TEST_CASE("slopes of rows and of columns") {
    const array<float, 2> x = matrix_of({1, 2, 4, 7, 11, 16}, 2);
    CHECK(matrix_from(gradient(x)) == floats{1, 1.5, 2, 4, 4.5, 5});
    CHECK(matrix_from(gradient(x, axis<0>)) == floats{6, 9, 12, 6, 9, 12});
    CHECK(matrix_from(gradient(x, vector_of<float>({0, 2}), axis<0>)) == floats{3, 4.5, 6, 3, 4.5, 6});
  }
  TEST_CASE("slopes have the floating type of the elements, or float64") {
    CHECK(vector_from<double>(gradient(vector_of<std::uint8_t>({5, 3, 250}))) ==
          std::vector<double>{-2, 122.5, 247});
    using number = std::complex<float>;
    CHECK(vector_from<number>(gradient(vector_of<number>({{0, 1}, {2, 5}}), 2.0)) ==
          std::vector<number>{{1, 2}, {1, 2}});
  }
  TEST_CASE("a slope needs two elements, or three, and as many coordinates") {
    const array<float, 1> two = vector_of<float>({1, 2}), one = vector_of<float>({1}), none = zeros<float>(0);
    const auto slopes = fuse([](auto x) { return gradient(x); });
    const auto second = fuse([](auto x) { return gradient(x, 1, axis<0>, edge_order::second); });
    const auto between = fuse([](auto x, auto at) { return gradient(x, at); });
    CHECK_THROWS_AS(slopes(one), shape_error);
    CHECK_THROWS_AS(slopes(none), shape_error);
    CHECK_THROWS_AS(second(two), shape_error);
    CHECK_THROWS_AS(between(two, one), shape_error);
    CHECK_THROWS_AS(between(two, vector_of<float>({1, 2, 3})), shape_error);
    CHECK_THROWS_AS(between.general()(two, one), shape_error);
    CHECK(fuse([](auto x) { return gradient(x, axis<1>); })(array<float, 2>({0, 3})).shape()[0] == 0);
  }

  TEST_CASE("trapezoid adds the areas between neighbours") {
    const array<float, 1> y = vector_of<float>({1, 4, 9, 16});
    CHECK(array<float, 0>(trapezoid(y)).to_vector() == floats{21.5});
    CHECK(array<float, 0>(trapezoid(y, 2)).to_vector() == floats{43});
    CHECK(array<float, 0>(trapezoid(y, vector_of<float>({0, 1, 3, 4}))).to_vector() == floats{28});
    CHECK(array<float, 0>(trapezoid(vector_of<float>({5}))).to_vector() == floats{0});
    CHECK(array<float, 0>(trapezoid(zeros<float>(0))).to_vector() == floats{0});
    check_modes(fuse([](auto y, auto x) { return trapezoid(y * 2, x) - 1; }), {55}, y,
                vector_of<float>({0, 1, 3, 4}));
  }
  TEST_CASE("areas of rows and columns, with coordinates of all of them or of each") {
    const array<float, 2> y = matrix_of({1, 3, 5, 7, 9, 11}, 2);
    CHECK(vector_from<float>(trapezoid(y)) == floats{6, 18});
    CHECK(vector_from<float>(trapezoid(y, axis<0>)) == floats{4, 6, 8});
    CHECK(vector_from<float>(trapezoid(y, vector_of<float>({0, 2, 3}))) == floats{8, 26});
    CHECK(vector_from<float>(trapezoid(y, matrix_of({0, 2, 3, 0, 1, 2}, 2))) == floats{8, 18});
    CHECK(vector_from<float>(trapezoid(y, vector_of<float>({0, 2}), axis<0>)) == floats{8, 12, 16});
  }
  TEST_CASE("areas of integers are float64, and nothing wraps before") {
    CHECK(array<double, 0>(trapezoid(vector_of<std::int8_t>({100, 100}))).to_vector() ==
          std::vector<double>{100});
    CHECK(array<double, 0>(trapezoid(vector_of<std::uint8_t>({1, 1}), vector_of<std::uint8_t>({5, 3})))
              .to_vector() == std::vector<double>{-2});
  }
  TEST_CASE("coordinates of another number are refused") {
    const auto area = fuse([](auto y, auto x) { return trapezoid(y, x); });
    CHECK_THROWS_AS(area(vector_of<float>({1, 2, 3, 4}), vector_of<float>({1, 2, 3})), shape_error);
  }

  TEST_CASE("the largest and the smallest element up to each one are scans") {
    const array<float, 2> x = matrix_of({3, 1, 4, 1, 5, 2}, 2);
    CHECK(matrix_from(cummax(x, axis<1>)) == floats{3, 3, 4, 1, 5, 5});
    CHECK(matrix_from(cummin(x, axis<0>)) == floats{3, 1, 4, 1, 1, 2});
  }
}

}  // namespace sinter::test
