#pragma once
// Calls of functions that are composed of scatters: messages say what the user called, and with what, not the
// nodes of which that is composed. Calls are not part of a graph's content.

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

namespace sinter::inline v0 {

/// Named, with what the user gives to each, in scatter_call.cpp.
enum class scatter_function : std::uint8_t {
  scatter,
  scatter_add,
  scatter_min,
  scatter_max,
  bincount,
  histogram,
  histogram2d,
  segment_sum,
  segment_mean,
  segment_min,
  segment_max,
  compress,
  assigned_at,
  assigned_where,
};

constexpr std::uint32_t no_operand = std::numeric_limits<std::uint32_t>::max();

struct scatter_call {
  scatter_function function{};
  unsigned axis = 0;
  /// Nodes of what the user gave, in the order of operand_role(); no_operand for one that a simplified graph
  /// does not have.
  std::vector<std::uint32_t> operands;
  /// The nodes of the call are [first, end).
  std::uint32_t first = 0, end = 0;
  bool operator==(const scatter_call&) const = default;
};

/// Whether it gives numbers of elements, or updates an array that the user gives.
constexpr bool counts(scatter_function function) {
  return function >= scatter_function::bincount && function <= scatter_function::histogram2d;
}
constexpr bool updates(scatter_function function) {
  return function <= scatter_function::scatter_max || function >= scatter_function::assigned_at;
}

/// "scatter_add", "x(i) = v".
std::string_view name_of(scatter_function function);
/// What an operand of a function is: "indices". Operands beyond the last role are of the last.
std::string_view operand_role(scatter_function function, std::size_t operand);

/// The call to which a node belongs; null if there is none.
const scatter_call* find_call(const std::vector<scatter_call>& calls, std::uint32_t node);

}  // namespace sinter::inline v0
