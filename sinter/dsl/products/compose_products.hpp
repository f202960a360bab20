#pragma once
// Products of arrays, as nodes of a graph: what functions of lambdas record (products.hpp, einsum.hpp), for
// those who build graphs.
//
// Each is a sum of products of elements, in one loop over the axes of the result and those that are summed:
// no array of products is stored. The result has the promoted type. Products of integers wrap; booleans are
// combined by `and` and `or`; sums are those of reduce(): float16 and bfloat16 are added in float32.
//
// Threads: a builder is used by one thread at a time.
// Throws: type_error or shape_error as nodes are added, where operands or axes do not fit; extents and
// indices are checked by the call: shape_error, index_error.
// After a failure: the graph has no new result, and values that were given before are still good; nodes that
// were added before the exception stay, unused.

#include <sinter/codegen/base/export.hpp>
#include <sinter/codegen/graph/graph_value.hpp>

#include <cstdint>
#include <source_location>
#include <span>
#include <string_view>

namespace sinter::inline v0 {

/// The matrix product, as NumPy's matmul: rows of a times columns of b; axes before the last two are
/// broadcast together. A rank of 1 is one row of a, or one column of b, and the result does not have its
/// axis. Throws shape_error for operands of rank 0, and, when called, for extents that do not fit.
SINTER_API graph_value matmul(graph_builder& into, graph_value a, graph_value b,
                              const std::source_location& at = std::source_location::current());

/// As NumPy's dot: the sum of products along the last axis of a and the last but one of b, or its only one,
/// for each of a's other axes and each of b's; the product of both if one has rank 0. Throws shape_error when
/// called for extents that differ.
SINTER_API graph_value dot(graph_builder& into, graph_value a, graph_value b,
                           const std::source_location& at = std::source_location::current());

/// The sum of conj(a) times b along an axis of each, as NumPy's vecdot; a negative axis counts from the back.
/// Other axes are broadcast together. Throws shape_error for an axis that does not exist, and, when called,
/// for extents that do not fit.
SINTER_API graph_value vecdot(graph_builder& into, graph_value a, graph_value b, int axis = -1,
                              const std::source_location& at = std::source_location::current());

/// The product of each element of a with each one of b, as NumPy's outer: both are taken as one axis.
SINTER_API graph_value outer(graph_builder& into, graph_value a, graph_value b,
                             const std::source_location& at = std::source_location::current());

/// Sums of products by labels of axes, as NumPy's einsum: "ij,jk->ik". Axes with one label go together; a
/// label that stands twice in an operand takes its diagonal; labels that the result does not have are summed.
/// Without "->" the result has the labels that stand once, by their letters. Up to three operands; no
/// ellipsis. Throws shape_error for subscripts that do not fit the operands, and, when called, for axes of
/// one label whose extents differ.
SINTER_API graph_value einsum(graph_builder& into, std::string_view subscripts,
                              std::span<const graph_value> operands,
                              const std::source_location& at = std::source_location::current());

}  // namespace sinter::inline v0
