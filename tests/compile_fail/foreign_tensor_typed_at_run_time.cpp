// expect: the element type of this tensor is known at run time only: say as_view<T, Rank>(x)
#include <sinter/cuda_array_interface.hpp>
#include <sinter/sinter.hpp>
using namespace sinter;

auto same = fuse([](auto x) { return x; });
void use(const cuda_array_interface& x) { same(x); }
