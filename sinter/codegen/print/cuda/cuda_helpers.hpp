#pragma once
// Functions of CUDA kernels that are no operations: vector loads and stores, division by run-time constants,
// the exchange of values between threads.

#include <sinter/codegen/kernel/kernel_description.hpp>

#include <span>
#include <string>
#include <string_view>

namespace sinter::inline v0::codegen {

/// What a CUDA kernel's text begins with.
std::string cuda_preamble(const kernel_description& kernel);

/// The helpers among the names of functions that a text calls, and those that they call; of complex numbers,
/// too, where the kernel has any. The text of the arguments and of complex numbers comes before.
std::string cuda_helpers(std::span<const std::string_view> called, bool with_complex);

}  // namespace sinter::inline v0::codegen
