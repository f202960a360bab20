#pragma once
// Loads of what comes next while a chunk is evaluated.

#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/loops/ir/loop_ir.hpp>

namespace sinter::inline v0::codegen {

/// Lets loops over whole chunks load a chunk ahead where all lanes share what they load: such loads are few,
/// so the registers hold two chunks, and one chunk's loads do not fill the memory's pipeline.
void fetch_ahead(const kernel_description& kernel, loop_tree& tree);

}  // namespace sinter::inline v0::codegen
