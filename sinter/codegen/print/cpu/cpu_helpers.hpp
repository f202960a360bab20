#pragma once
// Functions of CPU kernels that move elements between memory and the buffers of a piece, as C++ text:
//
// - pack_elements(buffer, pointer, n): n elements, the last again up to a piece; returns the buffer
// - pack_row(buffer, pointer, step, n): n elements that lie `step` apart
// - surround(buffer, n): the first and the last of n elements again, for a piece at either end
// - widen(tile, height, n, width): rows of n elements up to the width, and a piece before the first
// - put(pointer, buffer, n, streaming): n contiguous results
// - put_whole<n>(...): put, without a call where all of n elements bypass the cache
// - repeat_rows(buffer, pointer, along, across, height, width): rows of one element each; `along` is 0
// - gather_rows(...): the same with any strides
// - scatter_rows(...): from the buffer to memory
// - count_rows(...): positions instead of elements
// - shared_offset(divisors, strides, position): where a position along axes that share a digit lies

#include <span>
#include <string>
#include <string_view>

namespace sinter::inline v0::codegen {

/// What every CPU kernel's text begins with.
std::string cpu_preamble();

/// The helpers among the names of functions that a text calls, and those that they call.
std::string cpu_helpers(std::span<const std::string_view> called);
/// The same of complex numbers, whose text comes before.
std::string cpu_complex_helpers(std::span<const std::string_view> called);

}  // namespace sinter::inline v0::codegen
