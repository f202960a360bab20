#pragma once

namespace sinter::inline v0 {

/// CPU kernels have the signature `void entry(const void* arguments, long long first_tile, long long
/// last_tile)`. CUDA kernels have one parameter: the argument block by value, or its address in device memory
/// if it is too large for that (stage::argument_block). They compute one tile per block (grid x, then y).
using cpu_kernel = void (*)(const void* arguments, long long first_tile, long long last_tile);

}  // namespace sinter::inline v0
