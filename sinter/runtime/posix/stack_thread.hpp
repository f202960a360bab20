#pragma once

#include <cstddef>
#include <functional>

namespace sinter::inline v0::runtime {

/// Runs `work` to its end on a thread with a stack of the given size, and rethrows its exception. Compilers
/// recurse as deeply as their input nests, and the caller's stack may have any size. Costs about 20 µs;
/// untouched stack pages cost nothing. If no thread can be created, `work` runs on the calling thread.
void run_with_stack(std::size_t stack_bytes, const std::function<void()>& work);

}  // namespace sinter::inline v0::runtime
