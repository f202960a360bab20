#pragma once
// Arrays of the interpreter, and their elements by positions.

#include <sinter/codegen/scalars/scalar_operations.hpp>
#include <sinter/codegen/types/scalar.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sinter::inline v0 {

/// An array of reference values in row-major order. Floating elements are in `reals`, complex ones in `reals`
/// and `imaginaries`, all others in `integers`.
struct reference_array {
  element_type type{};
  std::vector<std::int64_t> extents;
  std::vector<long double> reals;
  std::vector<std::uint64_t> integers;
  std::vector<long double> imaginaries{};

  std::size_t size() const { return is_inexact(type) ? reals.size() : integers.size(); }
  reference_value at(std::size_t i) const {
    if (is_complex(type)) return {reals[i], 0, imaginaries[i]};
    return is_floating(type) ? reference_value{reals[i], 0} : reference_value{0, integers[i]};
  }
};

using coordinates = std::vector<std::int64_t>;

inline std::size_t count_of(std::span<const std::int64_t> extents) {
  std::size_t count = 1;
  for (const std::int64_t extent : extents) count *= static_cast<std::size_t>(extent);
  return count;
}

inline std::size_t offset_of(std::span<const std::int64_t> at, std::span<const std::int64_t> extents) {
  std::size_t offset = 0;
  for (std::size_t axis = 0; axis < extents.size(); ++axis)
    offset = offset * static_cast<std::size_t>(extents[axis]) + static_cast<std::size_t>(at[axis]);
  return offset;
}

inline reference_array make_array(element_type type, std::span<const std::int64_t> extents) {
  reference_array made{type, {extents.begin(), extents.end()}, {}, {}};
  if (is_complex(type)) made.imaginaries.resize(count_of(extents));
  if (is_inexact(type))
    made.reals.resize(count_of(extents));
  else
    made.integers.resize(count_of(extents));
  return made;
}

inline void set(reference_array& array, std::size_t i, const reference_value& value) {
  if (is_complex(array.type)) array.imaginaries[i] = value.imaginary;
  if (is_inexact(array.type))
    array.reals[i] = value.real;
  else
    array.integers[i] = value.integer;
}

/// Fills an array by calling `element_at` for each position.
template <typename Element>
void fill(reference_array& array, const Element& element_at) {
  coordinates at(array.extents.size(), 0);
  for (std::size_t i = 0; i < array.size(); ++i) {
    set(array, i, element_at(at));
    for (std::size_t axis = at.size(); axis-- > 0;) {
      if (++at[axis] < array.extents[axis]) break;
      at[axis] = 0;
    }
  }
}

/// The element of `array` that is broadcast to a position; the position has at least the array's rank.
inline reference_value broadcast_at(const reference_array& array, const coordinates& at) {
  const std::size_t shift = at.size() - array.extents.size();
  coordinates own(array.extents.size());
  for (std::size_t axis = 0; axis < own.size(); ++axis)
    own[axis] = array.extents[axis] == 1 ? 0 : at[axis + shift];
  return array.at(offset_of(own, array.extents));
}

}  // namespace sinter::inline v0
