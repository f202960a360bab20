#pragma once
// Simplification of a nest's body: merges equal reads, fuses products with additions, removes what is unused.

#include <sinter/codegen/nest/nest.hpp>

namespace sinter::inline v0 {

/// Merges reads of the same element into one value.
void merge_equal_reads(nest& loop_nest, std::vector<std::uint32_t>& renumbered);

/// Rounds a * b + c once if nothing else uses the product. The emitter writes the fused operation; the
/// compilers contract nothing, so that both targets agree.
void fuse_multiply_add(nest& loop_nest, std::vector<std::uint32_t>& uses);

/// Removes instructions that no store and no report needs, and their constants.
void remove_unused(nest& loop_nest, std::vector<std::uint32_t>& uses, std::vector<std::uint32_t>& renumbered);

/// Removes constants that no instruction reads. The others are numbered in the order of their instructions.
void remove_unused_constants(nest& loop_nest);

}  // namespace sinter::inline v0
