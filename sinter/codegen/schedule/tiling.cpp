#include <sinter/codegen/base/integers.hpp>
#include <sinter/codegen/nest/axis_digits.hpp>
#include <sinter/codegen/nest/nest_facts.hpp>
#include <sinter/codegen/nest/reduction_phases.hpp>
#include <sinter/codegen/schedule/thresholds.hpp>
#include <sinter/codegen/schedule/tiling.hpp>
#include <sinter/codegen/target/cpu_piece.hpp>

#include <algorithm>
#include <bit>

namespace sinter::inline v0 {
namespace {

constexpr std::int64_t extent_of(const nest& body, unsigned axis) {
  return axis < body.rank ? body.extents[axis] : 1;
}

unsigned digit_count(const nest_body& body) { return std::max(1u, axis_digits(body, false).count()); }

/// A run on the CPU: chunks of `across` whole rows that fit their buffers and, if rows are short
/// enough, end with a cache line; whole chunks per tile. A single axis is divided anywhere.
tiling cpu_run(const nest& body) {
  const std::int64_t width = std::max<std::int64_t>(1, extent_of(body, 0));
  if (body.rank < 2) return {codegen::cpu_piece, 1, 1};
  std::int64_t height = std::max<std::int64_t>(1, codegen::cpu_chunk / width);
  // rows of any element type, or of four-byte elements, that together end with a cache line
  for (const std::int64_t whole : {codegen::cpu_cache_line_bytes, codegen::cpu_cache_line_bytes / 4})
    if (height >= whole) {
      height -= height % whole;
      break;
    }
  const std::int64_t chunk = height * width;
  return {chunk * std::max<std::int64_t>(1, codegen::cpu_piece / chunk), height, digit_count(body)};
}

/// On the CPU the tile of rows is a piece of a long row, or whole rows that are together a piece.
tiling cpu_rectangle(const nest& body, const schedule& chosen) {
  const unsigned digits = digit_count(body);
  if (chosen.tile != 0) return {chosen.tile, chosen.tile, digits};
  const std::int64_t along =
      std::clamp<std::int64_t>(extent_of(body, 0), codegen::cpu_chunk, codegen::cpu_piece);
  return {along,
          body.rank < 2 ? 1
                        : std::clamp<std::int64_t>(codegen::cpu_piece / along, 1,
                                                   std::max<std::int64_t>(1, extent_of(body, 1))),
          digits};
}

/// Rows that are reduced as one task, which have about a piece's elements.
std::int64_t cpu_rows(const nest& body) {
  const std::int64_t length = std::max<std::int64_t>(1, count_rows(body, true));
  return std::clamp<std::int64_t>(codegen::cpu_piece / length, 1,
                                  std::max<std::int64_t>(1, count_rows(body, false)));
}

}  // namespace

unsigned axis_of_rows(const nest_body& body) {
  const axis_digits kept(body, false);
  return kept.count() < 2 || kept.is_shared(kept.axis(1)) ? body.rank : kept.axis(1);
}

std::int64_t count_rows(const nest& body, bool reduced) {
  std::int64_t count = 1;
  for (unsigned axis = 0; axis < body.rank; ++axis)
    if (body.is_reduced(axis) == reduced) count *= body.extents[axis];
  return count;
}

bool counts_narrowly(const nest& body, const schedule& chosen, bool reduced) {
  if (body.reduced == 0 || body.shape_generic || has_scans(body) || chosen.resident) return false;
  return axis_digits(body, reduced).count() > 1 && count_rows(body, reduced) < min_wide_extent;
}

bool counts_steps(const nest& body, const instruction& made, const schedule& chosen, target_kind target) {
  if (!finds_position(made.op) || !positions_ascend(body, made)) return false;
  // a step says nothing of where a lane lies
  const access& counts = body.accesses[body.body[made.arguments[1]].payload];
  if (reduces_columns(chosen.order) && counts.moves_along(0)) return false;
  if (!is_gpu(target) && !std::has_single_bit(body.reduced)) return false;
  // a step of rows has a vector of elements for each of many threads: there are never too many
  return body.shape_generic ? reduces_rows(chosen.order) : count_rows(body, true) < min_wide_extent;
}

unsigned tile_digits(const nest_body& body, const schedule& chosen) {
  return is_reduction_order(chosen.order) ? 0 : digit_count(body);
}

tiling gpu_tile(const nest_body& body, const schedule& chosen) {
  const unsigned digits = tile_digits(body, chosen);
  switch (tiles_of(chosen.order)) {
    case tile_shape::rectangle:  // a square where the schedule has a tile for transposed operands
      if (chosen.tile != 0) return {chosen.tile, chosen.tile, digits};
      return {chosen.threads_along * chosen.vector * chosen.steps,
              chosen.threads_across * chosen.rows_per_thread, digits};
    case tile_shape::run:
      return {chosen.threads_along * chosen.vector * chosen.steps, 1, digits};
    case tile_shape::row_group:
      return {1, chosen.threads_across * chosen.rows_per_thread, digits};
    case tile_shape::strip:
      return {chosen.threads_along * chosen.vector, chosen.rows_per_thread, digits};
  }
  return {};
}

tiling tile_of(const nest& body, const schedule& chosen, target_kind target) {
  if (is_gpu(target)) return gpu_tile(body, chosen);
  switch (tiles_of(chosen.order)) {
    case tile_shape::rectangle:
      return cpu_rectangle(body, chosen);
    case tile_shape::run:
      return cpu_run(body);
    case tile_shape::row_group:
      return {1, cpu_rows(body), 0};
    case tile_shape::strip:
      return {chosen.threads_along * chosen.vector, chosen.rows_per_thread, 0};
  }
  return {};
}

std::int64_t digit_extent(const nest& body, const schedule& chosen, const tiling& cut, unsigned index) {
  const std::int64_t extent = body.reduced == 0 && index + 1 == max_digits
                                  ? axis_digits(body, false).extent(body, index)
                                  : extent_of(body, index);
  const tile_shape tiles = tiles_of(chosen.order);
  const bool cut_along = tiles == tile_shape::rectangle || tiles == tile_shape::strip;
  if (index == 0 && cut_along) return divide_up(extent, cut.along);
  if (tiles == tile_shape::strip && cut.across > 1 && index == axis_of_rows(body))
    return divide_up(extent, cut.across);
  return index == 1 && tiles == tile_shape::rectangle ? divide_up(extent, cut.across) : extent;
}

std::int64_t count_tiles(const nest& body, const schedule& chosen, const tiling& cut) {
  const tile_shape tiles = tiles_of(chosen.order);
  if (tiles == tile_shape::row_group) return divide_up(count_rows(body, false), cut.across) * chosen.cluster;
  if (tiles == tile_shape::strip) {
    const std::int64_t rows = count_rows(body, false);  // zero if there are no columns
    if (rows == 0) return 0;
    const std::int64_t side_by_side = cut.across > 1 ? body.extents[axis_of_rows(body)] : 1;
    return rows / body.extents[0] / side_by_side * divide_up(body.extents[0], cut.along) *
           divide_up(side_by_side, cut.across);
  }
  std::int64_t count = 1;
  for (unsigned digit = 0; digit < cut.digits; ++digit) count *= digit_extent(body, chosen, cut, digit);
  return tiles == tile_shape::run ? divide_up(count, cut.along) : count;
}

}  // namespace sinter::inline v0
