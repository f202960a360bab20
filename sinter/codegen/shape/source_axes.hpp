#pragma once
// Where an element of a part (graph_parts.hpp) lies in an operand: for each axis of the operand a sum of
// positions along the part's axes, and what becomes of a number that is no position.

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/parts/graph_parts.hpp>
#include <sinter/codegen/shape/position_rule.hpp>
#include <sinter/codegen/shape/shape_table.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <span>

namespace sinter::inline v0 {

/// Along one axis of an operand: start + sum of step * position along an axis of the part; then the rule, if
/// there is one.
struct source_axis {
  struct term {
    unsigned axis = 0;
    std::int64_t step = 1;
  };
  std::int64_t start = 0;
  std::array<term, 2> terms{};
  unsigned term_count = 0;
  std::optional<position_rule> rule;
  std::int64_t extent = 1, divisor = 1;  ///< of the rule

  std::span<const term> steps() const { return std::span(terms).first(term_count); }
};

/// The axes of an operand of a part, for known extents. `sources` has the rank of the operand.
void find_source_axes(const graph& recorded, node_id id, unsigned operand, const shape_table& shapes,
                      std::span<source_axis> sources);

}  // namespace sinter::inline v0
