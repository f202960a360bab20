#pragma once
// What a kernel writes of an index that is out of range.

#include <cstdint>

namespace sinter::inline v0 {

/// The first fault of several; others are not kept. Kernels claim it by compare-and-swap.
struct index_fault {
  static constexpr std::int64_t none = 0, claimed = 1, complete = 2;
  std::int64_t state = none;
  std::int64_t site = 0;    ///< argument_field::kind::site and the number of the report in its kernel
  std::int64_t index = 0;   ///< as it was given
  std::int64_t extent = 0;  ///< of the axis
};
static_assert(sizeof(index_fault) == 32);

}  // namespace sinter::inline v0
