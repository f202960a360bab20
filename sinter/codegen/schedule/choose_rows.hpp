#pragma once
// The row walk of reductions on CUDA: threads along a row, and how a row that several phases need is kept.

#include <sinter/codegen/schedule/choose_schedule.hpp>

namespace sinter {

/// Neighbouring elements of a thread in the row walk. Rows that are no multiple of it begin at any element,
/// and are then better loaded element by element.
std::int64_t row_lanes(const nest& bound, const target_facts& target);

/// How a kept row lies in the threads, registers and shared memory of a block, or of a cluster of blocks;
/// false if it does not fit.
bool choose_kept(const nest& bound, std::int64_t vector, const target_facts& target, schedule& chosen);

/// Whether an access reads or writes an element of its own for each position: what is staged of staged rows.
inline bool has_own_elements(const nest& bound, const access& at) {
  return at.what != access::kind::position && moves_along_every_axis(bound, at);
}

/// Whether `rows` rows of every such access lie side by side in memory, and fit into shared memory.
bool can_be_staged(const nest& bound, std::int64_t rows, const target_facts& target);

/// The schedule of a nest that is walked in rows.
schedule choose_rows(const nest& bound, std::span<const array_layout> inputs,
                     std::span<const array_layout> outputs, const target_facts& target, unsigned attempt);

}  // namespace sinter
