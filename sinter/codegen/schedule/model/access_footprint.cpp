#include <sinter/codegen/schedule/model/access_footprint.hpp>

#include <sinter/codegen/base/integers.hpp>

#include <algorithm>
#include <cstdlib>

namespace sinter::inline v0 {

void position_box::add_run(const nest& body, bool reduced, std::int64_t step, std::int64_t count) {
  for (unsigned axis = 0; axis < body.rank && count > 1; ++axis) {
    if (body.is_reduced(axis) != reduced) continue;
    const std::int64_t extent = std::max<std::int64_t>(1, body.extents[axis]);
    if (step >= extent) {
      step = divide_up(step, extent);
      continue;
    }
    const std::int64_t here = std::min(count, divide_up(extent, step));
    add(axis, step, here);
    count = divide_up(count, here);
    step = 1;
  }
}

touched_runs runs_touched(const access& at, const position_box& box, std::int64_t width,
                          std::int64_t granularity) {
  struct run {
    std::int64_t bytes, count;
  };
  std::array<run, max_box_sides> runs;
  std::size_t size = 0;
  const auto element = static_cast<std::int64_t>(size_of(at.type));
  for (const position_box::side& each : box) {
    const std::int64_t bytes = std::llabs(at.strides[each.axis]) * element * each.step;
    if (bytes == 0) continue;
    std::size_t place = size++;  // nearest first
    for (; place > 0 && runs[place - 1].bytes > bytes; --place) runs[place] = runs[place - 1];
    runs[place] = {bytes, each.count};
  }
  touched_runs made{width, 1};
  for (std::size_t i = 0; i < size; ++i)
    if (runs[i].bytes < made.span + granularity)
      made.span += runs[i].bytes * (runs[i].count - 1);
    else
      made.copies *= runs[i].count;
  return made;
}

}  // namespace sinter::inline v0
