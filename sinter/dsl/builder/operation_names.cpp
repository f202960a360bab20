#include <sinter/codegen/base/error.hpp>
#include <sinter/dsl/builder/operation_names.hpp>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace sinter::inline v0 {
namespace detail {
namespace {

/// The number of letters to insert, remove or exchange that make one word of the other.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t exchanged = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, exchanged}));
    }
  }
  return row.back();
}

constexpr std::size_t max_suggestions = 4, max_length = 40;

}  // namespace

std::string similar_operations(std::string_view name) {
  if (name.empty() || name.size() > max_length) return {};
  std::vector<std::pair<std::size_t, std::string_view>> similar;
  for (const operation_facts& row : operations().subspan(structural_operations)) {
    const std::size_t apart = distance(name, row.name);
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
