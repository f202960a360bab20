// expect: an accumulator keeps its element type
#include <sinter/sinter.hpp>
using namespace sinter;

void use(const array<double, 1>& x) {
  auto f = fuse([](auto a) {
    accumulator<int, 1> total;
    total += a;
    return total.result();
  });
  (void)f(x);
}
