// expect: change(step, ...) takes arguments of the types that the step was added with
#include <sinter/sequence.hpp>
#include <sinter/sinter.hpp>
using namespace sinter;

auto scaled = fuse([](auto x, auto a) { return a * x; });
void use(sequence& steps, const array<float, 1>& x, array<float, 1>& y) {
  const auto step = steps.add(scaled.into(y), x, 2.0f);
  steps.change(step, x, 2);
}
