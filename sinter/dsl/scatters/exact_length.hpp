#pragma once
// Calls whose result is as long as its elements say: outside fused functions, where the host can wait.

#include <sinter/dsl/detail/recording.hpp>
#include <sinter/runtime/call.hpp>

namespace sinter::inline v0::detail {

/// Runs a call of two results, of which `all` has one axis and the other is a number, int64 of rank 0. Gives
/// the first elements of `all`, as many as the number says, and waits on the host until it is known. Throws
/// device_error where a stream is being captured for which the host cannot wait.
SINTER_API runtime::result run_exactly(const call_site& site);

}  // namespace sinter::inline v0::detail
