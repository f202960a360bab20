#pragma once
// Splits the scan of few long rows into three nests: the total of each piece, the sum before each piece, and
// the scan of each piece, continuing from there.

#include <sinter/codegen/nest/nest.hpp>

namespace sinter::inline v0 {

/// Whether a nest can be split this way: it scans in one loop, no scan depends on another, and nothing is
/// reduced.
bool has_separate_scans(const nest& body);

/// Pieces have `length` elements. Each scan uses two temporaries, numbered from `first_temporary` on, with
/// one element of eight bytes per piece; returns their number.
std::uint32_t split_scans(const nest& whole, std::int64_t length, std::uint32_t first_temporary, nest& totals,
                          nest& before, nest& pieces);

}  // namespace sinter::inline v0
