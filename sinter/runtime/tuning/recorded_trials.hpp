#pragma once
// Tuning of the calls that a recording holds (pack/recording.hpp), in a process that has neither the
// program's functions nor its arrays: which of them can be tuned here, and their tuning on arrays that are
// made up.

#include <sinter/runtime/device.hpp>
#include <sinter/runtime/pack/recording.hpp>
#include <sinter/runtime/tuning.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sinter::inline v0::runtime {

/// A recorded call that can be tuned here. The request is borrowed.
struct recorded_trial {
  const recorded_request* request = nullptr;
  device on{};
  std::string function;  ///< its name, "function 'softmax'": recordings have no places in source files
  std::string graph;     ///< tuned_key::graph
  std::string call;      ///< its class (tuned/call_class.hpp)
};

/// How many calls are not tuned for one reason.
struct skipped_calls {
  std::string why;
  std::size_t count = 0;
};

struct recorded_trials {
  std::vector<recorded_trial> trials;  ///< in the recording's order, one of each class of calls
  std::vector<skipped_calls> skipped;
};

/// Chooses the calls to tune: those whose device is here, or all on the device `on`. Skips functions without
/// a call, calls with a schedule of their own, and calls of a class that an earlier call has.
recorded_trials trials_of(std::span<const recorded_request> requests, std::optional<device> on);
/// The trials refer to the requests: name them.
recorded_trials trials_of(std::vector<recorded_request>&& requests, std::optional<device> on) = delete;

/// Tunes one call as tune() does, on arrays with the recorded layouts. Floating elements are drawn between
/// 0.5 and 1.5; integers are 0 or 1, so that they are in range where they are indices, or all 0 where 1 is
/// not; scalars whose values were not recorded are 1. Throws what tune() throws; out_of_memory leaves nothing
/// allocated.
tuning_report tune_recorded(const recorded_trial& trial, const tune_options& how);

}  // namespace sinter::inline v0::runtime
