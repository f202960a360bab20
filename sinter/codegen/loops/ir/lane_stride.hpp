#pragma once
// How far apart the lanes of a vector lie in memory.

#include <sinter/codegen/loops/ir/expression.hpp>

#include <optional>

namespace sinter::inline v0::codegen {

/// Elements from one lane to the next.
struct lane_stride {
  expression by{};  ///< not set: one
};

/// How much an expression of indices goes up from lane to lane; none where that is no constant of the loop,
/// or where all lanes have the same.
std::optional<lane_stride> growth_along_lanes(expression_table& table, expression index, expression lane);

/// Of a place whose last subscript goes up with the variable of a loop over lanes. None where the place is
/// the same for all lanes, or where they do not lie equally far apart.
std::optional<lane_stride> stride_of_lanes(expression_table& table, expression place, expression lane);

}  // namespace sinter::inline v0::codegen
