#pragma once
// Which accesses of a nest are vectors: what follows from strides and from the alignment of arrays.

#include <sinter/codegen/graph/array_layout.hpp>
#include <sinter/codegen/nest/nest.hpp>
#include <sinter/codegen/schedule/schedule.hpp>

#include <cstdint>
#include <span>

namespace sinter::inline v0 {

/// True if the access follows memory in the order of the nest's elements, without gaps.
bool is_linear(const access& at, const nest& loop_nest);

/// True if the tiled order transposes this read on the chip: contiguous along axis 1, strided along axis 0.
template <typename Access>
bool is_transposed_access(const Access& at) {
  return at.what == access_facts::kind::read && at.term_count == 0 && at.pattern(1) == step_pattern::unit &&
         at.pattern(0) == step_pattern::strided;
}

/// Largest power of two up to max_alignment that divides the address of the access's first element.
std::uint32_t alignment_of(const access& at, std::span<const array_layout> inputs,
                           std::span<const array_layout> outputs);

/// Whether a loop order without reductions can have vectors of this length: whatever it loads or stores as a
/// vector is aligned at every position that is a multiple of the length.
bool all_vectorisable(const nest& loop_nest, loop_order order, std::uint32_t vector,
                      std::span<const array_layout> inputs, std::span<const array_layout> outputs);

/// Whether no vector of the flat order crosses into the next row, and whatever is contiguous in a row can be
/// loaded whole.
bool keeps_rows_whole(const nest& loop_nest, std::uint32_t vector, std::span<const array_layout> inputs,
                      std::span<const array_layout> outputs);

/// Bytes of shared memory that the tiles of transposed operands take.
std::int64_t staged_bytes(const nest& loop_nest, std::int64_t tile);

}  // namespace sinter::inline v0
