#pragma once
// The graphs and types that lambdas and expressions record, and their results in the reference interpreter.

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/verify_graph.hpp>
#include <sinter/codegen/reference/interpreter.hpp>
#include <sinter/codegen/types/scalar.hpp>
#include <sinter/dsl/detail/recorder.hpp>
#include <sinter/sinter.hpp>

#include <cstdint>
#include <iterator>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace sinter::test {

template <class Value, class T, unsigned Rank>
constexpr bool is_value_of = std::is_same_v<Value, value<T, Rank>>;
#define CHECK_VALUE(expression, type, rank) \
  static_assert(sinter::test::is_value_of<decltype(expression), type, rank>)

template <class Expression, class T, unsigned Rank>
constexpr bool is_expression =
    detail::operand_info<Expression>::kind == detail::operand_kind::lazy &&
    Expression::result_type == operand_type{element_type_of<T>} && Expression::result_rank == Rank;

/// The recording of fuse(body) called with these arguments.
template <class... Arguments, class Body>
graph record(const Body& body) {
  const detail::call_site site;
  const detail::frame recording(site, true);
  detail::record_declared<Body, Arguments...>(&body);
  verify(recording->steps.builder().recorded());
  return recording->steps.builder().recorded();
}
template <unsigned Rank>
using floats = view<const float, Rank>;

/// The recording of an expression's evaluation.
template <class Expression>
graph replayed(const Expression& expression) {
  detail::call_site site;
  site.kind = detail::recorded_as::expression;
  const detail::frame recording(site, false);
  detail::record_output(expression.replay());
  verify(recording->steps.builder().recorded());
  return recording->steps.builder().recorded();
}

/// The identity of an expression's recording.
template <class Expression>
std::vector<std::uint64_t> key_of(const Expression& expression) {
  const detail::evaluation<Expression> made({}, expression);
  return {made.site.key.begin(), made.site.key.end()};
}

/// Parses hexadecimal numbers, the format of element bits in the vectors.
inline std::vector<std::uint64_t> bits_of(const std::string& text) {
  std::istringstream words(text);
  std::vector<std::uint64_t> bits;
  for (std::istream_iterator<std::string> word(words), last; word != last; ++word)
    bits.push_back(std::stoull(*word, nullptr, 16));
  return bits;
}
inline reference_array array_of(element_type type, std::vector<std::int64_t> extents,
                                const std::string& bits) {
  reference_array made{type, std::move(extents), {}, {}};
  for (const std::uint64_t element : bits_of(bits))
    if (is_floating(type))
      made.reals.push_back(real_of(type, element));
    else
      made.integers.push_back(integer_of(type, element));
  return made;
}

using numbers = std::vector<long double>;
inline reference_array reals(std::vector<std::int64_t> extents, numbers elements) {
  return {element_type::float32, std::move(extents), std::move(elements), {}};
}

/// The first result of a graph, as a device would compute it.
inline reference_array interpreted(const graph& recorded, const std::vector<reference_array>& inputs,
                                   const std::vector<std::uint64_t>& scalars = {}) {
  std::vector<reference_array> results;
  interpret(recorded, inputs, scalars, results, reference_precision::native);
  return results.at(0);
}

}  // namespace sinter::test
