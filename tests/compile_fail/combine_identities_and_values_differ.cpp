// expect only: reduce and scan take one identity for each value
#include <sinter/sinter.hpp>
using namespace sinter;

auto use(const array<float, 1>& x) {
  return reduce([](auto a, auto) { return a; }, std::tuple{0, 0}, std::tie(x));
}
