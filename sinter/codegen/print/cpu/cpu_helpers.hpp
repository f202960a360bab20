#pragma once
// Functions of CPU kernels that move elements between memory and the buffers of a piece, as C++ text.

#include <sinter/codegen/target/cpu_piece.hpp>

#include <span>
#include <string>
#include <string_view>

namespace sinter::inline v0::codegen {

enum class cpu_helper : std::uint8_t {
  pack,       ///< (buffer, pointer, n): n elements, the last again up to a piece; returns the buffer
  pack_row,   ///< (buffer, pointer, step, n): n elements that lie `step` apart
  surround,   ///< (buffer, n): the first and the last of n elements again, for a piece at either end
  widen,      ///< (tile, height, n, width): rows of n elements up to the width, and a piece before the first
  put,        ///< (pointer, buffer, n, streaming): n contiguous results
  put_whole,  ///< put, without a call where all of <elements> bypass the cache; needs put
  repeat_rows,   ///< (buffer, pointer, along, across, height, width): rows of one element each; `along` is 0
  gather_rows,   ///< the same with any strides
  scatter_rows,  ///< (buffer, pointer, along, across, height, width): from the buffer to memory
  count_rows,    ///< (buffer, position, along, across, height, width): positions instead of elements
};

class cpu_helper_set {
 public:
  void insert(cpu_helper what) { bits_ |= 1u << static_cast<unsigned>(what); }
  bool contains(cpu_helper what) const { return (bits_ >> static_cast<unsigned>(what) & 1) != 0; }

 private:
  unsigned bits_ = 0;
};

std::string_view name_of(cpu_helper what);
/// The helpers among the names of functions that a text calls, and those that they call.
cpu_helper_set cpu_helpers_of(std::span<const std::string_view> called);

/// What every CPU kernel's text begins with, and the definitions of those helpers.
std::string cpu_preamble(const cpu_helper_set& used);

}  // namespace sinter::inline v0::codegen
