// expect only: nan in a std::tuple is the function of the C library
#include <sinter/sinter.hpp>
using namespace sinter;

array<float, 0> use(const array<float, 1>& x) {
  const auto both = [](auto a, auto b) {
    auto [s, m] = a;
    auto [t, n] = b;
    return std::tuple(s + t, maximum(m, n));
  };
  auto [total, largest] = reduce(both, std::make_tuple(0.f, nan), std::tie(x, x), axis<0>);
  return total + largest;
}
