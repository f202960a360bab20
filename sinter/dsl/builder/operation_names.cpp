#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/base/near_words.hpp>
#include <sinter/dsl/builder/operation_names.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace sinter::inline v0 {
namespace detail {
namespace {

constexpr std::size_t max_suggestions = 4, max_length = 40;

}  // namespace

std::string similar_operations(std::string_view name) {
  if (name.empty() || name.size() > max_length) return {};
  std::vector<std::pair<std::size_t, std::string_view>> similar;
  for (const operation_facts& row : operations().subspan(structural_operations)) {
    const std::size_t apart = edit_distance(name, row.name);
    const bool is_part = name.size() >= 3 && row.name.find(name) != std::string_view::npos;
    if (is_part || apart <= std::max<std::size_t>(1, name.size() / 3)) similar.emplace_back(apart, row.name);
  }
  std::sort(similar.begin(), similar.end());
  if (similar.size() > max_suggestions) similar.resize(max_suggestions);
  std::string text;
  for (const auto& [apart, each] : similar)
    text += (text.empty() ? "did you mean '" : ", '") + std::string(each) + "'";
  return text.empty() ? text : text + "? ";
}

std::optional<operation> find_operation(std::string_view name) {
  for (const operation_facts& row : operations().subspan(structural_operations))
    if (row.name == name) return row.op;
  return std::nullopt;
}

}  // namespace detail

operation operation_named(std::string_view name) {
  if (const std::optional<operation> found = detail::find_operation(name)) return *found;
  throw error("there is no operation '" + std::string(name.substr(0, detail::max_length)) +
              "': " + detail::similar_operations(name) + "docs/operations.md lists their names");
}

}  // namespace sinter::inline v0
