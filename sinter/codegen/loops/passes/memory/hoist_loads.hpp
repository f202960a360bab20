#pragma once
// A pass over the loop IR: a thread's loads stand in front of all that it evaluates.

#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/loops/ir/loop_ir.hpp>

namespace sinter::inline v0::codegen {

/// Takes nests that load, evaluate and store one position after the other, and leaves nests of loads in front
/// of them: so that bytes are in flight while a thread waits for the first of them, and so that an output may
/// be one of the inputs. A load is made in the loops that change its registers, and once in the others; those
/// that the fewest of the outer loops change come first. What prepares loads goes with them, and loads go up
/// past barriers: they read no shared memory.
///
/// A nest is loops inside each other, each with constants in front of the next, around a guard; it evaluates
/// in a `speculative` loop. Loads are told apart by the loop variables in their targets. Kernels that
/// reduce load chunk by chunk: their builder has the loads of a chunk in front.
void hoist_loads(const kernel_description& kernel, loop_tree& tree);

}  // namespace sinter::inline v0::codegen
