#pragma once
// Expressions of a few inputs, what simplify makes of them, and results as bits.

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/reference/interpreter.hpp>
#include <sinter/codegen/scalars/scalar_operations.hpp>
#include <sinter/codegen/simplify/simplify.hpp>
#include <sinter/codegen/types/scalar.hpp>

#include <cmath>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

namespace sinter::test {

/// A graph of a few inputs, and its simplified text without the first line.
struct recording {
  graph_builder builder;
  graph_value x, y, n, m, mask, half, scalar;
  explicit recording(arithmetic_mode mode = arithmetic_mode::standard) {
    builder.restart(mode);
    x = builder.input(element_type::float32, 1);
    y = builder.input(element_type::float32, 1);
    n = builder.input(element_type::int32, 1);
    m = builder.input(element_type::uint8, 1);
    mask = builder.input(element_type::boolean, 1);
    half = builder.input(element_type::float16, 1);
    scalar = builder.parameter(element_type::float32);
  }
  graph_value number(element_type type, long double value) {
    return builder.literal(type, is_floating(type)
                                     ? real_bits(type, value)
                                     : static_cast<std::uint64_t>(static_cast<std::int64_t>(value)));
  }
  graph_value integer(int value) { return number(element_type::int32, value); }
  graph_value as(element_type type, graph_value value) { return builder.cast(value, type); }
  graph_value operator()(operation op, std::initializer_list<graph_value> operands) {
    return builder.apply(op, operands);
  }
  graph simplified(graph_value result) {
    builder.output(result);
    return simplify(builder.recorded());
  }
};

using expression = std::function<graph_value(recording&)>;

inline std::string simplified(const expression& record, arithmetic_mode mode = arithmetic_mode::standard) {
  recording r(mode);
  std::string text = to_string(r.simplified(record(r)));
  text.erase(0, text.find('\n') + 1);
  return text;
}
/// Whether two equivalent expressions simplify to the same graph.
inline bool same(const expression& a, const expression& b, arithmetic_mode mode = arithmetic_mode::standard) {
  return simplified(a, mode) == simplified(b, mode);
}

#define EXPRESSION(...) ([](recording& r) { return __VA_ARGS__; })

/// Extents, and bits of every element, with one NaN pattern.
inline std::vector<std::uint64_t> bits_of(const reference_array& array) {
  std::vector<std::uint64_t> bits(array.extents.begin(), array.extents.end());
  for (std::size_t i = 0; i < array.size(); ++i) {
    const reference_value value = array.at(i);
    bits.push_back(std::isnan(value.real) ? ~std::uint64_t{0} : store_reference(array.type, value));
  }
  return bits;
}

}  // namespace sinter::test
