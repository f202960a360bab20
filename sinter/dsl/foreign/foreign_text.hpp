#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace sinter::inline v0::detail {

/// Extents or strides for a message: "(2, 3)".
inline std::string list_text(std::span<const std::int64_t> numbers) {
  std::string text = "(";
  for (std::size_t axis = 0; axis < numbers.size(); ++axis)
    text += (axis == 0 ? "" : ", ") + std::to_string(numbers[axis]);
  return text + (numbers.size() == 1 ? ",)" : ")");
}

}  // namespace sinter::inline v0::detail
