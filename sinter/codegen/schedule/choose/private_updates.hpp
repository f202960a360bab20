#pragma once
// Copies of an array that is updated: when each task, or each block of a GPU, has one, and how many blocks
// there are then.

#include <sinter/codegen/nest/nest.hpp>
#include <sinter/codegen/schedule/schedule.hpp>
#include <sinter/codegen/target/target.hpp>

#include <cstdint>

namespace sinter::inline v0 {

/// Elements of a copy, a power of two; 0 if none is worth it, or the nest updates nothing.
std::uint16_t private_elements(const nest& loop_nest, const target_facts& target);

/// Bytes of a copy of so many elements. Blocks of a GPU count in 32 bits what adds the same to each element.
std::int64_t bytes_of_copy(const nest& loop_nest, std::int64_t elements, target_kind target);

/// A GPU's schedule with copies: blocks are whole, and no larger than the thresholds say.
void choose_blocks_of_copies(const nest& loop_nest, const target_facts& target, schedule& chosen);

/// The tiles that a block updates its copy by, one after the other, of `tiles` in all.
std::int64_t tiles_of_block(const nest& loop_nest, const schedule& chosen, std::int64_t tiles,
                            const target_facts& target);

}  // namespace sinter::inline v0
