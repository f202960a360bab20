#include <charconv>
#include <utility>

#include <sinter/runtime/cuda/nvrtc.hpp>

namespace sinter::inline v0::runtime {
namespace {

// The number directly before `unit`, as in "16 bytes spill stores"; -1 if the line has none.
int number_before(std::string_view line, std::string_view unit) {
  const std::size_t at = line.find(unit);
  if (at == line.npos || at == 0) return -1;
  std::size_t first = at;
  while (first > 0 && line[first - 1] >= '0' && line[first - 1] <= '9') --first;
  int number = -1;
  std::from_chars(line.data() + first, line.data() + at, number);
  return number;
}

void take_number(int& into, std::string_view line, std::string_view unit) {
  if (const int number = number_before(line, unit); number >= 0) into = number;
}

bool names_kernel(std::string_view line, std::string_view before, std::string_view kernel,
                  std::string_view after) {
  const std::size_t at = line.find(before);
  if (at == line.npos) return false;
  const std::string_view rest = line.substr(at + before.size());
  return rest.starts_with(kernel) && rest.substr(kernel.size()).starts_with(after) &&
         (!after.empty() || rest.size() == kernel.size());
}

}  // namespace

// For each kernel the log has "Compiling entry function 'k' for 'sm_90'", "Function properties for k", a line
// of stack and spills, and "Used 20 registers, used 1 barriers, 64 bytes smem". Between them are the
// properties of device functions that were not inlined, which are ignored. A linker's "Function properties
// for 'k':" and "used 24 registers, ... 64 bytes smem" come last and take precedence: they include what the
// kernel calls.
kernel_resources parse_ptxas_log(std::string_view log, std::string_view kernel) {
  kernel_resources found;
  bool in_kernel = false;
  bool in_properties = false;
  bool is_linked = false;
  while (!log.empty()) {
    const std::size_t end = log.find('\n');
    std::string_view line = log.substr(0, end);
    log.remove_prefix(end == log.npos ? log.size() : end + 1);
    while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.remove_suffix(1);

    const bool was_linked =
        std::exchange(is_linked, names_kernel(line, "Function properties for '", kernel, "':"));
    if (is_linked) {
      in_kernel = false;
    } else if (was_linked) {
      found.registers = number_before(line, " registers");
      found.shared_bytes = number_before(line, " bytes smem");
    } else if (line.find("Compiling entry function") != line.npos) {
      in_kernel = names_kernel(line, "entry function '", kernel, "'");
      in_properties = false;
    } else if (!in_kernel) {
      continue;
    } else if (line.find("Function properties for") != line.npos) {
      in_properties = names_kernel(line, "Function properties for ", kernel, "");
    } else if (line.find("bytes stack frame") != line.npos) {
      if (!in_properties) continue;
      take_number(found.stack_bytes, line, " bytes stack frame");
      take_number(found.spill_store_bytes, line, " bytes spill stores");
      take_number(found.spill_load_bytes, line, " bytes spill loads");
    } else if (line.find(" registers") != line.npos) {
      found.registers = number_before(line, " registers");
      found.shared_bytes = 0;  // missing from the line if there is none
      take_number(found.shared_bytes, line, " bytes smem");
    }
  }
  return found;
}

}  // namespace sinter::inline v0::runtime
