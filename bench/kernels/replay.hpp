#pragma once
// The cost model's choices among candidates that were timed before: for its development without a GPU.

#include "candidate_table.hpp"

#include <iosfwd>
#include <string>

namespace sinter_bench {

/// A line of JSON: of the programs that are read, how many have times; and the time of a choice over that of
/// the fastest candidate, in geometric mean and at most, for the schedule that the lowering pass proposes and
/// for the one that the cost model takes instead. `times` has the proposed schedule of each
/// first (read_times()). Programs are lowered for the GPU that the
/// times are of. Throws std::runtime_error for a line that is none.
std::string replay(std::istream& programs, const times_by_program& times, std::string_view device);

/// A line of JSON for each time: what the model counts of the kernel at the program's own sizes, from which
/// fit_rates.py fits what no kernel shows alone. Throws as replay() does.
void write_work(std::istream& programs, const times_by_program& times, std::string_view device,
                std::ostream& to);

}  // namespace sinter_bench
