#pragma once
// The column walk of reductions on CUDA: strips of a kept axis that is contiguous, threads along and across.

#include <sinter/codegen/schedule/choose_schedule.hpp>

namespace sinter {

/// Whether a nest is walked in columns. Narrow ones are rows where they are kept or vectorised along the
/// reduced axis.
bool is_column_walk(const nest& bound, const target_facts& target);

/// Elements of the longest columns that a block keeps from one phase to the next.
std::int64_t longest_kept_column(const nest& bound, const target_facts& target);

/// The schedule of a nest that is walked in columns.
schedule choose_columns(const nest& bound, std::span<const array_layout> inputs,
                        std::span<const array_layout> outputs, const target_facts& target, unsigned attempt);

}  // namespace sinter
