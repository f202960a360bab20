// expect only: a combine returns values or numbers
#include <sinter/sinter.hpp>
using namespace sinter;

auto use(const array<float, 1>& x) {
  return reduce([](auto, auto) {}, 0, x);
}
