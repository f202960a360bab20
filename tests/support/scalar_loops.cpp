#include "scalar_loops.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace sinter::test {
namespace {

/// One function's instructions, and the labels in front of them.
struct function_code {
  std::string name;
  std::vector<std::string_view> instructions;
  std::map<std::string_view, std::size_t> labels;
};

bool is_scalar_arithmetic(std::string_view instruction) {
  std::string_view name = instruction.substr(0, instruction.find_first_of(" \t"));
  if (name.starts_with('v')) name.remove_prefix(1);
  if (!name.ends_with("ss") && !name.ends_with("sd") && !name.ends_with("sh")) return false;
  for (const std::string_view each :
       {"add", "sub", "mul", "div", "sqrt", "max", "min", "fmadd", "fmsub", "fnmadd", "fnmsub"})
    if (name.starts_with(each)) return true;
  return false;
}

/// The label that a jump goes to.
std::string_view target_of(std::string_view instruction) {
  if (!instruction.starts_with('j')) return {};
  const std::size_t place = instruction.find(".L");
  return place == std::string_view::npos ? std::string_view() : instruction.substr(place);
}

struct loop_span {
  std::size_t first, last;
  bool contains(const loop_span& other) const { return first <= other.first && other.last <= last; }
  bool operator==(const loop_span&) const = default;
};

std::vector<loop_span> innermost_loops(const function_code& code) {
  std::vector<loop_span> all;
  for (std::size_t i = 0; i < code.instructions.size(); ++i) {
    const auto label = code.labels.find(target_of(code.instructions[i]));
    if (label != code.labels.end() && label->second <= i) all.push_back({label->second, i});
  }
  std::vector<loop_span> inner;
  for (const loop_span& each : all)
    if (std::ranges::none_of(
            all, [&](const loop_span& other) { return !(other == each) && each.contains(other); }))
      inner.push_back(each);
  return inner;
}

void add_scalar_loops(const function_code& code, std::vector<scalar_loop>& found) {
  for (const loop_span& each : innermost_loops(code)) {
    const auto begin = code.instructions.begin() + static_cast<std::ptrdiff_t>(each.first),
               end = code.instructions.begin() + static_cast<std::ptrdiff_t>(each.last) + 1;
    const auto arithmetic = static_cast<std::size_t>(std::count_if(begin, end, is_scalar_arithmetic));
    if (arithmetic != 0) found.push_back({code.name, arithmetic, each.last - each.first + 1});
  }
}

}  // namespace

std::vector<scalar_loop> scalar_loops(std::string_view assembly) {
  std::vector<scalar_loop> found;
  function_code code;
  while (!assembly.empty()) {
    const std::size_t length = std::min(assembly.find('\n'), assembly.size());
    const std::string_view line = assembly.substr(0, length);
    assembly.remove_prefix(std::min(length + 1, assembly.size()));
    if (line.empty() || line.starts_with('#')) continue;
    if (line.starts_with('\t')) {
      if (!line.starts_with("\t.") && !line.starts_with("\t#")) code.instructions.push_back(line.substr(1));
      continue;
    }
    const std::string_view label = line.substr(0, line.find(':'));
    if (label.starts_with(".L")) {
      code.labels[label] = code.instructions.size();
      continue;
    }
    add_scalar_loops(code, found);
    code = {std::string(label), {}, {}};
  }
  add_scalar_loops(code, found);
  return found;
}

}  // namespace sinter::test
