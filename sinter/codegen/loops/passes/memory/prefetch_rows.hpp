#pragma once
// Prefetches of the next row into the cache of the CPU.

#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/loops/ir/loop_ir.hpp>

namespace sinter::inline v0::codegen {

/// Inserts prefetches of the next row into the second loop over a resident row.
void prefetch_rows(const kernel_description& kernel, loop_tree& tree);

}  // namespace sinter::inline v0::codegen
