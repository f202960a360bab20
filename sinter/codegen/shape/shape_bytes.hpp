#pragma once
// How much memory arrays take: the only place that multiplies extents into bytes, with overflow checks.

#include <sinter/codegen/types/element_type.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace sinter::inline v0 {

/// The size of the address space: distances within it fit 63 bits.
inline constexpr std::size_t max_bytes = static_cast<std::size_t>(INT64_MAX);

/// Bytes of a contiguous array of these extents; 0 if one of them is 0. Throws out_of_memory if it exceeds
/// max_bytes, and shape_error for a negative extent.
std::size_t bytes_of_array(element_type type, std::span<const std::int64_t> extents);

/// The same for a number of elements.
std::size_t bytes_of_elements(std::size_t count, std::size_t element_bytes);

/// The sum of two sizes. Throws out_of_memory.
std::size_t sum_of_bytes(std::size_t first, std::size_t second);

/// Throws out_of_memory if an array's elements are further apart than max_bytes, and shape_error for a
/// negative extent. An array without elements may have any strides.
void check_reach(element_type type, std::span<const std::int64_t> extents,
                 std::span<const std::int64_t> strides);

}  // namespace sinter::inline v0
