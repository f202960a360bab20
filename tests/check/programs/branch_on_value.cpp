#include <sinter/sinter.hpp>

#include "expected.hpp"
using namespace sinter;

auto relu = fuse([](auto x) {
  if (x > 0) return x;  // expect: `if` on a value
  return -0.5f * x;
});
auto limited = fuse([](auto x, auto limit) {
  auto y = x;
  if (y > limit) {  // expect: `if` on a value
    y = limit + 0 * y;
  } else {
    y += 1;
  }
  if (y < 0) y *= 2;                  // expect: `if` on a value
  return y > 1 && x > 0 ? y : 0 * y;  // expect: `?:` on a value
});
auto chosen_by_the_host = [](bool doubled) {
  return fuse([doubled](auto x) {
    if (doubled) return x * 2;
    const int times = decltype(x)::rank == 1 ? 3 : 1;
    return times > 2 ? x * times : x;
  });
};

int main() {
  const array<float, 1> x = array<float, 1>::from(std::vector<float>{-2, 0.5f, 4});
  expect(relu(x), {1, 0.5f, 4});
  expect(limited(x, 3.f), {0, 1.5f, 3});
  expect(chosen_by_the_host(true)(x), {-4, 1, 8});
}
