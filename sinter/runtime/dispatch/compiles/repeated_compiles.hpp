#pragma once
// Warnings to the log hook for functions that compile again and again, and for places where functions are
// recorded again and again. Costs calls nothing: it is asked only where a plan is made.

#include <sinter/codegen/graph/array_layout.hpp>

#include <cstddef>
#include <span>

namespace sinter::inline v0::runtime {

struct call_request;
class function;

/// Whether the log hook is told at this count: at 16, 64, 256, …
bool is_told_at(std::size_t count);

/// Counts a call for which kernels were compiled, and warns at some counts (is_told_at()) what differs from
/// the latest one. Leaves out what a program compiles on purpose: preparation, schedules of its own and
/// shape-generic kernels. `operands` and `targets` are the layouts in the call's key.
///
/// Threads: any at any time. Throws std::bad_alloc, before anything is counted. Calls the log hook without a
/// lock.
void note_compile(const call_request& request, std::span<const array_layout> operands,
                  std::span<const array_layout> targets);

/// Warns, once, if the function is one of many that were recorded at its place (function::recorded_at_place).
void note_recording(const function& called);

}  // namespace sinter::inline v0::runtime
