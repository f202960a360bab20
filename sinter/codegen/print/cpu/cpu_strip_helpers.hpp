#pragma once
// Functions of CPU kernels that move strips of short rows between memory and the stack, as C++ text. On the
// stack the elements of a strip's rows at one position are neighbours, one for each lane.
//
// - pack_strip<lanes, length>(buffer, pointer, across, along, left, n): n elements of each of `left` rows;
//   further lanes repeat the last row
// - unpack_strip<lanes, length>(...): from the buffer to memory
//
// `length` is n where the text knows it, else 0. `across` and `along` are strides between rows and between
// elements of one.

#include <span>
#include <string>
#include <string_view>

namespace sinter::inline v0::codegen {

/// The helpers among the names of functions that a text calls, and those that they call.
std::string cpu_strip_helpers(std::span<const std::string_view> called);

}  // namespace sinter::inline v0::codegen
