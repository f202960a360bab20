// expect only: einsum: subscripts of another number of operands than are given
#include <sinter/sinter.hpp>
using namespace sinter;

auto use(const array<float, 2>& a, const array<float, 2>& b) { return einsum<"ij">(a, b); }
