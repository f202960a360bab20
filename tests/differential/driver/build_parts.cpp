#include "build_parts.hpp"

#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "build_scatters.hpp"

namespace differential {
namespace {

sinter::extension rule_named(const std::string& name) {
  using enum sinter::extension;
  constexpr std::array<std::pair<std::string_view, sinter::extension>, 5> rules{
      {{"broadcast", broadcast}, {"edge", edge}, {"reflect", reflect}, {"wrap", wrap}, {"repeat", repeat}}};
  for (const auto& [known, rule] : rules)
    if (known == name) return rule;
  throw std::runtime_error("driver: no rule " + name);
}

}  // namespace

sinter::index_rule index_rule_named(const std::string& name) {
  if (name == "wrap") return sinter::index_rule::wrap;
  if (name == "clip") return sinter::index_rule::clip;
  if (name == "checked" || name == "guarded") return sinter::index_rule::checked;
  throw std::runtime_error("driver: no rule " + name);
}

sinter::graph_value add_part(sinter::graph_builder& builder, const value_line& value,
                             std::span<const sinter::graph_value> operands) {
  if (value.kind == "extended")
    return builder.extended(operands[0], value.axes, rule_named(value.operation), operands[1], operands[2]);
  if (value.kind == "concatenate") return builder.concatenate(operands[0], operands[1], value.axes);
  if (value.kind == "gather")
    return builder.gather(operands[0], operands[1], value.axes, index_rule_named(value.operation),
                          value.axes);
  if (value.kind == "window") return builder.window(operands[0], value.axes, operands[1]);
  if (value.kind == "diagonal")
    return builder.diagonal(operands[0], value.axes, value.second_axis, operands[1]);
  if (value.kind == "merged") return builder.merged(operands[0], value.axes);
  return builder.split(operands[0], value.axes, operands[1], value.whole);
}

sinter::graph_value add_search(sinter::graph_builder& builder, const value_line& value,
                               std::span<const sinter::graph_value> operands) {
  if (value.kind == "searchsorted") {
    using enum sinter::search_side;
    return sinter::searchsorted(builder, operands[0], operands[1], value.operation == "right" ? right : left);
  }
  sinter::beyond_points beyond;
  if (value.operation == "left" || value.operation == "both") beyond.left = operands[3];
  if (value.operation == "right" || value.operation == "both") beyond.right = operands.back();
  return sinter::interp(builder, operands[0], operands[1], operands[2], beyond);
}

bool is_integer_of_part(const value_line& value, std::size_t operand) {
  if (value.kind == "order") return value.operation == "permutation" && operand == 0;
  if (is_scattering(value)) return operand >= value.operands.size() - integers_of_scattering(value);
  return is_part(value) && operand >= (value.kind == "concatenate" || value.kind == "gather" ? 2 : 1);
}

}  // namespace differential
