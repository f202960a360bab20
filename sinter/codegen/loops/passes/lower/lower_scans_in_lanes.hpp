#pragma once
// A pass over the loop IR: how one thread scans the lanes of its chunk.

#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/loops/ir/loop_ir.hpp>

namespace sinter::inline v0::codegen {

/// Puts statements in place of each `scan` of a thread that has the row to itself: vectors of lanes where the
/// combination has an operator of vectors, blocks of lanes side by side in vectors where it is a body, else
/// one lane after the other. `carry` goes on from one chunk to the next.
void lower_scans_in_lanes(const kernel_description& kernel, loop_tree& tree);

/// Whether the lanes of a scan are whole vectors, combined by an operator that these have, too: all but
/// complex numbers are, and half types in strict mode.
bool scans_by_vectors(const kernel_description& kernel, const instruction& scan);

/// Whether whole groups of lanes of a scan by a body have blocks of several elements.
bool scans_by_blocks(const kernel_description& kernel, const instruction& scan);

}  // namespace sinter::inline v0::codegen
