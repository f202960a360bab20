#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include <sinter/runtime/posix/whole_file.hpp>
#include <sinter/runtime/profile.hpp>
#include <sinter/runtime/profile/call_log.hpp>
#include <sinter/runtime/profile/observers.hpp>
#include <sinter/runtime/profile/trace_text.hpp>

namespace sinter::inline v0 {
namespace {

void add(function_profile& to, const function_profile& each) {
  to.calls += each.calls;
  to.compiles += each.compiles;
  to.kernels += each.kernels;
  to.bytes += each.bytes;
  to.seconds += each.seconds;
  to.timed += each.timed;
  to.compile_seconds += each.compile_seconds;
}

/// Most time first, and then by name and device.
bool comes_before(const function_profile& a, const function_profile& b) {
  const auto key = [](const function_profile& each) {
    return std::tuple(-each.seconds, -each.compile_seconds, std::string_view(each.function),
                      each.where.type(), each.where.index());
  };
  return key(a) < key(b);
}

}  // namespace

void set_profiling(bool on, timed_calls calls) { runtime::count_calls(on, calls == timed_calls::all); }

bool is_profiling() { return (runtime::current_observers() & runtime::counts_calls) != 0; }

std::vector<function_profile> profile() {
  std::map<std::tuple<std::string, device::kind, int>, function_profile> by_function;
  for (runtime::call_log* const log : runtime::call_log::all()) {
    log->read_spans(true);
    for (const function_profile& each : log->rows()) {
      function_profile& to = by_function[{each.function, each.where.type(), each.where.index()}];
      to.function = each.function;
      to.where = each.where;
      add(to, each);
    }
  }
  std::vector<function_profile> rows;
  for (auto& [key, each] : by_function) rows.push_back(std::move(each));
  std::sort(rows.begin(), rows.end(), comes_before);
  return rows;
}

void forget_profile() {
  for (runtime::call_log* const log : runtime::call_log::all()) {
    log->read_spans(true);
    log->forget();
  }
  runtime::forget_left_out_events();
}

void write_trace(const std::string& path) {
  std::vector<runtime::trace_event> events;
  for (runtime::call_log* const log : runtime::call_log::all()) {
    log->read_spans(true);
    const std::vector<runtime::trace_event> of_log = log->events();
    events.insert(events.end(), of_log.begin(), of_log.end());
  }
  runtime::write_whole_file(path, runtime::trace_text(std::move(events), runtime::left_out_events()));
}

}  // namespace sinter::inline v0
