#pragma once
// Functions on extents and strides of any rank, and copies between devices.

#include <sinter/codegen/base/export.hpp>
#include <sinter/codegen/types/element_type.hpp>
#include <sinter/dsl/index.hpp>
#include <sinter/runtime/buffer.hpp>
#include <sinter/runtime/device.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace sinter::inline v0::detail {

/// Bytes of a row-major array. Throws shape_error for a negative extent, and out_of_memory where the bytes
/// exceed the address space.
SINTER_API std::size_t checked_bytes(element_type type, const std::int64_t* extents, unsigned rank);
/// Throws out_of_memory where elements of these extents and strides are further apart than the address space
/// is large, and shape_error for a negative extent.
SINTER_API void check_distances(element_type type, const std::int64_t* extents, const std::int64_t* strides,
                                unsigned rank);
/// Throws shape_error unless an array of these extents has `given` elements, and out_of_memory if it exceeds
/// the address space.
SINTER_API void check_size(std::size_t given, const std::int64_t* extents, unsigned rank);
/// Throws shape_error where a row of a nested list has another length than the first.
SINTER_API void check_length(std::int64_t first, std::int64_t length);
/// Throws shape_error unless there is one element.
SINTER_API void check_one_element(std::int64_t elements);
/// Whether the strides are those of a row-major array, except for axes of extent 1.
SINTER_API bool is_row_major(const std::int64_t* extents, const std::int64_t* strides, unsigned rank);

/// Extents and strides of x(items…), and the offset of its first element. Throws shape_error for an index
/// outside its axis or a slice with step 0.
SINTER_API std::int64_t index_layout(std::span<const index_item> items, std::span<const std::int64_t> extents,
                                     std::span<const std::int64_t> strides, std::int64_t* new_extents,
                                     std::int64_t* new_strides);

/// The device of an array that is gone. Programs without NDEBUG leave it in a destroyed array, so that a
/// function that refers to one says so.
inline constexpr device of_destroyed_array = device::cuda(INT16_MAX);
inline void mark_destroyed(device& of_array) {
  of_array = of_destroyed_array;
  asm volatile("" : : "r"(&of_array) : "memory");  // a store to what is about to go would be left out
}

/// Copies, and waits as far as needed so that default streams and the host may then use either side freely.
SINTER_API void copy_elements(const copied_bytes& to, const copied_bytes& from, std::size_t bytes);

SINTER_API void copy_bits(std::vector<bool>& to, const copied_bytes& from);
SINTER_API void copy_bits(const copied_bytes& to, const std::vector<bool>& from);

}  // namespace sinter::inline v0::detail
