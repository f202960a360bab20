// without fixes
#include <chrono>
#include <cstdlib>
#include <random>

#include <sinter/sinter.hpp>

#include "expected.hpp"
using namespace sinter;

int calls = 0;
std::mt19937 engine;

auto noisy = fuse([](auto x) {
  static int count = 0;            // expect: `count` changes while the lambda is recorded
  ++calls;                         // expect: `calls` changes while the lambda is recorded
  return x + std::rand() + count;  // expect: a random number is drawn
});
auto timed = fuse([&](auto x) {
  const auto now = std::chrono::steady_clock::now();     // expect: the time is read
  return x * engine() + now.time_since_epoch().count();  // expect: a random number is drawn
});
struct parameters {
  float time() const { return 1; }
  static float now() { return 2; }
};
namespace tables {
float rand() { return 3; }
float random(int row) { return static_cast<float>(row); }
}  // namespace tables
auto of_user = fuse([params = parameters()](auto x) {
  return x * params.time() + parameters::now() + tables::rand() + tables::random(2);
});
auto of_c = fuse([](auto x) {
  return x + time(nullptr);  // expect: the time is read
});
auto unrolled = fuse([](auto x) {
  int power = 1;
  for (int i = 0; i < 3; ++i) power *= 2;
  return x * power;
});

int main() {}
