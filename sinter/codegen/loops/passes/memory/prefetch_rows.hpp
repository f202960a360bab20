#pragma once
// Rows of the CPU that are asked for before their turn.

#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/loops/ir/loop_ir.hpp>

namespace sinter::inline v0::codegen {

/// Lets the second loop over a row that later phases need ask the cache for the next row.
void prefetch_rows(const kernel_description& kernel, loop_tree& tree);

}  // namespace sinter::inline v0::codegen
