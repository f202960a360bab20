#pragma once
// Random trees of integer operations: compositions that a GPU's assembler may evaluate wrongly.

#include "../sweep/sweep_array.hpp"

namespace sinter::test {

/// `count` trees of depth 3 or 4 over three arrays, as results of one graph. The arrays and results have an
/// integer type that the seed decides; nodes are minima, maxima, clips, negations, absolute values, sums,
/// differences, products, bitwise operations, comparisons, choices and conversions; leaves are the arrays and
/// literals. Every fourth tree is reduced. The same seed gives the same graph.
struct integer_trees {
  graph recorded;
  element_type type{};
  std::vector<bits>
      values;  ///< of the three arrays: few different numbers, the least and the greatest among them
};
integer_trees draw_integer_trees(std::uint64_t seed, std::size_t count, std::size_t elements);

}  // namespace sinter::test
