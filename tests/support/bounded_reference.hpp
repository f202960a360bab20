#pragma once
// The reference interpreter's values of a graph, each with the allowed distance of a kernel's value. This
// makes programs comparable in which a comparison, a difference or a cast follows a rounded value.

#include "sweep/sweep_array.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/reference/interpreter.hpp>

#include <span>
#include <vector>

namespace sinter::test {

/// A value and the bounds of its elements. An element with bound 0 must match bit by bit (any NaN matches any
/// NaN); an element with bound infinity may be anything, because it depends on a rounding.
struct bounded_array {
  reference_array value;
  std::vector<long double> bound;  ///< absolute; for complex numbers in the plane
};

struct bounded_options {
  device on{};
  /// Each node's value was stored in its type, as when each node has its own kernel.
  bool stored = false;
};

/// The values of all nodes. A bound comes from running the node again with its operands moved by their own
/// bounds, plus the node's own roundings. It is correct to first order, and then doubled.
std::vector<bounded_array> bounded_values(const graph& recorded, std::span<const reference_array> inputs,
                                          std::span<const std::uint64_t> scalars,
                                          const bounded_options& options);

/// Describes the first element of a result that exceeds its bound; "" if there is none. Counts the elements
/// that were compared and those that could not be.
struct compared_elements {
  std::size_t compared = 0, undecided = 0;
};
std::string first_outside(const bounded_array& expected, const bits& actual, compared_elements& counts);

}  // namespace sinter::test
