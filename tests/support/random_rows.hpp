#pragma once
// Random graphs of reductions and scans over operands of one shape, that meet each other before and after.

#include "sweep_layout.hpp"

namespace sinter::test {

/// `inputs` operands of the shape's rank, then `operations` operations on what there is: sums, differences
/// and maxima of two values, reductions that keep their axes, and scans. Up to four of the values are
/// results. Of small whole numbers all values are exact in float64.
graph random_rows(std::uint64_t seed, unsigned rank, std::size_t inputs, std::size_t operations);

}  // namespace sinter::test
