#pragma once
// Results that share memory with inputs or with each other: computed into temporaries, then copied.

#include <sinter/runtime/dispatch/plan.hpp>

#include <span>
#include <vector>

namespace sinter::inline v0::runtime {

/// Which results cannot be written directly, or {} if all can.
std::vector<bool> results_in_temporaries(const call_request& request, const plan& prepared);

/// Bytes of the temporaries that run_with_temporaries() uses for those results.
std::size_t bytes_of_temporaries(const call_request& request, const std::vector<bool>& temporary);

/// Runs the call with those results in temporaries (in the workspace, if it is large enough), then copies
/// them in order, so that of results that share memory the last one wins.
void run_with_temporaries(thread_state& state, const call_request& request, const stream& on,
                          const std::vector<bool>& temporary, std::span<std::byte> workspace);

/// Compiles what run_with_temporaries() needs. Returns the workspace bytes for computing the results, without
/// bytes_of_temporaries().
std::size_t prepare_temporaries(thread_state& state, const call_request& request,
                                const std::vector<bool>& temporary);

/// Runs a request that writes into given arrays: finds the plan, checks overlap, launches.
void run_request(thread_state& state, const call_request& request, const stream& on,
                 std::span<std::byte> workspace);

}  // namespace sinter::inline v0::runtime
