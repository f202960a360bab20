#pragma once
// Whether the threads of a block meet at its barriers, and wait for each other where they share memory.

#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/loops/ir/loop_ir.hpp>

#include <string>

namespace sinter::inline v0::codegen {

/// Checks what the threads of a block do together; returns the first violation as a sentence, or an empty
/// string:
/// - no barrier is in a loop whose count depends on the thread, since some threads might not reach it;
/// - a barrier separates a write to shared memory from a read by other threads, and a read from a write that
///   changes what other threads read.
///
/// A place belongs to one thread if its subscripts are equal and depend on the thread along and the thread
/// across. Not checked: what one iteration of a loop leaves for the next, and places whose address a call
/// takes.
std::string fault_of_threads(const kernel_description& kernel, const loop_tree& tree);

}  // namespace sinter::inline v0::codegen
