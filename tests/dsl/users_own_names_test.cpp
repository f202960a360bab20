// A program's own names beside `using namespace sinter`: what lies inside the library does not stand there.
#include <sinter/sinter.hpp>

#include <cmath>

#include <doctest/doctest.h>

using namespace sinter;

struct node {
  int id = 1;
};
struct bound {
  int low = 2;
};
struct graph {
  node first;
};
struct statement {};
struct nest {};
int facts(int of) { return of + 1; }

// Generic code names the functions of std for numbers.
template <class X>
auto of_std_or_own(const X& x) {
  using std::pow;
  using std::sin;
  return sin(x) + pow(2, x) + pow(x, x) + pow(x, 2);
}
auto of_values = fuse([](auto x) { return of_std_or_own(x); });

TEST_SUITE("users' own names") {
  TEST_CASE("node, bound, graph and facts are the program's") {
    const graph own;
    CHECK(own.first.id == 1);
    CHECK(bound().low == 2);
    CHECK(facts(2) == 3);
  }
  TEST_CASE("beside those of std, sin and pow of arrays and values are Sinter's") {
    const array<float, 1> x = array<float, 1>::from({0});
    const array<float, 1> of_arrays = of_std_or_own(x);
    CHECK(of_arrays.item() == 2);
    CHECK(of_values(x).item() == 2);
    CHECK(of_std_or_own(0.0) == 2);
  }
}
