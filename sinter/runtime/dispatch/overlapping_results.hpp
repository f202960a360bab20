#pragma once
// Results that share memory with inputs or with each other: computed aside, then copied.

#include <sinter/runtime/dispatch/plan.hpp>

#include <span>
#include <vector>

namespace sinter::runtime {

/// Which results cannot be written directly, or {} if all can.
std::vector<bool> results_to_set_aside(const call_request& request, const plan& prepared);

/// Bytes in which run_aside() keeps those results until they are copied.
std::size_t aside_bytes(const call_request& request, const std::vector<bool>& aside);

/// Runs the call with those results in memory of their own (the workspace, if it is large enough), then
/// copies them in order, so that of results which share memory the last one wins.
void run_aside(thread_state& state, const call_request& request, const stream& on,
               const std::vector<bool>& aside, std::span<std::byte> workspace);

/// Compiles what run_aside() needs, and tells how many bytes of workspace computing the results takes beside
/// aside_bytes().
std::size_t prepare_aside(thread_state& state, const call_request& request, const std::vector<bool>& aside);

/// Runs a request that writes into given arrays: plan, overlap, launch.
void run_request(thread_state& state, const call_request& request, const stream& on,
                 std::span<std::byte> workspace);

}  // namespace sinter::runtime
