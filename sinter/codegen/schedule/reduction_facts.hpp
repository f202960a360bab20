#pragma once
// Properties of a nest with reductions, from which its schedule and its splitting are chosen.

#include <sinter/codegen/graph/array_layout.hpp>
#include <sinter/codegen/nest/nest.hpp>
#include <sinter/codegen/schedule/schedule.hpp>
#include <sinter/codegen/schedule/thresholds.hpp>
#include <sinter/codegen/target/target.hpp>

namespace sinter::inline v0 {

/// The innermost reduced axis.
unsigned first_reduced_axis(const nest& loop_nest);
/// The innermost kept axis; the nest's rank if all are reduced.
unsigned first_kept_axis(const nest& loop_nest);

/// Whether the CPU's vectors can hold every value of a nest.
bool has_vector_values(const nest& loop_nest);

/// Whether neighbours along an axis lie within a cache line of the CPU.
bool is_near_along(const access& at, unsigned axis);

/// Elements of axis 0 and of the kept axes that follow it as if they were one, in all that a reduction reads.
std::int64_t joint_lanes(const nest& loop_nest);

/// Whether rows of the CPU go along several reduced axes, the innermost of them shorter than vectors, and
/// vectors can hold their values.
bool has_short_runs(const nest& loop_nest, const cpu_thresholds& table);

/// Whether a reduction returns the position of an element.
bool finds_positions(const nest& loop_nest);

/// The number of phases that loop over the reduced axes, and so the number of uses of each element.
unsigned loops_of(const nest& loop_nest);

/// Bytes of the accumulators of one lane in the phase with the most.
std::int64_t bytes_of_sums(const nest& loop_nest);

/// Bytes of static shared memory through which the warps that share a row exchange what they have of it, in
/// all phases.
std::int64_t bytes_of_row_exchange(const nest& loop_nest, const schedule& chosen, std::int64_t warp);

/// Bytes of static shared memory through which the warps of a block exchange what they have of each column,
/// in all phases; and those through which the threads of a strip exchange what they have scanned.
std::int64_t bytes_of_column_exchange(const nest& loop_nest, std::int64_t along, std::int64_t across,
                                      std::int64_t vector, std::int64_t warp);
std::int64_t bytes_of_scan_exchange(const nest& loop_nest, const schedule& chosen);

/// Consecutive elements per thread: as many as one load takes of the widest traffic that is contiguous along
/// the lanes' axis. It depends on types and shapes alone, because sums depend on it: a row gives the same
/// bits at any address.
std::int64_t lanes_along(const nest& loop_nest, unsigned axis, const target_facts& target);

/// Whether this many consecutive elements along an axis are one aligned load of every operand that is
/// contiguous there.
bool loads_whole_lanes(const nest& loop_nest, unsigned axis, std::int64_t lanes,
                       std::span<const array_layout> inputs, std::span<const array_layout> outputs);

/// Whether rows are whole vectors, so that no lane of the row order is past the end.
bool fills_vectors(const nest& loop_nest, std::int64_t vector);

/// Whether a nest without scans reduces by a body.
bool reduces_by_body(const nest& loop_nest);

/// Whether a body's combines are better tested chunk by chunk than element by element, even in rows of whole
/// vectors: where a chunk has several loads, its tests cost less than those that lanes of a body wait for.
/// Blocks of all threads have no registers for both loops; see split_ragged_chunks().
bool tests_chunks(const nest& loop_nest, const schedule& chosen);

/// Whether a later phase needs an element that an earlier one loads.
bool is_needed_again(const nest& loop_nest);

/// Whether a store is of a per-element value.
bool stores_each_element(const nest& loop_nest);

/// Bytes loaded for each element of a row.
std::int64_t bytes_of_reads(const nest& loop_nest);

}  // namespace sinter::inline v0
