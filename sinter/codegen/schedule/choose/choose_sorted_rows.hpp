#pragma once
// Rows that the threads of a GPU's block sort together in their registers.

#include <sinter/codegen/schedule/choose/choose_schedule.hpp>

namespace sinter::inline v0 {

/// The schedule of a nest with sorts. Each row has a power of two of places, each thread as many of them.
schedule choose_sorted_rows(const nest& loop_nest, std::span<const array_layout> inputs,
                            std::span<const array_layout> outputs, const target_facts& target,
                            unsigned attempt);

}  // namespace sinter::inline v0
