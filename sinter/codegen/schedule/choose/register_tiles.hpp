#pragma once
// Register tiles: strips of columns with several rows. A thread (on the CPU a task) has the sums of several
// positions along the second kept axis, beside those of its lanes. What does not move along that axis is
// loaded once for all rows, and what does not move along axis 0 once for all lanes: of C[m, n] = sum over k
// of A[m, k] * B[k, n] a tile of 4 rows by 64 columns loads 68 elements for 256 products, where one row loads
// 65 for 64. Each sum has the order of additions that it has without tiles, but for short columns on GPUs,
// which one thread adds.

#include <sinter/codegen/nest/nest.hpp>
#include <sinter/codegen/schedule/schedule.hpp>
#include <sinter/codegen/target/target.hpp>

namespace sinter::inline v0 {

/// Whether the text of a nest can have register tiles: one loop, whose reductions are operations of the
/// table, and a second kept axis.
bool can_have_register_tiles(const nest& loop_nest);

/// Whether all that the loop reads is contiguous along axis 0, or does not move along it.
bool has_contiguous_lanes(const nest& loop_nest);

/// Gives the chosen schedule of columns register tiles where rows share reads and there is enough work.
/// Comes after what decides the order of additions, which stays as it is, but for short columns on GPUs.
void choose_register_tiles(const nest& loop_nest, const target_facts& target, schedule& chosen);

}  // namespace sinter::inline v0
