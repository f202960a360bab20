// expect only: reduce and scan take a combine, then identities, then values
#include <sinter/sinter.hpp>
using namespace sinter;

auto use(const array<float, 2>& x) {
  return reduce(std::tuple{0}, std::tie(x), [](auto a, auto b) { return a + b; });
}
