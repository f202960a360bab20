#include "build_scatters.hpp"

#include <array>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace differential {
namespace {

template <class Value, std::size_t Count>
Value value_named(const std::array<std::pair<std::string_view, Value>, Count>& all, const std::string& name) {
  for (const auto& [known, value] : all)
    if (known == name) return value;
  throw std::runtime_error("driver: no " + name);
}

sinter::scatter_combine combine_named(const std::string& name) {
  using enum sinter::scatter_combine;
  constexpr std::array<std::pair<std::string_view, sinter::scatter_combine>, 5> all{
      {{"add", add},
       {"add_unordered", add_unordered},
       {"minimum", minimum},
       {"maximum", maximum},
       {"last", last}}};
  return value_named(all, name);
}
sinter::scatter_rule scatter_rule_named(const std::string& name) {
  using enum sinter::scatter_rule;
  constexpr std::array<std::pair<std::string_view, sinter::scatter_rule>, 3> all{
      {{"reported", reported}, {"dropped", dropped}, {"counted", counted}}};
  return value_named(all, name);
}
sinter::segment_result segment_result_named(const std::string& name) {
  using enum sinter::segment_result;
  constexpr std::array<std::pair<std::string_view, sinter::segment_result>, 5> all{
      {{"sum", sum},
       {"sum_unordered", sum_unordered},
       {"minimum", minimum},
       {"maximum", maximum},
       {"mean", mean}}};
  return value_named(all, name);
}

/// The weights of a line that has some: they stand between `before` operands and the integers.
std::optional<sinter::graph_value> weights_of(const value_line& value,
                                              std::span<const sinter::graph_value> operands,
                                              std::size_t before) {
  if (operands.size() == before + integers_of_scattering(value)) return {};
  return operands[before];
}

}  // namespace

std::size_t integers_of_scattering(const value_line& value) {
  if (value.kind == "histogram2d") return 2;
  return value.kind == "bincount" || value.kind == "histogram" || value.kind == "segment" ? 1 : 0;
}

sinter::graph_value add_scattering(sinter::graph_builder& builder, const value_line& value,
                                   std::span<const sinter::graph_value> operands) {
  const std::size_t count = operands.size();
  if (value.kind == "scatter")
    return sinter::scatter(builder, operands[0], operands[1], operands[2],
                           {value.axes, combine_named(value.operation), scatter_rule_named(value.rule)});
  if (value.kind == "bincount")
    return sinter::bincount(builder, operands[0], operands[count - 1], weights_of(value, operands, 1));
  if (value.kind == "histogram")
    return sinter::histogram(builder, operands[0], {operands[count - 1], operands[1], operands[2]},
                             value.type, weights_of(value, operands, 3));
  if (value.kind == "histogram2d")
    return sinter::histogram2d(
        builder, operands[0], operands[1], {operands[count - 2], operands[2], operands[3]},
        {operands[count - 1], operands[4], operands[5]}, weights_of(value, operands, 6));
  if (value.kind == "segment")
    return sinter::segment(builder, operands[0], operands[1], operands[2],
                           {segment_result_named(value.operation), value.axes});
  if (value.kind == "nonzero") return sinter::nonzero(builder, operands[0]);
  return sinter::compress(builder, operands[0], operands[1]);
}

}  // namespace differential
