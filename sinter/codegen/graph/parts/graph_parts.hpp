#pragma once
// Nodes that put arrays together or take them apart. Operands and payload:
//
//   extended     source, first, extent   axis, extension, pad: q = first + p is a position of the endless
//   axis concatenate  a, b                    axis: a's elements come first window       source, extent axis:
//   element (…, i, …, j) is source i + j diagonal     source, offset          two axes: element (…, d) is
//   source (d, d + offset), as NumPy's merged       source                  axis: it and the next one become
//   one split        source, extent          axis, whole: N elements become N / extent rows of `extent`
//
// The integers among the operands are nodes of rank 0, int64, that the host computes before a call: literals,
// parameters, extents, and casts and elementwise operations on these.
//
// An extended axis that is a `pad` has all N elements: first <= 0, and first + extent >= N.
//
// A split that is `whole` has one row, and no axis for it: it only checks that the axis has `extent`
// elements. An array without elements has any number of rows, as for NumPy's reshape.

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/parts/extension.hpp>

#include <cstdint>
#include <span>
#include <string>

namespace sinter::inline v0 {

/// Whether an extended axis may begin elsewhere than at 0.
constexpr bool is_first_read(extension rule) {
  return rule != extension::broadcast && rule != extension::repeat;
}

constexpr unsigned part_axis(const node& part) { return static_cast<unsigned>(part.payload & 0xff); }
/// Of a diagonal.
constexpr unsigned second_axis(const node& part) { return static_cast<unsigned>(part.payload >> 8); }
/// Of an extended axis.
constexpr extension extension_of(const node& part) {
  return static_cast<extension>(part.payload >> 8 & 0xff);
}
constexpr bool is_pad(const node& part) { return part.payload >> 16 != 0; }
/// Of a split.
constexpr bool is_whole(const node& part) { return part.payload >> 8 != 0; }

/// The operands of a node that are integers, which the host computes before a call.
inline std::span<const node_id> scalars_of(const node& entry) {
  const bool has_none = !is_part(entry.op) || entry.op == operation::concatenate;
  return std::span(entry.inputs).first(entry.arity).subspan(has_none ? entry.arity : 1);
}

/// Whether a node of rank 0 depends on literals, parameters and extents alone.
bool is_host_scalar(const graph& recorded, node_id id);

/// The rank of a part's result, for operands of ranks that it takes.
unsigned rank_of_part(const graph& recorded, const node& part);

/// What is wrong with the ranks and axes of a part; empty: nothing.
std::string fault_in_axes(const graph& recorded, const node& part);

}  // namespace sinter::inline v0
