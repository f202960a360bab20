#pragma once
// What SINTER_PROFILE prints and writes when the process ends.

#include <string>

namespace sinter::inline v0::runtime {

/// Has the process print the table when it ends, and write the trace to a file unless the path is empty.
void report_at_exit(const std::string& trace_path);
/// Handlers run in the reverse of their order: one that is added once the driver is open runs before the
/// driver's own, after which no event can be read. The first handler that runs reports.
void report_before_driver_ends();

}  // namespace sinter::inline v0::runtime
