// A program's own names beside `using namespace sinter`: what lies inside the library does not stand there.
#include <sinter/sinter.hpp>

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

TEST_SUITE("users' own names") {
  TEST_CASE("node, bound, graph and facts are the program's") {
    const graph own;
    CHECK(own.first.id == 1);
    CHECK(bound().low == 2);
    CHECK(facts(2) == 3);
  }
}
