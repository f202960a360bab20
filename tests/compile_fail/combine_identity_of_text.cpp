// expect only: identity_of_value<position, identity, value> says which; give the result over no elements
#include <sinter/sinter.hpp>
using namespace sinter;

auto summed = fuse([](value<float, 2> x) {
  const auto first = [](auto a, auto) { return a; };
  auto [a, b] = scan(first, std::tuple{0.f, "none"}, std::tuple{x, x}, axis<1>);
  return a + b;
});
array<float, 2> use(const array<float, 2>& x) { return summed(x); }
