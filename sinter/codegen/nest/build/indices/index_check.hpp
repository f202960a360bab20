#pragma once

#include <sinter/codegen/nest/nest.hpp>

#include <vector>

namespace sinter::inline v0 {

/// Instructions of an index that may be out of range, and the axis that says so.
struct index_check {
  static constexpr std::uint32_t none = ~0u;

  std::uint32_t index = none;        ///< what the user gave
  std::uint32_t counted = none;      ///< the same, from the begin of the axis where it is negative
  std::uint32_t extent = none;       ///< of the axis
  std::uint32_t position = none;     ///< in range
  gathered_axis along{};             ///< what messages name
  std::vector<std::uint32_t> reads;  ///< what reads at the position, if the position is no argument of it
  /// Of what an earlier stage found out of range: what it stored beside the value that `reads` reads
  /// (fault_codes.hpp). Then there is no position, and the index and whether it is out of range follow.
  std::uint32_t code = none;
};

}  // namespace sinter::inline v0
