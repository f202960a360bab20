#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/reference/moved_elements.hpp>

#include <sinter/codegen/shape/shape_inference.hpp>

#include <algorithm>

namespace sinter::inline v0 {
namespace {

std::int64_t modulo(std::int64_t a, std::int64_t b) {
  const std::int64_t rest = a % b;
  return rest < 0 ? rest + b : rest;
}

/// (first + offset) modulo `period`; the sum may not fit 64 bits.
std::int64_t modulo_of_sum(std::int64_t first, std::int64_t offset, std::int64_t period) {
  const std::int64_t a = modulo(first, period), b = modulo(offset, period);
  return a >= period - b ? a - (period - b) : a + b;
}

/// Position `at` of an axis of `extent` elements that goes on past its ends.
std::int64_t extended_from(extension rule, std::int64_t extent, std::span<const std::int64_t> integers,
                           std::int64_t at) {
  const std::int64_t first = integers[0];
  switch (rule) {
    case extension::broadcast:
      return extent == 1 ? 0 : at;
    case extension::repeat:
      return at / integers[1];
    case extension::edge: {
      if (first < 0) return std::clamp<std::int64_t>(first + at, 0, extent - 1);
      return first >= extent - 1 - std::min(at, extent - 1) ? extent - 1 : first + at;
    }
    case extension::wrap:
      return modulo_of_sum(first, at, extent);
    case extension::reflect:
      break;
  }
  // 0 1 … N-1 N-2 … 1, and again
  if (extent == 1) return 0;
  const std::int64_t turn = extent - 1;
  const std::int64_t along = modulo_of_sum(first, at, 2 * turn);
  return along <= turn ? along : 2 * turn - along;
}

}  // namespace

element_position moved_from(const node& part, std::span<const std::span<const std::int64_t>, 2> extents,
                            std::span<const std::int64_t> integers, std::span<const std::int64_t> at) {
  element_position from{0, {at.begin(), at.end()}};
  std::vector<std::int64_t>& own = from.at;
  const unsigned axis = part_axis(part);
  const auto place = own.begin() + axis;
  switch (part.op) {
    case operation::extended:
      own[axis] = extended_from(extension_of(part), extents[0][axis], integers, at[axis]);
      break;
    case operation::concatenate:
      if (at[axis] < extents[0][axis]) break;
      from.operand = 1;
      own[axis] -= extents[0][axis];
      break;
    case operation::window:
      own[axis] += own.back();
      own.pop_back();
      break;
    case operation::diagonal: {
      const std::int64_t along = own.back();
      own.pop_back();
      const std::int64_t row = along + std::max<std::int64_t>(-integers[0], 0);
      const std::int64_t column = along + std::max<std::int64_t>(integers[0], 0);
      const unsigned other = second_axis(part);
      own.insert(own.begin() + std::min(axis, other), axis < other ? row : column);
      own.insert(own.begin() + std::max(axis, other), axis < other ? column : row);
      break;
    }
    case operation::merged: {
      const std::int64_t columns = extents[0][axis + 1];
      own.insert(place + 1, at[axis] % columns);
      own[axis] = at[axis] / columns;
      break;
    }
    default:  // split
      if (is_whole(part)) break;
      own[axis] = at[axis] * integers[0] + at[axis + 1];
      own.erase(place + 1);
      break;
  }
  return from;
}

std::vector<std::int64_t> viewed_from(std::span<const view_item> items, std::span<const std::int64_t> extents,
                                      std::span<const std::uint64_t> scalars,
                                      std::span<const std::int64_t> at) {
  std::vector<std::int64_t> own;
  std::size_t result = 0;
  if (!items.empty() && items.front().what == view_item::kind::permute) {
    own.resize(at.size());
    for (const view_item& item : items) own[static_cast<std::size_t>(item.start.value)] = at[result++];
    return own;
  }
  for (const view_item& item : items) {
    if (item.what == view_item::kind::newaxis) {
      ++result;
      continue;
    }
    const resolved_slice slice = resolve(item, extents[own.size()], scalars);
    own.push_back(item.what == view_item::kind::index ? slice.start
                                                      : slice.start + slice.step * at[result++]);
  }
  while (own.size() < extents.size()) own.push_back(at[result++]);
  return own;
}

std::int64_t position_of_index(std::uint64_t index, element_type type, std::int64_t extent, index_rule rule) {
  if (rule == index_rule::wrap && type == element_type::uint64)
    return static_cast<std::int64_t>(index % static_cast<std::uint64_t>(extent));
  auto position = static_cast<std::int64_t>(index);
  if (rule == index_rule::wrap) return modulo(position, extent);
  if (rule == index_rule::checked && position < 0) position += extent;
  return std::clamp<std::int64_t>(position, 0, extent - 1);
}

}  // namespace sinter::inline v0
