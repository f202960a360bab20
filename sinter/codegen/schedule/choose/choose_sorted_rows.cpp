#include <sinter/codegen/base/integers.hpp>
#include <sinter/codegen/schedule/choose/choose_rows.hpp>
#include <sinter/codegen/schedule/choose/choose_sorted_rows.hpp>
#include <sinter/codegen/schedule/reduction_facts.hpp>
#include <sinter/codegen/schedule/thresholds.hpp>
#include <sinter/codegen/schedule/tiling.hpp>

#include <algorithm>

namespace sinter::inline v0 {
namespace {

/// What the registers of a thread hold of all rows that are sorted.
std::int64_t most_elements(const nest& loop_nest, const gpu_sort_thresholds& table) {
  std::int64_t most = table.max_elements, sorts = 0;
  for (const instruction& at : loop_nest.body) {
    if (at.op != operation::argsort) continue;
    ++sorts;
    if (size_of(at.compute) == sizeof(std::uint64_t)) most = table.max_wide_elements;
  }
  return most / power_above(sorts);
}

}  // namespace

schedule choose_sorted_rows(const nest& loop_nest, std::span<const array_layout> inputs,
                            std::span<const array_layout> outputs, const target_facts& target,
                            unsigned attempt) {
  const gpu_sort_thresholds& table = gpu_thresholds_of(target).sorts;
  const std::int64_t places = power_above(count_rows(loop_nest, true)), warp = warp_threads(target.kind);
  const std::int64_t held =
      std::clamp(places / warp, table.min_elements, most_elements(loop_nest, table)) >> attempt;
  const std::int64_t elements = std::clamp<std::int64_t>(held, divide_up(places, table.max_threads), places);
  const std::int64_t vector = std::min(row_lanes(loop_nest, target), elements), threads = places / elements;
  schedule chosen;
  chosen.order = loop_order::row_reduction;
  chosen.resident = true;
  chosen.vector = narrow(vector);
  chosen.scalar_loads =
      vector > 1 && !loads_whole_lanes(loop_nest, first_reduced_axis(loop_nest), vector, inputs, outputs);
  chosen.whole_rows = fills_vectors(loop_nest, vector);
  chosen.steps = narrow(elements / vector);
  chosen.threads_along = narrow(threads);
  chosen.threads_across = narrow(std::max<std::int64_t>(1, table.block / threads));
  return chosen;
}

}  // namespace sinter::inline v0
