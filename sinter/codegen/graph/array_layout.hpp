#pragma once

#include <sinter/codegen/types/element_type.hpp>

#include <cstdint>

namespace sinter::inline v0 {

/// The largest alignment of an address that the pass tells apart, bytes: vectors of every width are aligned
/// by it, and so are arrays in a workspace.
inline constexpr std::uint32_t max_alignment = 256;

/// Layout of one array of a call. The pass sees no address, only the alignment and which inputs are equal.
struct array_layout {
  element_type type{};
  std::uint8_t rank = 0;
  const std::int64_t* extents = nullptr;
  const std::int64_t* strides = nullptr;    ///< in elements
  std::uint32_t alignment = max_alignment;  ///< the largest power of two up to it that divides the address
  std::uint32_t identity = 0;               ///< index of the first input with the same address and layout
};

}  // namespace sinter::inline v0
