#pragma once
// The loop orders: one table of what the steps after the choice have to know of each.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sinter::inline v0 {

/// The loop order of the iteration space.
enum class loop_order : std::uint8_t {
  rows,              ///< a tile of axis 0 by axis 1; outer axes are decoded once per tile
  flat,              ///< consecutive elements of the whole space, decoded per vector: for short rows
  tiled,             ///< square tiles of axis 0 and one other axis, transposed operands staged on the chip
  row_reduction,     ///< threads along the reduced axes, together for one position of the kept axes
  column_reduction,  ///< threads along a kept axis, and others along the reduced axes
};

/// What a tile is, and by that how tiles are counted.
enum class tile_shape : std::uint8_t {
  rectangle,  ///< elements along axis 0 by rows along axis 1; a tile's number has a digit for each axis
  run,        ///< consecutive elements of the whole space: elements are numbered, not tiles
  row_group,  ///< whole rows, which are reduced
  strip,      ///< neighbouring columns, which are reduced
};

/// One row of the table of loop orders.
struct loop_order_facts {
  loop_order order;
  tile_shape tiles;
  std::string_view name;  ///< in the text of a schedule
  /// For explain(), with {width} for the extent of axis 0, {rows} and {length} for how many rows or columns
  /// are reduced and their elements, {loops} over each, {cut} for what is said of pieces.
  std::string_view words;
};

inline constexpr std::array<loop_order_facts, 5> loop_orders{{
    {loop_order::rows, tile_shape::rectangle, "rows",
     "rows: axis 0 is long enough for whole vectors, outer axes are decoded once a tile"},
    {loop_order::flat, tile_shape::run, "flat",
     "flat: consecutive elements across the ends of rows, which have {width} elements"},
    {loop_order::tiled, tile_shape::rectangle, "tiled",
     "tiled: an operand is contiguous along another axis and is staged on the chip"},
    {loop_order::row_reduction, tile_shape::row_group, "row_reduction",
     "row reduction: {rows} rows of {length} elements{cut}, {loops} loops over a row"},
    {loop_order::column_reduction, tile_shape::strip, "column_reduction",
     "column reduction: {rows} columns of {length} elements, {loops} loops over a column"},
}};

constexpr bool is_known(loop_order order) { return static_cast<std::size_t>(order) < loop_orders.size(); }
/// A number without a row has the last one's facts, until check_schedule() rejects it.
constexpr const loop_order_facts& facts_of(loop_order order) {
  return loop_orders[std::min(static_cast<std::size_t>(order), loop_orders.size() - 1)];
}
constexpr tile_shape tiles_of(loop_order order) { return facts_of(order).tiles; }
constexpr bool numbers_elements(loop_order order) { return tiles_of(order) == tile_shape::run; }
constexpr bool reduces_rows(loop_order order) { return tiles_of(order) == tile_shape::row_group; }
constexpr bool reduces_columns(loop_order order) { return tiles_of(order) == tile_shape::strip; }
constexpr bool is_reduction_order(loop_order order) { return reduces_rows(order) || reduces_columns(order); }

}  // namespace sinter::inline v0
