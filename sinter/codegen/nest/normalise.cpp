#include <sinter/codegen/graph/graph_limits.hpp>
#include <sinter/codegen/nest/nest_facts.hpp>
#include <sinter/codegen/nest/normalise.hpp>
#include <sinter/codegen/nest/reduction_phases.hpp>
#include <sinter/codegen/nest/simplify_body.hpp>

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace sinter::inline v0 {
namespace {

void remove_unused_accesses(nest& bound) {
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < bound.accesses.size(); ++i) {
    bool used = false;
    const auto renumber = [&](auto& payload) {
      if (payload != i) return;
      payload = kept;
      used = true;
    };
    for (instruction& at : bound.body)
      if (at.op == operation::input || at.op == operation::coordinate) renumber(at.payload);
    for (store& at : bound.stores) renumber(at.target);
    if (used) bound.accesses[kept++] = bound.accesses[i];
  }
  bound.accesses.resize(kept);
}

}  // namespace

double bytes_of(const nest& bound, const access& at) {
  double bytes = static_cast<double>(size_of(at.type));
  for (unsigned axis = 0; axis < bound.rank; ++axis)
    if (at.strides[axis] != 0) bytes *= static_cast<double>(bound.extents[axis]);
  return bytes;
}

void swap_axes(nest& bound, unsigned a, unsigned b) {
  std::swap(bound.extents[a], bound.extents[b]);
  for (access& at : bound.accesses) std::swap(at.strides[a], at.strides[b]);
  const std::uint32_t bit_a = bound.reduced >> a & 1, bit_b = bound.reduced >> b & 1;
  bound.reduced = (bound.reduced & ~(1u << a) & ~(1u << b)) | bit_a << b | bit_b << a;
}

namespace {

void remove_axis(nest& bound, unsigned axis) {
  const std::uint32_t below = (1u << axis) - 1;
  bound.reduced = (bound.reduced & below) | (bound.reduced >> 1 & ~below);
  --bound.rank;
  for (unsigned i = axis; i < bound.rank; ++i) bound.extents[i] = bound.extents[i + 1];
  for (access& at : bound.accesses) {
    for (unsigned i = axis; i < bound.rank; ++i) at.strides[i] = at.strides[i + 1];
    at.strides[bound.rank] = 0;
  }
}

/// The write that moves the most bytes; of equal ones the last. Results determine the order, not operands:
/// scattered stores cost more than scattered loads, and only loads can be transposed in a tile.
const access& heaviest_write(const nest& bound) {
  const access* found = &bound.accesses[bound.stores.front().target];
  for (const store& at : bound.stores)
    if (size_of(bound.accesses[at.target].type) >= size_of(found->type)) found = &bound.accesses[at.target];
  return *found;
}

/// The most expensive access. A reduction's reads count more than its writes, unless these are as large.
const access& heaviest_access(const nest& bound) {
  const access* found = &heaviest_write(bound);
  for (const access& at : bound.accesses)
    if (at.what == access::kind::read && bytes_of(bound, at) > bytes_of(bound, *found)) found = &at;
  return *found;
}

void order_axes(nest& bound) {
  const access reference = bound.reduced == 0 ? heaviest_write(bound) : heaviest_access(bound);
  std::array<std::uint64_t, max_rank> weight{};
  for (unsigned axis = 0; axis < bound.rank; ++axis)
    weight[axis] = static_cast<std::uint64_t>(std::llabs(reference.strides[axis])) - 1;  // axes along which
                                                                                         // it repeats go last
  // insertion sort: ranks are small, and equal weights must keep their order
  for (unsigned i = 1; i < bound.rank; ++i)
    for (unsigned j = i; j > 0 && weight[j] < weight[j - 1]; --j) {
      std::swap(weight[j], weight[j - 1]);
      swap_axes(bound, j, j - 1);
    }
}

/// Traverses every axis in the direction in which the first result is written upward, except where scans fix
/// the direction.
void make_ascending(nest& bound) {
  const std::uint32_t target = bound.stores.front().target;
  const bool scans = has_scans(bound);
  for (unsigned axis = 0; axis < bound.rank; ++axis) {
    if (bound.accesses[target].strides[axis] >= 0 || (scans && bound.is_reduced(axis))) continue;
    for (access& at : bound.accesses) {
      at.offset += (bound.extents[axis] - 1) * at.strides[axis];
      at.strides[axis] = -at.strides[axis];
    }
  }
}

void merge_axes(nest& bound) {
  for (unsigned axis = 0; axis + 1 < bound.rank;) {
    const bool mergeable = bound.is_reduced(axis) == bound.is_reduced(axis + 1) &&
                           std::all_of(bound.accesses.begin(), bound.accesses.end(), [&](const access& at) {
                             return at.strides[axis + 1] == at.strides[axis] * bound.extents[axis];
                           });
    if (!mergeable) {
      ++axis;
      continue;
    }
    const std::int64_t merged = bound.extents[axis] * bound.extents[axis + 1];
    remove_axis(bound, axis + 1);
    bound.extents[axis] = merged;
  }
}

void group_accesses(nest& bound) {
  std::uint32_t groups = 0;
  for (std::size_t i = 0; i < bound.accesses.size(); ++i) {
    access& at = bound.accesses[i];
    const auto equal = std::find_if(
        bound.accesses.begin(), bound.accesses.begin() + static_cast<std::ptrdiff_t>(i),
        [&](const access& other) { return !bound.shape_generic && other.strides == at.strides; });
    at.group = equal != bound.accesses.begin() + static_cast<std::ptrdiff_t>(i) ? equal->group : groups++;
  }
}

/// Splits the distance between two accesses into elements and steps along axis 1; false if it is not small.
bool split_distance(std::int64_t distance, std::int64_t row_stride, std::int64_t& rows,
                    std::int64_t& elements) {
  rows = 0;
  if (row_stride != 0) {
    const std::int64_t half = std::llabs(row_stride) / 2;
    rows = (distance + (distance < 0 ? -half : half)) / row_stride;
  }
  elements = distance - rows * row_stride;
  return std::llabs(rows) <= farthest_row && std::llabs(elements) <= farthest_element;
}

/// Whether an axis other than the innermost has so small a stride that a distance could be one of its steps.
bool has_short_rows(const access& at, unsigned rank) {
  return std::any_of(at.strides.begin() + 1, at.strides.begin() + std::max(1u, rank),
                     [](std::int64_t stride) { return std::llabs(stride) < nearest_row; });
}

}  // namespace

