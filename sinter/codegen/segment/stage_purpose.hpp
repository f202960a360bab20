#pragma once
// Why a call has its stages: recorded by the pass, printed by explain().

#include <sinter/codegen/base/export.hpp>
#include <sinter/codegen/target/target.hpp>

#include <cstdint>
#include <string>

namespace sinter::inline v0 {

/// The part of the work that a stage does.
enum class stage_part : std::uint8_t {
  whole,      ///< all of it
  pieces,     ///< reduces pieces of rows
  combined,   ///< combines the pieces of each row, and does what follows
  totals,     ///< computes the total of each piece of a scan
  starts,     ///< computes the sum before each piece of a scan
  continued,  ///< scans each piece, continuing from its start
};

/// Why the work is not one stage with its users; for pieces, why rows are split.
enum class stage_reason : std::uint8_t {
  results,       ///< it has no users: it computes results
  another_loop,  ///< another reduction depends on it, or reduces other axes
  few_rows,      ///< as one stage, it would have too few rows to fill the device
  rereading,     ///< as one stage, it would read rows again that cannot be resident
  any_layout,    ///< shape-generic kernels: their stages are the same for all arrays
  too_long,      ///< as one stage, it would have more operations than a compiler takes in one kernel
  many_values,   ///< as one stage, it would compute values at too many positions for each element
  recomputed,  ///< as one stage, it would compute it at several positions, which takes longer than storing it
  read_in_body,   ///< a body takes its elements at indices
  index_of_rows,  ///< rows are read at it, which are vectors if it is stored
  moved_twice,    ///< as one stage, its elements would be moved by two rules that are no single one
  short_axis,     ///< as one stage, its vectors would lie along a reduced axis that is shorter than they are
  updated,        ///< a scatter: its elements are combined in memory
  base_of_scatter,  ///< what a scatter combines with its updates
  ordered,          ///< an argsort whose rows are sorted in memory
  keys_of_rows,     ///< what an argsort sorts by
};

/// The purpose of a stage, with the numbers of the nest that was split.
struct stage_purpose {
  stage_part part = stage_part::whole;
  stage_reason reason = stage_reason::results;
  bool columns = false;               ///< adjacent rows
  std::int64_t rows = 0, length = 0;  ///< number of rows, and elements of each
  std::int64_t blocks = 0;            ///< blocks of a launch of those rows
};

/// As text: "pieces of rows, since 4 rows would be 4 blocks, too few for 132 multiprocessors".
SINTER_API std::string describe(const stage_purpose& purpose, const target_facts& target);

}  // namespace sinter::inline v0
