#pragma once
// Random calls: a graph with every kind of node, arrays in every kind of layout, several of them in one
// memory, and memory for results.

#include "drawn_call.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace sinter::test {

/// The distribution of a random call.
struct drawing {
  std::string_view name;
  std::vector<element_type> types;
  bool functions = false;  ///< functions with rounded results, not exact ones
  bool structure = false;  ///< few and cheap operations; many reductions, scans and views
  std::size_t max_nodes = 40;
  std::size_t max_elements = 3000;  ///< elements of any value
  unsigned max_axes = 6;            ///< of inputs
};
/// "int", "mixed", "float", "half", "complex", "all", and each restricted to structural operations.
const std::vector<drawing>& drawings();

/// Returns the same call for the same seed.
drawn_call draw_call(std::uint64_t seed, const drawing& from);

}  // namespace sinter::test
