#pragma once
// Whether the threads of a block meet at its barriers, and wait for each other where they share memory.

#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/loops/ir/loop_ir.hpp>

#include <string>

namespace sinter::inline v0::codegen {

/// What is wrong between the threads of a block, as a sentence; empty if nothing is:
/// - no barrier stands in a loop whose iterations follow from the thread, since some threads may not reach
/// it;
/// - between a write to shared memory and a read of what other threads wrote stands a barrier, and between a
///   read and a write that changes what others read.
///
/// Places of one thread alone are those with an equal subscript that follows from the threads along and those
/// across. Loops are followed once, so what one iteration leaves for the next is not looked at; nor are
/// places whose address is handed on.
std::string fault_of_threads(const kernel_description& kernel, const loop_tree& tree);

}  // namespace sinter::inline v0::codegen
