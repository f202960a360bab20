#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/dsl/c/builder_values.hpp>
#include <sinter/dsl/c/failures.hpp>

#include <string>

namespace sinter::inline v0::c {

graph_value value_of(const sinter_builder& builder, sinter_value number, std::size_t index) {
  const std::uint64_t at = number & 0xffffffff;
  if (number >> 32 == builder.graph.number() && at < builder.values.size()) return builder.values[at];
  throw invalid_argument("operand " + std::to_string(index) + " is " + std::to_string(number) +
                         (number == 0 ? ", which is no value: it was not set, or what makes it failed"
                                      : ", which is no value of this builder: another builder made it"));
}

sinter_value number_of(sinter_builder& builder, const graph_value& value) {
  builder.values.push_back(value);
  return std::uint64_t{builder.graph.number()} << 32 | (builder.values.size() - 1);
}

element_type type_of(sinter_element_type type) {
  if (type >= 0 && static_cast<std::size_t>(type) < element_types.size())
    return static_cast<element_type>(type);
  throw invalid_argument("there is no element type " + std::to_string(type) +
                         ": they are numbered from 0 to " + std::to_string(element_types.size() - 1));
}

unsigned axis_of(std::int32_t axis, unsigned rank) {
  const std::int64_t from_first = axis < 0 ? std::int64_t{axis} + rank : axis;
  if (from_first >= 0 && from_first < rank) return static_cast<unsigned>(from_first);
  throw shape_error("there is no axis " + std::to_string(axis) + ": the operand has " + std::to_string(rank));
}

}  // namespace sinter::inline v0::c
