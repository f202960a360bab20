#pragma once
// The schedule: how a nest is cut into loads, threads and tiles. Public data, chosen by a pure function.

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace sinter {

/// How the iteration space is walked.
enum class walk : std::uint8_t {
  rows,              ///< a tile of axis 0 by axis 1; outer axes are decoded once per tile
  flat,              ///< consecutive elements of the whole space, decoded per vector: for short rows
  tiled,             ///< square tiles of axis 0 and one other axis, transposed operands staged on the chip
  row_reduction,     ///< threads along the reduced axes, together for one position of the kept ones
  column_reduction,  ///< threads along a kept axis, and others beside them along the reduced ones
};

constexpr bool is_reduction_walk(walk order) { return order >= walk::row_reduction; }

/// When the second-level cache of a GPU gives up what a kernel has read. Under `last`, lines that were
/// written go first, in long runs, which memory takes faster than single ones among reads; `first` keeps what
/// is read once from pushing out anything else.
enum class eviction : std::uint8_t { normal, last, first };

struct schedule {
  walk order = walk::rows;
  std::uint16_t vector = 1;           ///< consecutive elements per load
  std::uint16_t steps = 1;            ///< loads in flight along axis 0 per thread
  std::uint16_t rows_per_thread = 1;  ///< rows per thread along axis 1; of reductions, side by side
  std::uint16_t threads_along = 256;  ///< threads along axis 0
  std::uint16_t threads_across = 1;   ///< threads along axis 1
  std::uint16_t tile = 0;             ///< tile side for transposed operands, elements; 0: none
  std::uint16_t cluster = 1;          ///< blocks that share a row, and exchange what they have of it
  std::uint16_t shared_steps = 0;     ///< of a kept row: further loads of a thread that lie in shared memory
  bool streaming = false;             ///< results bypass the cache; CPU only, on an H200 it gained nothing
  eviction reads = eviction::normal;  ///< GPU; like `streaming` it is data: the text is the same

  bool kept = false;  ///< reductions: a whole row stays on the chip, or near it, from one phase to the next
  bool scalar_loads =
      false;  ///< reductions: operands are not aligned for whole vectors; the lanes stay as they are
  bool staged = false;      ///< kept rows of one thread: they pass through shared memory in both directions
  bool whole_rows = false;  ///< flat walk: rows are a multiple of the vector, so that none is split

  auto operator<=>(const schedule&) const = default;
};

/// Whether `order` and `reads` are values that their enumerations name.
bool has_known_values(const schedule& chosen);

/// "rows vector=4 steps=1 …"; parse_schedule(to_string(s)) == s. parse throws type_error on anything else.
std::string to_string(const schedule& chosen);
schedule parse_schedule(std::string_view text);

}  // namespace sinter
