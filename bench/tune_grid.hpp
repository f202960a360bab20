#pragma once
// The schedules that sinter_tune tries when none are given.

#include <string>
#include <string_view>
#include <vector>

namespace sinter_bench {

/// Schedules of these loop orders ("rows,flat"), as text. The library refuses those that do not fit the
/// workload.
std::vector<std::string> schedule_grid(std::string_view orders, bool cuda);

}  // namespace sinter_bench
