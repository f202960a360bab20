#pragma once
// What a nest that reduces is like: the facts that its schedules and its splitting are chosen by.

#include <sinter/codegen/schedule/choose_schedule.hpp>

namespace sinter {

/// The innermost of the axes that are reduced.
unsigned first_reduced_axis(const nest& bound);

/// Whether a reduction gives the position of an element.
bool finds_positions(const nest& bound);

/// How many phases walk the reduced axes: how many times each element is needed.
unsigned loops_of(const nest& bound);

/// Bytes of the sums that one lane forms in the phase that forms most.
std::int64_t bytes_of_sums(const nest& bound);

/// Neighbouring elements of a thread: as many as one load takes of what moves most bytes, of all that is
/// contiguous along the lanes' axis. Types and shapes alone decide, because sums depend on it: a row gives
/// the same bits wherever it lies.
std::int64_t lanes_along(const nest& bound, unsigned axis, const target_facts& target);

/// Whether so many neighbouring elements along an axis are one aligned load of every operand that is
/// contiguous there.
bool loads_whole_lanes(const nest& bound, unsigned axis, std::int64_t lanes,
                       std::span<const array_layout> inputs, std::span<const array_layout> outputs);

/// Whether rows are whole vectors, so that no lane of the row walk lies past the end.
bool fills_vectors(const nest& bound, std::int64_t vector);

/// Whether an element that one phase loads is needed by a later one.
bool is_needed_again(const nest& bound);

/// Whether any store is of a value that each element has.
bool stores_each_element(const nest& bound);

/// Bytes that are loaded for each element of a row.
std::int64_t bytes_of_reads(const nest& bound);

}  // namespace sinter
