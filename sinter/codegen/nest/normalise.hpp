#pragma once
// Second step of the pass: the smallest equivalent iteration space. Axes of extent 1 are removed, axes are
// ordered by the strides of the result that moves the most bytes, and neighbours merge where every access
// allows it.

#include <sinter/codegen/nest/nest.hpp>

namespace sinter::inline v0 {

/// Normalises in place, removes accesses that no instruction or store uses, and groups accesses with equal
/// strides. In a shape-generic nest no extent or stride is known: its axes stay, and every access is its own
/// group.
void normalise(nest& loop_nest);

/// Sets the extents of a nest without elements so that no loop runs and no product of the remaining extents
/// overflows. If only reduced axes are empty, the innermost of them counts as one element, because kernels
/// divide by it; if it is the only axis, they do not.
void settle_empty(nest& loop_nest);

/// Lets the axes of the kind, kept or reduced, that the innermost one is not of begin with the one along
/// which most reads are contiguous: neighbouring threads or rows follow it.
void order_other_axes(nest& loop_nest);

/// Merges neighbours of one kind along which every access moves as along one axis. Axes of pieces stay.
void merge_axes(nest& loop_nest);

void swap_axes(nest& loop_nest, unsigned a, unsigned b);

/// Bytes that an access moves, each element once; a double, which cannot overflow.
double bytes_of(const nest& loop_nest, const access& at);

/// Groups accesses with equal strides and finds windows, after a nest was assembled from parts of another.
void regroup(nest& loop_nest);

/// Finds reads that form windows (access::base); called again after axes were exchanged.
void find_windows(nest& loop_nest);

}  // namespace sinter::inline v0
