#pragma once
// The reference interpreter's values of a graph, each with how far a kernel's may be from it: what lets
// programs be compared in which a rounding is followed by a comparison, a sum by a difference, a function by
// a cast.

#include "sweep_array.hpp"

#include <sinter/codegen/reference/interpreter.hpp>

#include <span>
#include <vector>

namespace sinter::test {

/// A value and its elements' bounds. An element with the bound 0 is the kernel's bit by bit (a NaN is any
/// NaN); one with the bound infinity may be anything: it hangs on a rounding.
struct bounded_array {
  reference_array value;
  std::vector<long double> bound;  ///< absolute; of complex numbers in the plane
};

struct bounded_options {
  device on{};
  /// Each node's value was stored as its type, as it is where each is computed by a kernel of its own.
  bool stored = false;
};

/// Every node's value. Bounds come from running each node again with its operands moved by their own bounds,
/// and from what its own roundings may add; so they hold to first order, which is doubled.
std::vector<bounded_array> bounded_values(const graph& recorded, std::span<const reference_array> inputs,
                                          std::span<const std::uint64_t> scalars,
                                          const bounded_options& options);

/// The first element of a result that is out of its bound, in words; "" where there is none. Counts what was
/// compared and what could not be.
struct compared_elements {
  std::size_t compared = 0, undecided = 0;
};
std::string first_outside(const bounded_array& expected, const bits& actual, compared_elements& counts);

}  // namespace sinter::test
