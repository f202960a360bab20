#pragma once
// Random kernels with realistic launches on large arrays: mixed types; permuted, reversed, strided and
// broadcast operands; reductions over any axes, alone or broadcast back; and scans. For tests of the lowering
// pass; what is timed is drawn in bench/kernels.

#include "../sweep/sweep_layout.hpp"

#include <sinter/codegen/graph/graph.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace sinter::test {

struct random_kernel {
  graph recorded;
  std::vector<layout> inputs;
  std::string description;  ///< "float32 [64, 8192] strides [1, 64]; sum over {0}"
};

/// A kernel over about 2^`log2_elements` elements; the same kernel for the same arguments.
random_kernel make_kernel(std::uint64_t seed, unsigned log2_elements);

}  // namespace sinter::test
