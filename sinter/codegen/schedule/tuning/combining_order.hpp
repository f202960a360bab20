#pragma once
// Which schedules combine the elements of reductions in the same order.

#include <sinter/codegen/nest/nest.hpp>
#include <sinter/codegen/schedule/schedule.hpp>
#include <sinter/codegen/target/target.hpp>

namespace sinter::inline v0 {

/// Whether what a nest combines is exact in any order (integers, extremes, conditions), so that its results
/// have the same bits however its rows are cut and its elements are shared.
bool combines_exactly(const nest& loop_nest);

/// Whether the results of a nest have the same bits under two schedules, because what it combines is exact in
/// any order, or because both combine in one order: the partial results of
/// a row follow from the elements that each lane, thread and block has of it. Says false where it is not
/// known.
bool combines_alike(const nest& loop_nest, const schedule& a, const schedule& b, const target_facts& target);

}  // namespace sinter::inline v0
