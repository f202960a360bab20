#pragma once
// Arrays as memory: where their elements lie, and memory as an array of one axis.

#include <sinter/runtime/call.hpp>

#include <algorithm>
#include <cstdint>

namespace sinter::inline v0::runtime {

/// The first and the last element of an array, counted from its address, in elements; 0 and 0 of an empty
/// one.
struct element_reach {
  std::int64_t first = 0, last = 0;
};
inline element_reach reach_of(const std::int64_t* extents, const std::int64_t* strides, unsigned rank) {
  element_reach found;
  if (std::find(extents, extents + rank, 0) != extents + rank) return found;
  for (unsigned axis = 0; axis < rank; ++axis) {
    const std::int64_t way = (extents[axis] - 1) * strides[axis];
    (way < 0 ? found.first : found.last) += way;
  }
  return found;
}

/// Memory as a contiguous array; `extent` outlives it.
inline operand array_of(void* data, const std::int64_t& extent, element_type type, device where,
                        allocation_record* record = nullptr) {
  static constexpr std::int64_t unit = 1;
  return {.data = data,
          .extents = &extent,
          .strides = &unit,
          .type = type,
          .rank = 1,
          .where = where,
          .record = record};
}

}  // namespace sinter::inline v0::runtime
