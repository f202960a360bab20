#include <sinter/codegen/schedule/model/size_class.hpp>

#include <sinter/codegen/base/integers.hpp>
#include <sinter/codegen/schedule/access_alignment.hpp>

#include <algorithm>
#include <cstdlib>
#include <span>

namespace sinter::inline v0 {
namespace {

constexpr class_member reduction[] = {{}};

/// Stands for a stride that is the number of elements along the axes before.
constexpr std::int64_t follows_extents = -1;

/// The middle of the class of numbers above a power of two, up to the next.
std::int64_t middle_of_class(std::int64_t value) {
  return value <= max_exact_stride ? value : power_above(value) / 4 * 3;
}

/// Without reductions, strides that depend on sizes are ignored: all sizes share one kernel.
void take_representative_strides(access& at, unsigned rank, bool reduces) {
  const auto end = at.strides.begin() + rank;
  const bool has_rows =
      std::any_of(at.strides.begin(), end, [](std::int64_t each) { return std::llabs(each) == 1; });
  for (std::int64_t& stride : std::span(at.strides.begin(), end)) {
    const std::int64_t length = std::llabs(stride);
    if (reduces)
      stride = std::min(middle_of_class(length), long_stride);
    else if (length <= (has_rows ? 1 : max_exact_stride))
      stride = length;
    else
      stride = long_stride;
  }
}

}  // namespace

void step_along_pieces(nest& loop_nest) {
  if (loop_nest.split < 0) return;
  const unsigned cut = split_axis(loop_nest);
  for (access& at : loop_nest.accesses) {
    std::int64_t& stride = at.strides[static_cast<unsigned>(loop_nest.split)];
    if (stride == 0) stride = at.strides[cut] * loop_nest.extents[cut];
  }
}

void bound_sizes(nest& loop_nest) {
  std::int64_t elements = 1;
  for (unsigned axis = 0; axis < loop_nest.rank; ++axis) {
    std::int64_t& extent = loop_nest.extents[axis];
    extent = std::min(extent, max_modelled_elements / elements);
    elements *= std::max<std::int64_t>(1, extent);
  }
  loop_nest.whole = std::min(loop_nest.whole, max_modelled_elements);
}

std::span<const class_member> members_of_class(const nest& loop_nest, bool has_long_rows) {
  if (loop_nest.reduced != 0) return reduction;
  return has_long_rows ? std::span<const class_member>(members_of_long_rows) : members_of_short_rows;
}

void take_sizes(nest& loop_nest, const class_member& member) {
  for (access& at : loop_nest.accesses) {
    // elements one after the other stay so: their strides follow the extents, below
    if (is_linear(at, loop_nest))
      std::fill_n(at.strides.begin(), loop_nest.rank, follows_extents);
    else
      take_representative_strides(at, loop_nest.rank, loop_nest.reduced != 0);
  }
  std::int64_t elements = 1;
  for (unsigned axis = 0; axis < loop_nest.rank; ++axis) {
    std::int64_t& extent = loop_nest.extents[axis];
    extent = loop_nest.reduced != 0 ? middle_of_class(extent)
             : axis == 0            ? member.row
             : axis == 1            ? member.rows
                                    : 2;
    elements = std::min(member.all, elements * extent);
  }
  if (loop_nest.reduced == 0 && loop_nest.rank > 0)
    loop_nest.extents[loop_nest.rank - 1] *= member.all / elements;
  loop_nest.whole = middle_of_class(loop_nest.whole);
  for (access& at : loop_nest.accesses) {
    std::int64_t expected = 1;
    for (unsigned axis = 0; axis < loop_nest.rank; ++axis) {
      if (at.strides[axis] == follows_extents) at.strides[axis] = expected;
      expected *= loop_nest.extents[axis];
    }
  }
}

}  // namespace sinter::inline v0
