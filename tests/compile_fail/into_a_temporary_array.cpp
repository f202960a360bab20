// expect: into: a temporary array is gone after the call
#include <sinter/sinter.hpp>
using namespace sinter;

void use(const array<float, 1>& x) {
  fuse([](auto a) { return a + 1; }).into(array<float, 1>(3))(x);
}
