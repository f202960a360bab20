#include <sinter/codegen/graph/scatters/scatter_call.hpp>

#include <algorithm>
#include <array>

namespace sinter::inline v0 {
namespace {

struct described {
  std::string_view name;
  std::array<std::string_view, 3> roles;
};
constexpr std::array<std::string_view, 3> updated{"array", "indices", "updates"};
constexpr std::array<std::string_view, 3> segmented{"rows", "segments", ""};
constexpr described functions[] = {
    {"scatter", updated},
    {"scatter_add", updated},
    {"scatter_min", updated},
    {"scatter_max", updated},
    {"bincount", {"indices", "weights", ""}},
    {"histogram", {"elements", "weights", ""}},
    {"histogram2d", {"x", "y", "weights"}},
    {"segment_sum", segmented},
    {"segment_mean", segmented},
    {"segment_min", segmented},
    {"segment_max", segmented},
    {"compress", {"array", "mask", ""}},
    {"x(i) = v", {"array", "values", "indices"}},
    {"x(mask) = v", {"array", "values", "mask"}},
};
static_assert(std::size(functions) == static_cast<std::size_t>(scatter_function::assigned_where) + 1);

}  // namespace

std::string_view name_of(scatter_function function) {
  return functions[static_cast<std::size_t>(function)].name;
}

std::string_view operand_role(scatter_function function, std::size_t operand) {
  const auto& roles = functions[static_cast<std::size_t>(function)].roles;
  return roles[std::min(operand, roles.size() - 1)];
}

const scatter_call* find_call(const std::vector<scatter_call>& calls, std::uint32_t node) {
  const auto found = std::ranges::find_if(
      calls, [&](const scatter_call& each) { return each.first <= node && node < each.end; });
  return found == calls.end() ? nullptr : &*found;
}

}  // namespace sinter::inline v0
