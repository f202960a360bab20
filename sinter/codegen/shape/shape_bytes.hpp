#pragma once
// How much memory arrays take: the one place where extents are multiplied into bytes, and checked.

#include <sinter/codegen/graph/element_type.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace sinter {

/// What memory can have at most: distances within it fit 63 bits.
inline constexpr std::size_t most_bytes = static_cast<std::size_t>(INT64_MAX);

/// Bytes of an array of these extents without gaps; 0 where one of them is 0. Throws out_of_memory where that
/// is more than memory can have, and shape_error for a negative extent.
std::size_t bytes_of_array(element_type type, std::span<const std::int64_t> extents);

/// The same of elements that are not told by extents.
std::size_t bytes_of_elements(std::size_t count, std::size_t element_bytes);

/// The same of several pieces of memory. Throws out_of_memory.
std::size_t sum_of_bytes(std::size_t first, std::size_t second);

/// Throws out_of_memory where an array's elements lie further apart than memory is large, and shape_error for
/// a negative extent. One of no elements may have any strides.
void check_reach(element_type type, std::span<const std::int64_t> extents,
                 std::span<const std::int64_t> strides);

}  // namespace sinter
