#pragma once
// A pass over the loop IR: how threads sort a row together.

#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/loops/ir/loop_ir.hpp>

namespace sinter::inline v0::codegen {

/// Puts a sort in place of each `scan` of an argsort: the keys of a row lie in `key`, and where the elements
/// in their order come from is put in v.
void lower_sorts(const kernel_description& kernel, loop_tree& tree);

}  // namespace sinter::inline v0::codegen
