// expect only: einsum: an operand has as many labels as axes
#include <sinter/sinter.hpp>
using namespace sinter;

auto use(const array<float, 2>& a, const array<float, 2>& b) { return einsum<"ij,jkl">(a, b); }
