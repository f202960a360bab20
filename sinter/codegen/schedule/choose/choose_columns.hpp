#pragma once
// The column order of reductions on CUDA: strips of a contiguous kept axis, threads along and across it.

#include <sinter/codegen/schedule/choose/choose_schedule.hpp>

namespace sinter::inline v0 {

/// Whether a nest uses the column order. Narrow columns use the row order if they are resident or vectorised
/// along the reduced axis.
bool is_column_order(const nest& loop_nest, const target_facts& target);

/// Elements of the longest column that a block keeps resident from one phase to the next.
std::int64_t max_resident_column_extent(const nest& loop_nest, const target_facts& target);

/// The schedule of a nest with the column order.
schedule choose_columns(const nest& loop_nest, std::span<const array_layout> inputs,
                        std::span<const array_layout> outputs, const target_facts& target, unsigned attempt);

}  // namespace sinter::inline v0
