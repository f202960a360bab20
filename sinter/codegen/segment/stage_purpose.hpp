#pragma once
// Why a call has the stages that it has: recorded where the pass makes them, told by explain().

#include <sinter/codegen/target/target.hpp>

#include <cstdint>
#include <string>

namespace sinter {

/// What a stage does of the work that is done at once.
enum class stage_part : std::uint8_t {
  whole,      ///< all of it
  pieces,     ///< reduces pieces of rows
  joined,     ///< joins the pieces of each row, and does what follows
  totals,     ///< what each piece of a scan comes to
  starts,     ///< what comes before each piece of a scan
  continued,  ///< the pieces of a scan, each going on from its start
};

/// Why that work is not one stage with what follows it, or, of pieces, why rows are cut into those.
enum class stage_reason : std::uint8_t {
  results,       ///< nothing follows: it makes results
  another_walk,  ///< another reduction walks past it, or along other axes
  few_rows,      ///< as one stage, it would have too few rows to fill the device
  rereading,     ///< as one stage, it would read rows again that do not fit the chip
  any_layout,    ///< of the general variant: its stages are the same whatever the arrays are like
  too_long,      ///< as one stage, it would be more operations than a compiler takes in one kernel
};

/// The purpose of a stage, with the numbers of the nest that was not made one stage.
struct stage_purpose {
  stage_part part = stage_part::whole;
  stage_reason reason = stage_reason::results;
  bool columns = false;               ///< rows that lie side by side in memory
  std::int64_t rows = 0, length = 0;  ///< how many rows, and elements of each
  std::int64_t blocks = 0;            ///< that those rows would be launched as
};

/// In words: "pieces of rows, since 4 rows would be 4 blocks, too few for 132 multiprocessors".
std::string describe(const stage_purpose& purpose, const target_facts& target);

}  // namespace sinter
