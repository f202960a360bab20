#pragma once
// Where a program's time goes: what the calls of each function cost.
//
//   set_profiling(true, timed_calls::all);
//   …
//   std::cout << to_string(profile());    // a table, most time first
//   write_trace("calls.json");            // for https://ui.perfetto.dev or chrome://tracing
//
// SINTER_PROFILE=1 in the environment does so without a change to the program: profiling is on from the first
// call, and the table goes to standard error when the process ends. SINTER_PROFILE=calls.json also writes the
// trace to that file then, and times all calls. A child of a fork prints and writes nothing then.
//
// - Rows are functions, by name and place, on each device. Whatever types and shapes a function is called
//   with, it has one row. An expression that is evaluated is a function with the place of the evaluation.
// - The time on a GPU is that between two events around a call's kernels; on the CPU it is that of the thread
//   that calls. The lookup of plans, memory, compiles and waits for other streams are not in it.
// - Not counted are calls that are captured into a CUDA graph, calls of a sequence, and calls that throw.
// - While profiling is off a call tests one byte. While it is on, a call on the CPU reads the clock twice,
// and
//   some of those on a GPU record two events (timed_calls): their times stand for the others, too.
// - Where a profiler listens to NVTX (NVTX_INJECTION64_PATH is set, as Nsight Systems does), each call is a
//   range with the function's name in the domain "sinter", whether profiling is on or off, if Sinter was
//   built with the headers of NVTX 3.
//
// Threads: any thread may call these at any time.
// Throws: std::bad_alloc; write_trace() device_error for a file that cannot be written.
// After a failure: a file has its old content. What was collected remains, but for calls on GPUs whose times
// were being read.

#include <sinter/runtime/profile.hpp>
