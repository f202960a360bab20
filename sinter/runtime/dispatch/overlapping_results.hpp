#pragma once
// Results that share memory with inputs or with each other: computed into temporaries, then copied.

#include <sinter/runtime/dispatch/plan.hpp>

#include <span>
#include <vector>

namespace sinter::runtime {

/// Which results cannot be written directly, or {} if all can.
std::vector<bool> results_to_set_aside(const call_request& request, const plan& prepared);

/// Bytes of the temporaries that run_aside() uses for those results.
std::size_t aside_bytes(const call_request& request, const std::vector<bool>& aside);

/// Runs the call with those results in temporaries (in the workspace, if it is large enough), then copies
/// them in order, so that of results that share memory the last one wins.
void run_aside(thread_state& state, const call_request& request, const stream& on,
               const std::vector<bool>& aside, std::span<std::byte> workspace);

/// Compiles what run_aside() needs. Returns the workspace bytes for computing the results, without
/// aside_bytes().
std::size_t prepare_aside(thread_state& state, const call_request& request, const std::vector<bool>& aside);

/// Runs a request that writes into given arrays: finds the plan, checks overlap, launches.
void run_request(thread_state& state, const call_request& request, const stream& on,
                 std::span<std::byte> workspace);

}  // namespace sinter::runtime
