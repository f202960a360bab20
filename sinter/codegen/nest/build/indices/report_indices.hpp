#pragma once
// Reports of indices that are out of range, where an element is used that they choose.

#include <sinter/codegen/nest/build/indices/index_check.hpp>

#include <functional>
#include <span>
#include <vector>

namespace sinter::inline v0 {

/// Appends one report: of an index, where a condition holds.
void append_report(std::uint32_t condition, std::uint32_t index, std::uint32_t extent,
                   const gathered_axis& along, nest& to);

/// Appends the reports. An element is used where something stored depends on it: of `where` the side that is
/// chosen, of `a && b` b where a holds. Where it is known before all loops whether it is used, the report
/// stands beside the index; else codes (fault_codes.hpp) go with the values until it is known. Reads have
/// been `renumbered` since they were made.
///
/// `code_targets` has for each store of the nest the access that takes its codes, or index_check::none: what
/// reads the value reports those. Adds the stores of codes.
void report_indices(std::span<index_check> checks, std::span<const std::uint32_t> renumbered,
                    std::span<const std::uint32_t> code_targets, nest& to);

/// The same for the indices of a body, before the instruction that owns it: an element is used where one of
/// the body's `results` depends on it. `is_visible` says which conditions are known at the end of the body.
/// If `is_ended_by_first`, the first result is the condition of the loop, and where it does not hold the
/// others are not used.
void report_indices_of_body(std::span<const index_check> checks, std::span<const std::uint32_t> results,
                            bool is_ended_by_first, const std::function<bool(std::uint32_t)>& is_visible,
                            nest& to);

}  // namespace sinter::inline v0
