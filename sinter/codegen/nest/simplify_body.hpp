#pragma once
// What becomes of a body once it is built: equal reads are one, products join additions, what nothing needs
// goes.

#include <sinter/codegen/nest/nest.hpp>

namespace sinter {

/// Two reads that turned out to be the same element become one value.
void merge_equal_reads(nest& bound, std::vector<std::uint32_t>& renumbered);

/// a * b + c with a product that nothing else uses is rounded once. The emitter writes the fused operation;
/// the compilers contract nothing, so that both targets agree.
void fuse_multiply_add(nest& bound, std::vector<std::uint32_t>& uses);

/// Drops instructions that no store needs, and their constants.
void remove_unused(nest& bound, std::vector<std::uint32_t>& uses, std::vector<std::uint32_t>& renumbered);

/// Drops constants that no instruction reads. The others are numbered in the order of their instructions.
void remove_unused_constants(nest& bound);

}  // namespace sinter
