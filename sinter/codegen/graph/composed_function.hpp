#pragma once
// Names for errors: the public function that a reduction in a recorded graph is part of.

#include <cstdint>
#include <string_view>

namespace sinter::inline v0 {

/// Functions that are composed of reductions which throw over no elements. In node::attribute of recorded
/// graphs; simplified graphs have none, so that a composition and the same written out share kernels.
enum class composed_function : std::uint64_t {
  none,
  softmax,
  log_softmax,
  norm,
  nanargmax,
  nanargmin,
};

inline constexpr std::string_view composed_function_names[] = {"",     "softmax",   "log_softmax",
                                                               "norm", "nanargmax", "nanargmin"};

}  // namespace sinter::inline v0
