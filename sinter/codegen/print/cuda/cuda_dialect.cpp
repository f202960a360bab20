#include <sinter/codegen/print/cuda/cuda_dialect.hpp>

namespace sinter::codegen {
namespace {

constexpr call_spelling calls[] = {{"barrier", "__syncthreads"}};

}  // namespace

constinit const dialect cuda_dialect = {
    .unrolled = "#pragma unroll",
    .unrolled_twice = "#pragma unroll 2",
    .shared = "__shared__ ",
    .shared_aligned = "__shared__ __align__(16) ",
    .flag = "bool near = true;",
    .require = "near = near & {};",
    .fallback = "if (!near) {",
    .quotient = "divide_wide({}, {})",
    .narrow_quotient = "divide({}, {})",
    .has_access_properties = true,
    .calls = calls,
};

}  // namespace sinter::codegen
