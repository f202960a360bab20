#pragma once
// Whether arrays share memory.

#include <sinter/runtime/call.hpp>

#include <cstdint>

namespace sinter::inline v0::runtime {

/// The bytes that an array accesses, relative to the address of its first element: [low, high).
struct byte_range {
  std::int64_t low = 0, high = 0;
};
byte_range range_of(const operand& array);

/// True if the byte ranges of two arrays intersect.
inline bool ranges_meet(const operand& a, const byte_range& in_a, const operand& b, const byte_range& in_b) {
  const auto base_a = reinterpret_cast<std::intptr_t>(a.data),
             base_b = reinterpret_cast<std::intptr_t>(b.data);
  return base_a + in_a.low < base_b + in_b.high && base_b + in_b.low < base_a + in_a.high;
}

/// False only if no element of one array shares a byte with an element of the other. Distinguishes
/// interleaved views (every other element) and blocks of one array (left and right half); other arrays with
/// intersecting ranges count as sharing.
bool may_share_memory(const operand& a, const operand& b);

/// False only if no two elements of an array share a byte.
bool may_overlap_itself(const operand& array);

/// Same address, extents, strides and element size.
bool same_elements(const operand& a, const operand& b);

}  // namespace sinter::inline v0::runtime
