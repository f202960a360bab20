#pragma once
// A reduction of few long rows as two nests: pieces of rows into temporaries, then the pieces of each row.

#include <sinter/codegen/nest.hpp>

namespace sinter {

/// Splits a nest of one loop over one reduced axis, none of whose stores is per element. `parts` reduces
/// pieces of `length` elements into temporaries numbered from `first_temporary`, one for each reduction and
/// each as large as rows times pieces; `rest` reduces those and does what followed. Returns the number of
/// temporaries.
std::uint32_t split_rows(const nest& whole, std::int64_t length, std::uint32_t first_temporary, nest& parts,
                         nest& rest);

}  // namespace sinter
