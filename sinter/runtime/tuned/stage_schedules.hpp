#pragma once
// Schedules of the kernels of one call, and what was tuned for it.

#include <sinter/codegen/schedule/cut_choice.hpp>
#include <sinter/codegen/schedule/schedule.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace sinter::inline v0::runtime {

/// Of one stage; without a schedule it has that of the lowering pass.
using stage_schedule = std::optional<schedule>;
/// For the stages of a call from the first on.
using stage_schedules = std::vector<stage_schedule>;

/// How the kernels of one call differ from what the lowering pass chooses.
struct call_schedules {
  cut_choice cuts;         ///< decides how many stages there are
  stage_schedules stages;  ///< as many as the call has stages; or none, if all are the lowering pass's

  bool operator==(const call_schedules&) const = default;
};

/// What was found to be the fastest for a class of calls, and what was measured. Where the default stays,
/// there are no schedules, and the gain is 0.
struct tuned_call : call_schedules {
  double gain = 0;     ///< the share of the default's time that they save
  std::string origin;  ///< "tune()" or the name of a file
  /// Of the call that was measured, by the default schedules and by these; 0: not known.
  double usual_seconds = 0, chosen_seconds = 0;
  double gain_low = 0, gain_high = 0;  ///< the gain's 95% interval
  double bytes_per_second = 0;         ///< by these schedules
  double copy_bytes_per_second = 0;    ///< of a copy of large arrays on the device
  std::size_t others_timed = 0;        ///< schedules beside the default that were timed
};

}  // namespace sinter::inline v0::runtime
