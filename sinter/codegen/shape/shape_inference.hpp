#pragma once
// Extents of every node of a graph for given extents of its inputs and given scalars, by NumPy's rules for
// broadcasting, slices and indices. Also the checks that need values: of indices and weak integers.

#include <sinter/codegen/base/export.hpp>
#include <sinter/codegen/graph/array_layout.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/shape/shape_table.hpp>

#include <cstdint>
#include <span>

namespace sinter::inline v0 {

/// Fills `shapes` for one call. Throws shape_error with the operation, the shapes and the source line if
/// operands do not broadcast, an index is outside its axis, or a slice has step 0; also if the number of
/// inputs, their ranks or the number of scalars are not those declared. Throws type_error if the types of
/// inputs are not those declared. Reads only types, ranks and extents of `inputs`.
SINTER_API void infer_shapes(const graph& recorded, std::span<const array_layout> inputs,
                             std::span<const std::uint64_t> scalars, shape_table& shapes);

/// A slice or index on an axis of known extent. The elements are start, start + step, …: `count` of them,
/// each inside [0, extent). `start` is 0 where count is 0, `step` 1 where count is 0 or 1. An index has step
/// 0.
struct resolved_slice {
  std::int64_t start = 0, step = 1, count = 0;
  bool operator==(const resolved_slice&) const = default;
};

/// Resolves a slice or an index item, as NumPy does: negative bounds count from the end, slice bounds are
/// clamped; an index outside its axis or a step of 0 throws shape_error.
SINTER_API resolved_slice resolve(const view_item& item, std::int64_t extent,
                                  std::span<const std::uint64_t> scalars);

/// The value of a bound that is not absent; a parameter's slot of eight bytes holds an int64 (see
/// parameter_bound).
inline std::int64_t value_of(const bound& from, std::span<const std::uint64_t> scalars) {
  return from.is_parameter() ? static_cast<std::int64_t>(scalars[static_cast<std::size_t>(from.value)])
                             : from.value;
}

/// Throws type_error if the value of a weak integer parameter does not fit a type to which it is converted.
SINTER_API void check_parameter_limits(const graph& recorded, std::span<const std::uint64_t> scalars);

}  // namespace sinter::inline v0
