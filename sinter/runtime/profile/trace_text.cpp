#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include <sinter/runtime/profile/trace_text.hpp>

namespace sinter::inline v0::runtime {
namespace {

/// A text as a string of JSON. Bytes that are no UTF-8 stay what they are.
std::string quoted(std::string_view text) {
  std::string made = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') made += '\\';
    if (static_cast<unsigned char>(letter) < ' ')
      made += fmt::format("\\u{:04x}", static_cast<unsigned>(letter));
    else
      made += letter;
  }
  return made + '"';
}

/// The number of a device among the processes of the trace: the CPU is 1.
int process_of(device where) { return where.is_cpu() ? 1 : 2 + where.index(); }

std::string name_of_row(device where, std::uint32_t row) {
  return fmt::format("{} {}", where.is_cpu() ? "thread" : "stream", row);
}

}  // namespace

std::string trace_text(std::vector<trace_event> events, std::uint64_t left_out) {
  std::sort(events.begin(), events.end(),
            [](const trace_event& a, const trace_event& b) { return a.start < b.start; });
  const double origin = events.empty() ? 0 : events.front().start;
  std::string text = "{\"displayTimeUnit\": \"ns\",\n";
  text += fmt::format("\"otherData\": {{\"calls left out\": {}}},\n\"traceEvents\": [", left_out);
  std::string_view separator = "\n";
  const auto append = [&](const std::string& event) {
    text += separator;
    text += event;
    separator = ",\n";
  };
  std::set<int> processes;
  std::set<std::pair<int, std::uint32_t>> rows;
  for (const trace_event& each : events) {
    const int process = process_of(each.where);
    if (processes.insert(process).second)
      append(
          fmt::format(R"({{"ph": "M", "name": "process_name", "pid": {}, "args": {{"name": "sinter {}"}}}})",
                      process, each.where.to_string()));
    if (rows.insert({process, each.row}).second)
      append(fmt::format(
          R"({{"ph": "M", "name": "thread_name", "pid": {}, "tid": {}, "args": {{"name": "{}"}}}})", process,
          each.row, name_of_row(each.where, each.row)));
    append(fmt::format(
        R"({{"ph": "X", "cat": "call", "name": {}, "pid": {}, "tid": {}, "ts": {:.3f}, "dur": {:.3f}, )"
        R"("args": {{"kernels": {}, "bytes": {}}}}})",
        quoted(*each.function), process, each.row, (each.start - origin) * 1e6, each.seconds * 1e6,
        each.kernels, each.bytes));
  }
  return text + "\n]}\n";
}

}  // namespace sinter::inline v0::runtime
