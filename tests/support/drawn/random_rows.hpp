#pragma once
// Random graphs of reductions and scans over operands of one shape, which feed each other.

#include "../sweep/sweep_layout.hpp"

namespace sinter::test {

/// `inputs` operands of the shape's rank, then `operations` operations on existing values: sums, differences
/// and maxima of two values, reductions that keep their axes, and scans. Up to four of the values are
/// results. With small whole numbers as inputs all values are exact in float64.
graph random_rows(std::uint64_t seed, unsigned rank, std::size_t inputs, std::size_t operations);

}  // namespace sinter::test
