#pragma once

#include <sinter/codegen/graph/operation.hpp>

#include <cstdint>

namespace sinter::inline v0 {

/// What becomes of an update whose index is out of range. It is never written.
enum class scatter_rule : std::uint8_t {
  reported,  ///< negative indices count from the end; others are an error of the call
  dropped,   ///< it is left out; negative indices are out of range, too
  counted,   ///< an error of the call; negative indices are out of range, too
};

/// What a scatter combines, and along which axis.
struct scatter_form {
  unsigned axis = 0;
  operation combine = operation::add;
  scatter_rule rule = scatter_rule::reported;
  unsigned named_axis = 0;  ///< the axis' number in what the user wrote, for messages
};

}  // namespace sinter::inline v0
