#pragma once

#include <cstdint>

namespace sinter::inline v0 {

/// What an index beyond an axis is.
enum class index_rule : std::uint8_t {
  checked,  ///< negative ones count from the end; others are an error where their element is used
  wrap,     ///< it counts modulo the extent
  clip,     ///< it is the nearest position; a negative one is the first
  known,    ///< there is none: it is known to be a position. Another one reads any memory
};

}  // namespace sinter::inline v0
