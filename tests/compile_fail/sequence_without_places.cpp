// expect: a step of a sequence writes its results to arrays that are there: add(f.into(y), x)
#include <sinter/sequence.hpp>
#include <sinter/sinter.hpp>
using namespace sinter;

auto twice = fuse([](auto x) { return x + x; });
void use(sequence& steps, const array<float, 1>& x) { steps.add(twice, x); }
