#pragma once
// Few long rows to scan become three nests: what each piece of a row comes to, what comes before each piece,
// and the pieces themselves, each going on from there.

#include <sinter/codegen/nest/nest.hpp>

namespace sinter {

/// Whether a nest can be split so: it scans in one loop, no scan needs another one's result, and nothing is
/// reduced.
bool has_separate_scans(const nest& body);

/// Pieces of `length` elements. A scan takes two temporaries, numbered from `first_temporary` on; gives how
/// many. Each has an element of eight bytes for each piece.
std::uint32_t split_scans(const nest& whole, std::int64_t length, std::uint32_t first_temporary, nest& totals,
                          nest& before, nest& pieces);

}  // namespace sinter
