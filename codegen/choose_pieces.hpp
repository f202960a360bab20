#pragma once
// When a nest has too few rows to fill a device, or rows too long to be kept: what is made before it, and
// into which pieces its rows are split.

#include <sinter/codegen/choose.hpp>

namespace sinter {

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

/// Elements of the pieces that each row is split into so that the device is filled; 0: rows stay whole.
/// Depends on nothing but extents, schedule and target.
std::int64_t row_pieces(const nest& bound, const schedule& chosen, const target_facts& target);

}  // namespace sinter
