#pragma once
// Second step of the pass: the smallest iteration space that is known to be equal. Extents of 1 go, axes are
// ordered by the strides of the result that moves most bytes, neighbours merge where every access allows it.

#include <sinter/codegen/nest/nest.hpp>

namespace sinter {

/// Normalises in place; drops accesses that no instruction or store uses and groups those with equal strides.
/// Of a shape-generic nest no extent or stride is known: its axes stay, and every access is a group of its
/// own.
void normalise(nest& bound);

/// Sets the extents of a nest of no elements so that nothing is walked, and no product of what is left of the
/// shape overflows. Where only reduced axes are empty the innermost of them counts as one element, as kernels
/// divide by it; where it is the only one they do not.
void settle_empty(nest& bound);

void swap_axes(nest& bound, unsigned a, unsigned b);

/// Bytes that an access moves, each element once; as a real number, which cannot overflow.
double bytes_of(const nest& bound, const access& at);

/// Groups accesses with equal strides and finds windows; after a nest was put together from another's parts.
void regroup(nest& bound);

/// Finds reads that are windows (access::base); again after axes were exchanged.
void find_windows(nest& bound);

}  // namespace sinter
