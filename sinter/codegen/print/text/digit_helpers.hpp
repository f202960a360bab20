#pragma once
// Axes that share a digit (axis_digits.hpp): the function that works out, in a loop, where a position along
// them lies.

#include <sinter/codegen/kernel/kernel_description.hpp>

#include <string_view>

namespace sinter::inline v0::codegen {

/// shared_offset(divisors, strides, position), for kernels that have such axes; CUDA's calls divide_wide().
std::string_view shared_digit_helper(const kernel_description& kernel);

}  // namespace sinter::inline v0::codegen
