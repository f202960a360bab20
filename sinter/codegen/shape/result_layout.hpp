#pragma once
// Types and shapes of a call's results.

#include <sinter/codegen/base/export.hpp>
#include <sinter/codegen/graph/array_layout.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/shape/shape_inference.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace sinter::inline v0 {

struct result_layout {
  element_type type{};
  std::uint8_t rank = 0;
  std::vector<std::int64_t> extents;
};

/// Lists the results of a graph whose shapes are known. Keeps the memory of `results`.
SINTER_API void list_results(const graph& recorded, const shape_table& shapes,
                             std::vector<result_layout>& results);

/// Throws out_of_memory where a result has more elements than 64 bits count, as everything after this does.
SINTER_API void check_counts(const std::vector<result_layout>& results);

/// Throws type_error or shape_error where the arrays that results are to be written into have another type or
/// shape, or elements that share memory. No `outputs` are results of their own.
SINTER_API void check_outputs(const std::vector<result_layout>& results,
                              std::span<const array_layout> outputs);

}  // namespace sinter::inline v0
