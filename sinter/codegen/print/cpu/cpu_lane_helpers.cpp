// None of these is inlined: they are what many reductions would have compiled again for each.

#include <sinter/codegen/print/cpu/cpu_lane_helpers.hpp>

#include <sinter/codegen/loops/ir/lane_functions.hpp>

#include <algorithm>
#include <vector>

namespace sinter::inline v0::codegen {
namespace {

constexpr std::string_view combining = R"(
template <int lanes, class T> __attribute__((noinline)) static void combine_$K(T (&sum)[lanes]) {
  for (int half = lanes / 2; half > 0; half /= 2)
    for (int e = 0; e < half; ++e) sum[e] = $P;
}
)";

constexpr std::string_view tree = R"(
template <int lanes, class T> __attribute__((noinline)) static void collect_$K(T (&sum)[lanes], T (*upper)[lanes], long long blocks) {
  for (int level = 0; blocks >> level; ++level)
    if (blocks >> level & 1)
      for (int e = 0; e < lanes; ++e) sum[e] = $L;
}
)";

std::string replaced(std::string_view pattern, std::string_view what, std::string_view with) {
  std::string text;
  for (std::size_t at = 0; at < pattern.size();) {
    const std::size_t found = std::min(pattern.find(what, at), pattern.size());
    text += pattern.substr(at, found - at);
    if (found < pattern.size()) text += with;
    at = found + what.size();
  }
  return text;
}

}  // namespace

std::string cpu_lane_helpers(const kernel_description& kernel, instruction_printer& printer) {
  std::string text;
  if (!has_lane_functions(kernel)) return text;
  std::vector<std::string> kinds;
  for (const instruction& made : kernel.body.body) {
    const bool is_of_table = is_reduction(made.op) && facts_of(made.op).combine != operation::input;
    if (!is_of_table || finds_position(made.op)) continue;
    const std::string kind = lane_function_kind(made);
    if (std::ranges::find(kinds, kind) != kinds.end()) continue;
    kinds.push_back(kind);
    const auto add = [&](std::string_view pattern) { text += replaced(pattern.substr(1), "$K", kind); };
    if (kernel.chosen.order == loop_order::row_reduction)
      add(replaced(combining, "$P", printer.combined(made, "sum[e]", "sum[e + half]")));
    if (made.op == operation::sum && is_inexact(made.compute))
      add(replaced(tree, "$L", printer.combined(made, "upper[level][e]", "sum[e]")));
  }
  return text;
}

}  // namespace sinter::inline v0::codegen
