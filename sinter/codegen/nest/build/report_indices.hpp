#pragma once
// Reports of indices that are out of range, where an element is used that they choose.

#include <sinter/codegen/nest/nest.hpp>

#include <functional>
#include <span>
#include <vector>

namespace sinter::inline v0 {

/// Instructions of an index that may be out of range, and the axis that says so.
struct index_check {
  std::uint32_t index = 0;           ///< what the user gave
  std::uint32_t counted = 0;         ///< the same, from the begin of the axis where it is negative
  std::uint32_t extent = 0;          ///< of the axis
  std::uint32_t position = 0;        ///< in range
  gathered_axis along{};             ///< what messages name
  std::vector<std::uint32_t> reads;  ///< what reads at the position, if the position is no argument of it
};

/// Appends the reports. An element is used where something stored depends on it: of `where` the side that is
/// chosen, of `a && b` b where a holds. Conditions that depend on a loop of the nest are left out. Reads have
/// been `renumbered` since they were made.
void report_indices(std::span<const index_check> checks, std::span<const std::uint32_t> renumbered, nest& to);

/// The same for the indices of a body, before the instruction that owns it: an element is used where one of
/// the body's `results` depends on it. `is_visible` says which conditions are known at the end of the body.
/// If `is_ended_by_first`, the first result is the condition of the loop, and where it does not hold the
/// others are not used.
void report_indices_of_body(std::span<const index_check> checks, std::span<const std::uint32_t> results,
                            bool is_ended_by_first, const std::function<bool(std::uint32_t)>& is_visible,
                            nest& to);

}  // namespace sinter::inline v0
