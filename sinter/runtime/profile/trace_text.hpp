#pragma once
// Trace events as JSON: https://ui.perfetto.dev and chrome://tracing open them.

#include <sinter/runtime/profile/call_log.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace sinter::inline v0::runtime {

/// The text of a trace. Times begin with the first event. Devices are processes there, threads and streams
/// are their threads.
std::string trace_text(std::vector<trace_event> events, std::uint64_t left_out);

}  // namespace sinter::inline v0::runtime
