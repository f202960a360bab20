// expect any: nodiscard
#include <sinter/sinter.hpp>
using namespace sinter;
#if !defined(__CUDACC__)
#pragma GCC diagnostic error "-Wunused-result"
#else
#pragma nv_diag_error 2809
#endif

void use(const array<float, 1>& x) { x.copy(); }
