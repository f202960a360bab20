#pragma once
// The row order of reductions on CUDA: threads along a row, and where rows that several phases need stay
// resident.

#include <sinter/codegen/schedule/choose/choose_schedule.hpp>

namespace sinter::inline v0 {

/// Consecutive elements per thread in the row order. Rows whose length is not a multiple of it start at any
/// element, so they are loaded element by element.
std::int64_t row_lanes(const nest& loop_nest, const target_facts& target);

/// Distributes a resident row over the threads, registers and shared memory of a block or of a cluster of
/// blocks; false if it does not fit.
bool choose_resident(const nest& loop_nest, std::int64_t vector, const target_facts& target,
                     schedule& chosen);

/// Elements that the threads of a resident row have room for: a power of two or 1.5 times one; for long rows,
/// multiples of a quarter of one.
std::int64_t room_of_resident_row(const nest& loop_nest, const target_facts& target);

/// Whether an access has a different element at each position; these are the accesses that staged rows stage.
template <typename Access>
bool has_own_elements(const nest_body& loop_nest, const Access& at) {
  return at.what != access::kind::position && moves_along_every_axis(loop_nest, at);
}

/// Whether `rows` rows of every such access are adjacent in memory and fit into shared memory.
bool can_be_staged(const nest& loop_nest, std::int64_t rows, const target_facts& target);

/// The schedule of a nest with the row order.
schedule choose_rows(const nest& loop_nest, std::span<const array_layout> inputs,
                     std::span<const array_layout> outputs, const target_facts& target, unsigned attempt);

}  // namespace sinter::inline v0
