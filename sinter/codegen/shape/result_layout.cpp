#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/shape/result_layout.hpp>

#include <algorithm>
#include <limits>
#include <string>

namespace sinter::inline v0 {
namespace {

std::string shape_text(std::span<const std::int64_t> extents) {
  std::string text = "[";
  for (std::size_t i = 0; i < extents.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(extents[i]);
  return text + "]";
}

}  // namespace

void list_results(const graph& recorded, const shape_table& shapes, std::vector<result_layout>& results) {
  results.resize(recorded.outputs.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    const node& at = recorded.nodes[recorded.outputs[i]];
    const auto extents = shapes.of(recorded.outputs[i]);
    results[i].type = at.type;
    results[i].rank = at.rank;
    results[i].extents.assign(extents.begin(), extents.end());
  }
}

void check_counts(const std::vector<result_layout>& results) {
  for (const result_layout& result : results) {
    std::int64_t count = 1;
    bool too_many = false, empty = false;
    for (const std::int64_t extent : result.extents) {
      too_many |= __builtin_mul_overflow(count, extent, &count);
      empty |= extent == 0;
    }
    if (too_many && !empty)
      throw out_of_memory("a result of shape " + shape_text(result.extents) +
                              " has more elements than memory has addresses: split it",
                          std::numeric_limits<std::size_t>::max(), 0);
  }
}

void check_outputs(const std::vector<result_layout>& results, std::span<const array_layout> outputs) {
  if (outputs.empty()) return;
  if (outputs.size() != results.size())
    throw shape_error("into() was given " + std::to_string(outputs.size()) + " arrays for " +
                      std::to_string(results.size()) + " results");
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::span given(outputs[i].extents, outputs[i].rank);
    if (outputs[i].type != results[i].type)
      throw type_error("into(): result " + std::to_string(i) + " is " +
                       std::string(facts_of(results[i].type).name) + " but the array is " +
                       std::string(facts_of(outputs[i].type).name) + ": use astype<>");
    if (!std::ranges::equal(given, results[i].extents))
      throw shape_error("into(): result " + std::to_string(i) + " has shape " +
                        shape_text(results[i].extents) + " but the array has shape " + shape_text(given));
    const bool empty = std::ranges::find(given, 0) != given.end();  // no elements, so none that share memory
    for (unsigned axis = 0; axis < outputs[i].rank; ++axis)
      if (!empty && outputs[i].strides[axis] == 0 && given[axis] > 1)
        throw shape_error("into(): axis " + std::to_string(axis) + " of result " + std::to_string(i) +
                          " has stride 0, so its elements share memory: write into an array of its own");
  }
}

}  // namespace sinter::inline v0
