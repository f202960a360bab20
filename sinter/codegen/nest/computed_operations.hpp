#pragma once
// How often a kernel computes each operation: again in each loop over a row that does not keep the value, at
// each position around an element whose value it needs, and in each iteration of the loops around it.

#include <sinter/codegen/nest/nest.hpp>

#include <cstdint>
#include <vector>

namespace sinter::inline v0 {

struct computed_operation {
  operation op{};
  /// The innermost loop (repeat or repeat_while) in whose body it is computed, or instruction::no_owner.
  std::uint32_t loop = instruction::no_owner;
  std::uint64_t for_element = 0;  ///< times for each element, in all iterations and loops over rows together
  std::uint64_t for_row = 0;      ///< times for each row of a nest that reduces
  std::uint64_t for_combine = 0;  ///< times each time that the body of a reduction or scan combines two sides
};

/// Operations that take time (weight_of()), by the loops they are in, in the order in which the nest first
/// computes them. Iterations count as times_evaluated() says, and both sides of a choice as computed. With
/// `resident`, what later loops need of a row stays in registers or on the stack. With `keeps_reads`, as on
/// GPUs, what was read stays there too.
std::vector<computed_operation> computed_operations(const nest& loop_nest, bool resident, bool keeps_reads);

}  // namespace sinter::inline v0
