// expect only: the combine returns as many values as each of its sides has
#include <sinter/sinter.hpp>
using namespace sinter;

auto use(const array<float, 1>& x) {
  return reduce([](auto a, auto) { return std::get<0>(a); }, std::tuple{0, 0}, std::tie(x, x));
}
