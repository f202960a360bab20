#pragma once
// Nodes that put arrays together or take them apart. Operands and payload:
//
//   extended     source, first, extent   axis, extension, pad: q = first + p is a position of the endless
//   axis concatenate  a, b                    axis: a's elements come first window       source, extent axis:
//   element (…, i, …, j) is source i + j diagonal     source, offset          two axes: element (…, d) is
//   source (d, d + offset), as NumPy's merged       source                  axis: it and the next one become
//   one split        source, extent          axis, whole: N elements become N / extent rows of `extent`
//   gather       source, index           axis, checked: element (…, i, …) is source (…, index (…, i, …), …)
//
// The integers among the operands are nodes of rank 0, int64, that the host computes before a call: literals,
// parameters, extents, and casts and elementwise operations on these.
//
// An extended axis that is a `pad` has all N elements: first <= 0, and first + extent >= N.
//
// Source and index of a gather have one rank, and axes of one element are broadcast, but not the source's
// axis. The index is int64. If it is checked, negative ones count from the end, and one that is out of range
// is reported where its element is used; else all are positions.
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
/// Of a gather. Its axis has this number in what the user wrote, for messages.
constexpr bool is_checked(const node& gather) { return (gather.payload >> 8 & 1) != 0; }
constexpr unsigned axis_in_source(const node& gather) { return static_cast<unsigned>(gather.payload >> 16); }
/// Of a split.
constexpr bool is_whole(const node& part) { return part.payload >> 8 != 0; }

/// The operands of a node that are integers, which the host computes before a call.
inline std::span<const node_id> scalars_of(const node& entry) {
  const bool has_none =
      !is_part(entry.op) || entry.op == operation::concatenate || entry.op == operation::gather;
  return std::span(entry.inputs).first(entry.arity).subspan(has_none ? entry.arity : 1);
}

/// Whether a node of rank 0 depends on literals, parameters and extents alone.
bool is_host_scalar(const graph& recorded, node_id id);

/// The rank of a part's result, for operands of ranks that it takes.
unsigned rank_of_part(const graph& recorded, const node& part);

/// What is wrong with the ranks and axes of a part; empty: nothing.
std::string fault_in_axes(const graph& recorded, const node& part);

}  // namespace sinter::inline v0