void find_windows(nest& bound) {
  const auto is_near = [&](const access& at, const access& first, std::int64_t& rows,
                           std::int64_t& elements) {
    if (at.what != access::kind::read || first.place != at.place || first.array != at.array ||
        first.group != at.group)
      return false;
    // not contiguous, such as coordinates of points: they share a pointer and nothing else
    const bool scattered = at.strides[0] != 1 && has_short_rows(at, bound.rank);
    if (!scattered && has_short_rows(at, bound.rank)) return false;
    if (!split_distance(at.offset - first.offset, bound.rank > 1 && !scattered ? at.strides[1] : 0, rows,
                        elements))
      return false;
    // as far apart as the axis is long: two separate rows, not one row read twice
    const bool beyond_rows = bound.rank > 1 && std::llabs(rows) >= bound.extents[1];
    const std::int64_t length = bound.rank > 0 ? bound.extents[0] * std::llabs(at.strides[0]) : 0;
    return !beyond_rows && (length == 0 || std::llabs(elements) < length);
  };
  const auto count = static_cast<std::uint32_t>(bound.accesses.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    bound.accesses[i].base = i;
    bound.accesses[i].shift = bound.accesses[i].row_shift = 0;
  }
  std::int64_t rows = 0, elements = 0;
  for (std::uint32_t first = 0; first < count; ++first) {
    if (bound.accesses[first].base != first || bound.accesses[first].what != access::kind::read) continue;
    std::int64_t lowest_row = 0, lowest_element = 0;
    for (std::uint32_t i = first; i < count; ++i) {
      access& at = bound.accesses[i];
      if (at.base != i || !is_near(at, bound.accesses[first], rows, elements)) continue;
      at.base = first;
      lowest_row = std::min(lowest_row, rows);
      lowest_element = std::min(lowest_element, elements);
    }
    for (std::uint32_t i = first; i < count; ++i) {
      access& at = bound.accesses[i];
      if (at.base != first || !is_near(at, bound.accesses[first], rows, elements)) continue;
      at.shift = static_cast<std::uint16_t>(elements - lowest_element);
      at.row_shift = static_cast<std::uint16_t>(rows - lowest_row);
    }
  }
}

void regroup(nest& bound) {
  remove_unused_constants(bound);
  group_accesses(bound);
  find_windows(bound);
}

void settle_empty(nest& bound) {
  if (is_empty(bound)) {
    std::fill_n(bound.extents.begin(), bound.rank, 0);
    return;
  }
  bool none = false;
  for (unsigned axis = 0; axis < bound.rank; ++axis)
    none |= bound.is_reduced(axis) && bound.extents[axis] == 0;
  if (!none) return;
  for (unsigned axis = 0; axis < bound.rank; ++axis)
    if (bound.is_reduced(axis)) bound.extents[axis] = 0;
  if (std::popcount(bound.reduced) > 1)
    bound.extents[static_cast<unsigned>(std::countr_zero(bound.reduced))] = 1;
}

void normalise(nest& bound) {
  remove_unused_accesses(bound);
  if (!bound.shape_generic) {
    for (unsigned axis = bound.rank; axis-- > 0;)
      if (bound.extents[axis] == 1) remove_axis(bound, axis);
    const bool empty = std::find(bound.extents.begin(), bound.extents.begin() + bound.rank, 0) !=
                       bound.extents.begin() + bound.rank;
    if (!empty) {
      make_ascending(bound);
      order_axes(bound);
      merge_axes(bound);
    }
  }
  regroup(bound);
}

}  // namespace sinter::inline v0
