// expect only: einsum: what is no letter is no label (there is no ellipsis): write "ij,jk->ik"
#include <sinter/sinter.hpp>
using namespace sinter;

auto use(const array<float, 2>& a, const array<float, 2>& b) { return einsum<"...ij,jk">(a, b); }
