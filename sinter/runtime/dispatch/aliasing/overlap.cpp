#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>

#include <sinter/codegen/nest/nest.hpp>
#include <sinter/runtime/dispatch/aliasing/overlap.hpp>

namespace sinter::inline v0::runtime {
namespace {

// One axis of an array in bytes, with a positive stride.
struct byte_axis {
  std::int64_t stride, extent;
};

// An array's bytes: element positions are sums of i * stride, starting at `low`. Axes of extent 1 or stride 0
// are omitted.
struct lattice {
  std::int64_t low = 0, element = 0;
  std::array<byte_axis, max_rank> axes;
  unsigned rank = 0;

  explicit lattice(const operand& array) : element(static_cast<std::int64_t>(size_of(array.type))) {
    low = reinterpret_cast<std::intptr_t>(array.data) + range_of(array).low;
    for (unsigned axis = 0; axis < array.rank && rank < max_rank; ++axis)
      if (array.extents[axis] > 1 && array.strides[axis] != 0)
        axes[rank++] = {std::abs(array.strides[axis]) * element, array.extents[axis]};
    std::sort(axes.begin(), axes.begin() + rank, [](auto& a, auto& b) { return a.stride > b.stride; });
  }
  // Bytes from the start of the first element to the end of the last, over the axes from `first` on.
  std::int64_t reach(unsigned first) const {
    std::int64_t bytes = element;
    for (unsigned axis = first; axis < rank; ++axis) bytes += axes[axis].stride * (axes[axis].extent - 1);
    return bytes;
  }
};

std::int64_t floor_modulo(std::int64_t value, std::int64_t by) {
  const std::int64_t rest = value % by;
  return rest < 0 ? rest + by : rest;
}

// Whether residues [0, a) and [shift, shift + b) intersect modulo `period`.
bool residues_meet(std::int64_t a, std::int64_t shift, std::int64_t b, std::int64_t period) {
  const std::int64_t at = floor_modulo(shift, period);
  return at < a || at + b > period;
}

}  // namespace

byte_range range_of(const operand& array) {
  const auto element = static_cast<std::int64_t>(size_of(array.type));
  byte_range range{0, element};
  for (unsigned axis = 0; axis < array.rank; ++axis) {
    if (array.extents[axis] == 0) return {0, 0};
    const std::int64_t reach = array.strides[axis] * (array.extents[axis] - 1) * element;
    (reach < 0 ? range.low : range.high) += reach;
  }
  return range;
}

bool may_share_memory(const operand& a, const operand& b) {
  const byte_range in_a = range_of(a), in_b = range_of(b);
  if (in_a.low == in_a.high || in_b.low == in_b.high || !ranges_meet(a, in_a, b, in_b)) return false;
  const lattice left(a), right(b);
  const std::int64_t shift = right.low - left.low;
  // All positions of both arrays are congruent modulo the greatest common divisor of the strides; interleaved
  // views have different residues.
  std::int64_t divisor = 0;
  for (unsigned axis = 0; axis < left.rank; ++axis) divisor = std::gcd(divisor, left.axes[axis].stride);
  for (unsigned axis = 0; axis < right.rank; ++axis) divisor = std::gcd(divisor, right.axes[axis].stride);
  if (divisor > 0 && !residues_meet(left.element, shift, right.element, divisor)) return false;
  // Blocks of one array share its outer strides: modulo each such stride, their inner extents must not
  // intersect.
  for (unsigned axis = 0; axis < std::min(left.rank, right.rank); ++axis) {
    if (left.axes[axis].stride != right.axes[axis].stride) break;
    const std::int64_t period = left.axes[axis].stride;
    if (axis > 0 && left.axes[axis - 1].stride % period != 0) break;
    const std::int64_t inside_left = left.reach(axis + 1), inside_right = right.reach(axis + 1);
    if (inside_left > period || inside_right > period) break;
    if (!residues_meet(inside_left, shift, inside_right, period)) return false;
  }
  return true;
}

bool may_overlap_itself(const operand& array) {
  for (unsigned axis = 0; axis < array.rank; ++axis)
    if (array.extents[axis] == 0) return false;
  for (unsigned axis = 0; axis < array.rank; ++axis)
    if (array.extents[axis] > 1 && array.strides[axis] == 0) return true;
  const lattice all(array);
  for (unsigned axis = 0; axis < all.rank; ++axis)
    if (all.axes[axis].stride < all.reach(axis + 1)) return true;
  return false;
}

bool same_elements(const operand& a, const operand& b) {
  return a.data == b.data && a.rank == b.rank && size_of(a.type) == size_of(b.type) &&
         std::equal(a.extents, a.extents + a.rank, b.extents) &&
         std::equal(a.strides, a.strides + a.rank, b.strides);
}

}  // namespace sinter::inline v0::runtime
