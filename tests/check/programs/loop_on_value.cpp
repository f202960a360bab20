// not compiled: conditions on values that have no fix are refused
#include <sinter/sinter.hpp>

#include "expected.hpp"
using namespace sinter;

auto halved = [](const auto& limit) {
  return fuse([limit](auto x) {
    auto y = x;
    while (y > limit) y = 0.5f * y;  // expect: `while` on a value
    for (; y > 1;) y = y - 1;        // expect: `for` on a value
    do {                             // expect: `do` on a value
      y = y + 1;
    } while (y < 0);
    switch (y) {  // expect: `switch` on a value
      default:
        return y;
    }
  });
};

int on_array(const array<float, 1>& x) {
  if (x > 0) return 1;  // expect: `if` on a value
  return 0;
}

int main() {}
