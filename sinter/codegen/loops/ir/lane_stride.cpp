#include <sinter/codegen/loops/ir/lane_stride.hpp>

namespace sinter::inline v0::codegen {

std::optional<lane_stride> growth_along_lanes(expression_table& table, expression index, expression lane) {
  if (index.id == lane.id) return lane_stride{};
  const auto operands = table.operands_of(index.id);
  const auto operand = [&](std::size_t i) { return table.at(operands[i]); };
  switch (table[index.id].kind) {
    case expression_kind::sum:
    case expression_kind::difference: {
      std::optional<lane_stride> found;
      for (std::size_t i = 0; i < operands.size(); ++i) {
        if (!mentions(table, operand(i), lane)) continue;
        const bool is_subtracted = i != 0 && table[index.id].kind == expression_kind::difference;
        if (found.has_value() || is_subtracted) return {};
        found = growth_along_lanes(table, operand(i), lane);
        if (!found.has_value()) return {};
      }
      return found;
    }
    case expression_kind::product: {
      if (mentions(table, operand(1), lane)) return {};
      const std::optional<lane_stride> growth = growth_along_lanes(table, operand(0), lane);
      if (!growth.has_value() || growth->by.is_set()) return {};
      return lane_stride{operand(1)};
    }
    default:
      return {};
  }
}

std::optional<lane_stride> stride_of_lanes(expression_table& table, expression place, expression lane) {
  if (table[place.id].kind != expression_kind::subscript) return {};
  const expression base = table.at(table.operands_of(place.id)[0]),
                   index = table.at(table.operands_of(place.id)[1]);
  return mentions(table, base, lane) ? std::nullopt : growth_along_lanes(table, index, lane);
}

}  // namespace sinter::inline v0::codegen
