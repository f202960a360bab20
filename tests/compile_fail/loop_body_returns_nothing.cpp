// expect only: a body returns values or numbers
#include <sinter/sinter.hpp>
using namespace sinter;

auto use(const array<float, 1>& x) {
  return repeat(3, x, [](auto) {});
}
