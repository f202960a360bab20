#include <sinter/codegen/print/cuda/cuda_dialect.hpp>

namespace sinter::inline v0::codegen {
constinit const dialect cuda_dialect = {
    .unrolled = "#pragma unroll",
    .unrolled_twice = "#pragma unroll 2",
    .rolled = "#pragma unroll 1",
    .thread_along = "threadIdx.x",
    .thread_across = "threadIdx.y",
    .block = "blockIdx.x",
    .shared = "__shared__ ",
    .shared_aligned = "__shared__ alignas(16) ",
    .shared_of_launch = "extern __shared__ uint4 shared[];",
    .flag = "bool is_fast = true;",
    .require = "is_fast = is_fast & {};",
    .fallback = "if (!is_fast) {",
    .barriers = {"", "__syncwarp();", "__syncthreads();", "wait_for_cluster();"},
    .arrivals = {"", "", "", "arrive_at_cluster();"},
    .copy = "copy_ahead(&{}, {}, {});",
    .wait_for_copies = "wait_for_copies();",
    .quotient = "divide_wide({}, {})",
    .narrow_quotient = "divide({}, {})",
    .has_access_properties = true,
    .calls = {},
};

}  // namespace sinter::inline v0::codegen
