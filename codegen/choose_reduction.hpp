#pragma once
// Schedules of nests that reduce, and when a nest has too few rows to be one.

#include <sinter/codegen/choose.hpp>

namespace sinter {

schedule choose_reduction(const nest& bound, std::span<const array_layout> inputs,
                          std::span<const array_layout> outputs, const target_facts& target,
                          unsigned attempt);

/// Why a nest that reduces cannot run under a schedule; null if it can.
const char* fault_of_reduction(const schedule& forced, const nest& bound,
                               std::span<const array_layout> inputs, std::span<const array_layout> outputs,
                               const target_facts& target);

/// Dynamic shared memory of a block, in bytes.
std::uint32_t shared_bytes_of(const nest& bound, const schedule& chosen);

/// Whether rows are so few and so long that a reduction is better done before what follows it than with it:
/// then it can be split over the whole device.
bool has_too_few_rows(const nest& bound, const target_facts& target);

/// Elements of the pieces that a nest with deviations (split_rows.hpp) is split into, so that each piece is
/// read once: where its rows are too few, or longer than what is kept of them. 0: it is not to be split.
std::int64_t deviation_pieces(const nest& bound, const target_facts& target);

/// Whether a nest's reductions are better done before what follows them: rows are too few, or they are long
/// and their deviations would read them again and again.
bool is_better_ahead(const nest& bound, const target_facts& target);

/// Whether a nest reads every element once, in as many stages as it is split into.
bool reads_once(const nest& bound, const target_facts& target);

/// Into how many pieces each row is cut so that the device is filled; 1: none. Depends on nothing but
/// extents, schedule and target.
std::int64_t pieces_of_rows(const nest& bound, const schedule& chosen, const target_facts& target);

/// Elements of a piece.
std::int64_t piece_length(const nest& bound, std::int64_t pieces);

}  // namespace sinter
