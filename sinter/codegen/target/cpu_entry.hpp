#pragma once

namespace sinter {

/// Host kernels have the signature `void entry(const void* arguments, long long first_tile, long long
/// last_tile)`; CUDA kernels take the argument block by value as their only parameter, or its address in
/// device memory where it is too large for that (stage::argument_block), one tile per block (grid x, then y).
using host_kernel = void (*)(const void* arguments, long long first_tile, long long last_tile);

}  // namespace sinter
