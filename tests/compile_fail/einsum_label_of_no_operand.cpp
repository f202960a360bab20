// expect only: einsum: a label behind "->" is that of no operand
#include <sinter/sinter.hpp>
using namespace sinter;

auto use(const array<float, 2>& a, const array<float, 2>& b) { return einsum<"ij,jk->ix">(a, b); }
