#pragma once
// A pass over the loop IR: how the elements of a chunk are scanned.

#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/loops/ir/loop_ir.hpp>

namespace sinter::inline v0::codegen {

/// Puts statements in place of each `scan`: the elements of a chunk lie in the scan's own array, v, and
/// become what is combined up to each of them; `carry` goes on from one chunk to the next. Orders depend on
/// the schedule alone: lanes of a thread, threads of a warp, warps, steps.
void lower_scans(const kernel_description& kernel, loop_tree& tree);

/// Whether the elements of a scan are combined by an operator that vectors of the CPU have, too: all but
/// complex numbers are, and half types in strict mode.
bool scans_by_vectors(const kernel_description& kernel, const instruction& scan);

}  // namespace sinter::inline v0::codegen
