#include <sinter/sinter.hpp>

#include "expected.hpp"
using namespace sinter;

auto rooted = fuse([](auto x) {
  auto y = x;
  for (int i = 0; i < 100; ++i) y = 0.5f * (y + x / y);  // expect: into the kernel 100 times
  for (int i = 0; i < 65; i += 1) {                      // expect: into the kernel 65 times
    y += x;
  }
  for (int i = 0; i < 64; ++i) y = y - x;
  int host = 0;
  for (int i = 0; i < 1000; ++i) host += i;
  return y + 0 * host;
});

int main() {
  const array<float, 1> x = array<float, 1>::from(std::vector<float>{4, 16});
  expect(rooted(x), {6, 20});
}
