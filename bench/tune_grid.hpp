#pragma once
// The schedules that sinter_tune tries when none are given.

#include <string>
#include <string_view>
#include <vector>

namespace sinter_bench {

/// Schedules of these walks ("rows,flat"), as text. Some of them fit no workload; the library refuses those.
std::vector<std::string> schedule_grid(std::string_view walks, bool cuda);

}  // namespace sinter_bench
