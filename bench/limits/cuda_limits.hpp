#pragma once
// What a CUDA device allows, measured through the driver alone: copies, and data to measure with.

#include "../comparison.hpp"

#include <sinter/codegen/types/element_type.hpp>
#include <sinter/runtime/device.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace sinter_bench {

/// Whether CUDA device 0 can be used; why not, if it cannot.
bool has_cuda();
std::string why_no_cuda();

/// Waits for all that was queued on the default stream.
void cuda_wait();

/// Makes the device's primary context current on this thread, as in a program that uses CUDA itself; or none,
/// as in a program that uses only Sinter.
void cuda_choose_context(bool any);

/// A device copy that moves about `traffic` bytes, read and written together, as one call. Its two buffers
/// are shared by all copies, kept until the process ends and filled with random data.
side cuda_copy(double traffic);
/// The copy that bandwidths are fractions of: 2^30 floats, or as much as a quarter of the device's memory
/// holds.
side large_cuda_copy();

/// Fills CUDA memory with what fill_random (random_data.hpp) describes. Queued on the default stream.
void cuda_fill(void* to, std::size_t count, sinter::element_type type, int distribution, std::uint32_t seed);
/// Sets every byte, queued on the default stream.
void cuda_set_bytes(void* to, std::size_t bytes, unsigned char value);
/// Copies to the host and waits.
void cuda_read(void* to, const void* from, std::size_t bytes);

/// "580.159.03 (CUDA 13.0)" and the like, for the record of a run.
std::string cuda_driver_version();
std::string nvrtc_version_text();

}  // namespace sinter_bench
