#pragma once
// How often a kernel computes each operation: again in each loop over a row that does not keep the value, and
// at each position around an element whose value it needs.

#include <sinter/codegen/nest/nest.hpp>

#include <cstdint>
#include <vector>

namespace sinter::inline v0 {

struct computed_operation {
  operation op{};
  std::uint32_t for_element = 0;  ///< times for each element, in all loops together
  std::uint32_t for_row = 0;      ///< times for each row of a nest that reduces
};

/// Operations that take time (weight_of()), in the order in which the nest first computes them. With
/// `resident`, what later loops need of a row stays in registers or on the stack. With `keeps_reads`, as on
/// GPUs, what was read stays there too.
std::vector<computed_operation> computed_operations(const nest& loop_nest, bool resident, bool keeps_reads);

}  // namespace sinter::inline v0
