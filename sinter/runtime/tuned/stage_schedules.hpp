#pragma once
// Schedules of the kernels of one call, and what was tuned for it.

#include <sinter/codegen/schedule/schedule.hpp>

#include <optional>
#include <string>
#include <vector>

namespace sinter::inline v0::runtime {

/// Of one stage; without a schedule it has that of the lowering pass.
using stage_schedule = std::optional<schedule>;
/// For the stages of a call from the first on.
using stage_schedules = std::vector<stage_schedule>;

/// What was found to be the fastest for a class of calls.
struct tuned_call {
  stage_schedules stages;  ///< as many as the call has stages
  double gain = 0;         ///< the share of the default's time that they save
  std::string origin;      ///< "tune()" or the name of a file
};

}  // namespace sinter::inline v0::runtime
