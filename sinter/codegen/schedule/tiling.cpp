#include <sinter/codegen/base/integers.hpp>
#include <sinter/codegen/nest/axis_digits.hpp>
#include <sinter/codegen/schedule/tiling.hpp>
#include <sinter/codegen/target/cpu_piece.hpp>

#include <algorithm>

namespace sinter::inline v0 {
namespace {

constexpr std::int64_t extent_of(const nest& body, unsigned axis) {
  return axis < body.rank ? body.extents[axis] : 1;
}

/// The flat order on the CPU: chunks of `across` whole rows that fit their buffers and, if rows are short
/// enough, end with a cache line; whole chunks per tile. A single axis is divided anywhere.
tiling flat_cpu_tile(const nest& body) {
  const std::int64_t width = std::max<std::int64_t>(1, extent_of(body, 0));
  if (body.rank < 2) return {codegen::cpu_piece, 1, 1};
  std::int64_t height = std::max<std::int64_t>(1, codegen::cpu_chunk / width);
  // rows of any element type, or of four-byte elements, that together end with a cache line
  for (const std::int64_t whole : {codegen::cache_line_bytes, codegen::cache_line_bytes / 4})
    if (height >= whole) {
      height -= height % whole;
      break;
    }
  const std::int64_t chunk = height * width;
  return {chunk * std::max<std::int64_t>(1, codegen::cpu_piece / chunk), height,
          axis_digits(body, false).count()};
}

}  // namespace

std::int64_t count_rows(const nest& body, bool reduced) {
  std::int64_t count = 1;
  for (unsigned axis = 0; axis < body.rank; ++axis)
    if (body.is_reduced(axis) == reduced) count *= body.extents[axis];
  return count;
}

tiling tile_of(const nest& body, const schedule& chosen, target_kind target) {
  if (chosen.order == loop_order::column_reduction) return {chosen.threads_along * chosen.vector, 1, 0};
  if (chosen.order == loop_order::row_reduction) {
    if (target == target_kind::cuda) return {1, chosen.threads_across * chosen.rows_per_thread, 0};
    const std::int64_t length = std::max<std::int64_t>(1, count_rows(body, true));
    return {1,
            std::clamp<std::int64_t>(codegen::cpu_piece / length, 1,
                                     std::max<std::int64_t>(1, count_rows(body, false))),
            0};
  }
  if (chosen.order == loop_order::flat) {
    if (target == target_kind::cpu) return flat_cpu_tile(body);
    return {chosen.threads_along * chosen.vector * chosen.steps, 1,
            std::max(1u, axis_digits(body, false).count())};
  }
  const unsigned digits = std::max(1u, axis_digits(body, false).count());
  if (chosen.order == loop_order::tiled) return {chosen.tile, chosen.tile, digits};
  if (target == target_kind::cuda)
    return {chosen.threads_along * chosen.vector * chosen.steps,
            chosen.threads_across * chosen.rows_per_thread, digits};
  const std::int64_t along =
      std::clamp<std::int64_t>(extent_of(body, 0), codegen::cpu_chunk, codegen::cpu_piece);
  return {along,
          body.rank < 2 ? 1
                        : std::clamp<std::int64_t>(codegen::cpu_piece / along, 1,
                                                   std::max<std::int64_t>(1, extent_of(body, 1))),
          digits};
}

std::int64_t digit_extent(const nest& body, const schedule& chosen, const tiling& cut, unsigned index) {
  const std::int64_t extent = body.reduced == 0 && index + 1 == most_digits
                                  ? axis_digits(body, false).extent(body, index)
                                  : extent_of(body, index);
  if (chosen.order == loop_order::row_reduction) return extent;
  if (chosen.order == loop_order::column_reduction) return index == 0 ? divide_up(extent, cut.along) : extent;
  if (chosen.order == loop_order::flat) return extent;  // digits of an element's number, not of a tile's
  return index == 0 ? divide_up(extent, cut.along) : index == 1 ? divide_up(extent, cut.across) : extent;
}

std::int64_t count_tiles(const nest& body, const schedule& chosen, const tiling& cut) {
  if (chosen.order == loop_order::row_reduction)
    return divide_up(count_rows(body, false), cut.across) * chosen.cluster;
  if (chosen.order == loop_order::column_reduction) {
    const std::int64_t rows = count_rows(body, false);  // zero if there are no columns
    return rows == 0 ? 0 : rows / body.extents[0] * divide_up(body.extents[0], cut.along);
  }
  std::int64_t count = 1;
  for (unsigned digit = 0; digit < cut.digits; ++digit) count *= digit_extent(body, chosen, cut, digit);
  return chosen.order == loop_order::flat ? divide_up(count, cut.along) : count;
}

}  // namespace sinter::inline v0
