#pragma once

#include <cstddef>
#include <functional>

namespace sinter::runtime {

/// Runs `work` to its end on a thread of its own with a stack of the given size, and passes on what it
/// throws. Compilers recurse as deeply as their input nests, and the caller's stack may be any size. Costs
/// about 20 µs; pages of the stack that are never touched cost nothing. If no thread can be had, `work` runs
/// right here.
void run_with_stack(std::size_t stack_bytes, const std::function<void()>& work);

}  // namespace sinter::runtime
