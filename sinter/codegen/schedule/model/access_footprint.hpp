#pragma once
// Sectors and cache lines that a set of positions touches through an access.

#include <sinter/codegen/nest/nest.hpp>
#include <sinter/codegen/schedule/model/model_tables.hpp>

#include <array>
#include <cstdint>

namespace sinter::inline v0 {

/// Positions of a nest: every combination of some steps along its axes. A box of a warp's elements, or of a
/// block's.
class position_box {
 public:
  struct side {
    std::uint8_t axis;
    std::int64_t step, count;
  };

  /// `count` positions along an axis, `step` apart.
  void add(unsigned axis, std::int64_t step, std::int64_t count) {
    if (count > 1 && size_ < sides_.size()) sides_[size_++] = {static_cast<std::uint8_t>(axis), step, count};
  }
  /// `count` numbers, `step` apart, that count through the kept or the reduced axes of a nest, the innermost
  /// fastest.
  void add_run(const nest& body, bool reduced, std::int64_t step, std::int64_t count);

  const side* begin() const { return sides_.data(); }
  const side* end() const { return sides_.data() + size_; }

 private:
  std::array<side, max_box_sides> sides_;
  std::size_t size_ = 0;
};

/// Runs of memory that an access touches at the positions of a box with `width` bytes at each: `span` bytes,
/// and as much in each of `copies` places. Neighbours with less than `granularity` bytes between them are one
/// run.
struct touched_runs {
  std::int64_t span, copies;
};
touched_runs runs_touched(const access& at, const position_box& box, std::int64_t width,
                          std::int64_t granularity);

/// Pieces of memory of `Granularity` bytes in these runs. Exact for aligned boxes whose sides do not
/// interleave.
template <std::int64_t Granularity>
std::int64_t pieces_touched(const access& at, const position_box& box, std::int64_t width) {
  const touched_runs runs = runs_touched(at, box, width, Granularity);
  return runs.copies * ((runs.span + Granularity - 1) / Granularity);
}

}  // namespace sinter::inline v0
