// expect only: identities and values are both one, or both a std::tuple of as many
#include <sinter/sinter.hpp>
using namespace sinter;

auto use(const array<float, 1>& x) {
  return reduce([](auto a, auto) { return a; }, 0, std::tie(x, x));
}
