// expect: a step of a sequence takes arrays, views and numbers: write the expression in its function
#include <sinter/sequence.hpp>
#include <sinter/sinter.hpp>
using namespace sinter;

auto twice = fuse([](auto x) { return x + x; });
void use(sequence& steps, const array<float, 1>& x, array<float, 1>& y) {
  steps.add(twice.into(y), x * 2.0f);
}
