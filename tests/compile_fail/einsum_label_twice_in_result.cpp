// expect only: einsum: a label stands twice behind "->"
#include <sinter/sinter.hpp>
using namespace sinter;

auto use(const array<float, 2>& a, const array<float, 2>& b) { return einsum<"ij,jk->ii">(a, b); }
