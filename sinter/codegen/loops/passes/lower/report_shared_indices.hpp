#pragma once

#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/loops/ir/loop_ir.hpp>

namespace sinter::inline v0::codegen {

/// Moves reports of indices that all lanes of a vector share, and the values that they need, in front of the
/// loop over the lanes: they are computed once, as scalars. So a row that is read at an index is checked once
/// for all of its elements in the loop.
void report_shared_indices(const kernel_description& kernel, loop_tree& tree);

}  // namespace sinter::inline v0::codegen
