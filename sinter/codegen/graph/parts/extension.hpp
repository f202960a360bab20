#pragma once
// How an axis goes on past its ends.

#include <cstdint>

namespace sinter::inline v0 {

/// What an axis of N elements has at position q past its ends.
enum class extension : std::uint8_t {
  broadcast,  ///< no further elements: N is the result's extent, or 1
  edge,       ///< the first or the last element
  reflect,    ///< the axis backwards without its last element, then forwards, and so on
  wrap,       ///< element q modulo N
  repeat,     ///< the result has N * extent elements: each one `extent` times
};

}  // namespace sinter::inline v0
