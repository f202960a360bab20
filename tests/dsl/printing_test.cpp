#include <cmath>
#include <complex>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <sinter/complex.hpp>
#include <sinter/sinter.hpp>

using namespace sinter;

namespace {

template <class X>
std::string printed(const X& x) {
  std::ostringstream to;
  to << x;
  return to.str();
}
template <class T>
std::string printed_list(std::vector<T> elements) {
  return printed(array<T, 1>::from(elements));
}

}  // namespace

// The expected texts are those of NumPy 2.
TEST_SUITE("printing") {
  TEST_CASE("matrices are printed in nested brackets with aligned columns") {
    const auto x = arange<int>(-3, 9);
    CHECK(printed(array<int, 2>::from(x.to_vector(), {3, 4})) ==
          "[[-3 -2 -1  0]\n [ 1  2  3  4]\n [ 5  6  7  8]]");
    CHECK(printed(array<int, 3>::from(x.to_vector(), {2, 2, 3})) ==
          "[[[-3 -2 -1]\n  [ 0  1  2]]\n\n [[ 3  4  5]\n  [ 6  7  8]]]");
    CHECK(printed(array<int, 2>({0, 3})) == "[]");
    CHECK(printed(array<int, 1>()) == "[]");
  }

  TEST_CASE("views and expressions are printed as arrays are") {
    const auto x = array<float, 2>::from({1, 2, 3, 4.5}, {2, 2});
    CHECK(printed(x(all(), 1)) == "[2.  4.5]");
    CHECK(printed(x + 1) == "[[2.  3. ]\n [4.  5.5]]");
    CHECK(printed(x > 2) == "[[False False]\n [ True  True]]");
    CHECK(printed(sum(x)) == "10.5");
  }

  TEST_CASE("numbers have the fewest digits that their type needs, up to eight") {
    CHECK(printed_list<float>({0, 0.1f, 0.3f}) == "[0.  0.1 0.3]");
    CHECK(printed_list<double>({1.0 / 3, 2, NAN, -INFINITY}) ==
          "[0.33333333 2.                nan       -inf]");
    CHECK(printed_list<double>({NAN, INFINITY}) == "[nan inf]");
    CHECK(printed_list<float16>({float16(0.1), float16(1)}) == "[0.1 1. ]");
  }

  TEST_CASE("numbers far from each other are printed with exponents") {
    CHECK(printed_list<float>({1e10f, 1.5f}) == "[1.0e+10 1.5e+00]");
    CHECK(printed_list<double>({1e300, 1.5e-300, 0, -3}) == "[ 1.0e+300  1.5e-300  0.0e+000 -3.0e+000]");
    CHECK(printed_list<float>({3.4f, 1701.7001f, 0.0001f}) == "[3.4000001e+00 1.7017001e+03 9.9999997e-05]");
  }

  TEST_CASE("complex numbers have their imaginary parts beside them") {
    using complex = std::complex<double>;
    CHECK(printed_list<complex>({{1, 2}, {3.5, -4.25}}) == "[1. +2.j   3.5-4.25j]");
  }

  TEST_CASE("long lines are broken, and of more than a thousand elements the edges are shown") {
    CHECK(printed(full<int>({30}, 100)) ==
          "[100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100\n"
          " 100 100 100 100 100 100 100 100 100 100 100 100]");
    CHECK(printed(arange<int>(2000)) == "[   0    1    2 ... 1997 1998 1999]");
    CHECK(printed(full<int>({1000, 1001}, 7)) ==
          "[[7 7 7 ... 7 7 7]\n [7 7 7 ... 7 7 7]\n [7 7 7 ... 7 7 7]\n ...\n [7 7 7 ... 7 7 7]\n"
          " [7 7 7 ... 7 7 7]\n [7 7 7 ... 7 7 7]]");
  }
}
