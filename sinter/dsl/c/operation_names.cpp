#include <sinter/dsl/c/failures.hpp>
#include <sinter/dsl/c/operation_names.hpp>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace sinter::inline v0::c {
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

/// "did you mean 'add'? " with the most similar names; empty if none is similar.
std::string similar_names(std::string_view name) {
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

std::string function_for(const operation_facts& row) {
  if (is_reduction(row.op)) return "is a reduction: use sinter_builder_reduce";
  if (is_scan(row.op)) return "is a scan: use sinter_builder_scan";
  return "works on elements: use sinter_builder_apply";
}

}  // namespace

operation operation_named(const char* name, operation_kind kind) {
  const std::string_view wanted = &checked(name, "the name of the operation");
  for (const operation_facts& row : operations().subspan(structural_operations)) {
    if (row.name != wanted) continue;
    const operation_kind found = is_reduction(row.op) ? operation_kind::reduction
                                 : is_scan(row.op)    ? operation_kind::scan
                                                      : operation_kind::on_elements;
    if (found == kind) return row.op;
    throw invalid_argument("'" + std::string(wanted) + "' " + function_for(row));
  }
  throw invalid_argument("there is no operation '" + std::string(wanted.substr(0, max_length)) +
                         "': " + similar_names(wanted) +
                         "sinter_operation_name lists their names, docs/operations.md their meaning");
}

}  // namespace sinter::inline v0::c
