#pragma once
// An environment for each library in a process: where memory comes from, who is told what happens, how
// kernels are compiled and kept, and on which threads the CPU works.
//
//     const sinter::environment mine({.cpu_memory = allocator, .log = tell, .log_data = this,
//                                     .parallel_for = {run_on_my_pool, &pool, pool.size()}});
//     auto scaled = sinter::fuse([](auto x) { return 2 * x; });
//     auto y = scaled.in(mine)(x);                           // a call in it
//     const sinter::environment_scope scope(mine);           // all that this thread does, until the scope
//     ends
//
// What an environment does not set is the process's: set_memory_resource(), set_log_hook(),
// set_compile_policy(), set_cache(), oneTBB. Compiled kernels are shared by all environments, by their
// content: policy and cache are asked where a kernel is in no memory yet.
//
// Threads: environments may be copied and used from any thread; a scope is the thread's that made it.
// Throws: device_error for memory that its devices cannot use and for a malformed key of packs, error for a
// parallel_for without threads, all from the constructor.
// After a failure: no environment has been made, and the process's settings are as they were.

#include <sinter/runtime/dispatch/environment_settings.hpp>
#include <sinter/runtime/environment.hpp>
