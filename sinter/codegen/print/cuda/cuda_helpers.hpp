#pragma once
// Functions of CUDA kernels that are no operations: vector loads and stores, division by run-time constants,
// the exchange of values between the threads of a warp.

#include <string>
#include <string_view>

namespace sinter::inline v0::codegen {

/// What every CUDA kernel's text begins with.
std::string cuda_preamble();

extern const std::string_view cuda_divide;       ///< divide(n, divisor): 32 bits
extern const std::string_view cuda_divide_wide;  ///< divide_wide(n, divisor): 64 bits
/// exchange(value, distance): that of the thread whose number differs in the bit `distance`. One text for
/// every type; shfl is written out because it needs no header so.
extern const std::string_view cuda_exchange;
/// from_below(value, distance): that of the thread so many below in the warp; from_thread(value, number).
extern const std::string_view cuda_scan_exchange;
/// arrive_at_cluster() and wait_for_cluster(): together a barrier of a cluster's threads; in_block(place, n):
/// the same place in the shared memory of the cluster's block n.
extern const std::string_view cuda_cluster;
/// copy_ahead(place, from, property): 16 bytes to shared memory, without waiting; wait_for_copies().
extern const std::string_view cuda_copy_ahead;
/// move_rows(): `count` neighbouring elements to or from shared memory, by all threads of a block, in vectors
/// of 16 bytes but for the first and the last; both sides begin as many elements after an aligned address,
/// elements_ahead(address).
extern const std::string_view cuda_staging;

}  // namespace sinter::inline v0::codegen
