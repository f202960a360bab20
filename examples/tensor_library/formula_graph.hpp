// From a formula's tree to Sinter's graph.
#pragma once

#include "syntax.hpp"

#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/runtime/call.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tensors {

/// What a name of a formula stands for: elements of a type and rank, or a scalar.
struct name_type {
  sinter::element_type type{};
  std::uint8_t rank = 0;
  bool is_scalar = false;
};
using name_types = std::map<std::string, name_type, std::less<>>;

/// What the numbers in a formula are in the graph.
enum class numbers : std::uint8_t {
  literals,   ///< constants, which the compiler knows; another number is another kernel
  parameters  ///< run-time scalars; texts that differ in numbers alone share a kernel
};

/// A formula for given types, ready to be called.
struct compiled_formula {
  sinter::runtime::function_handle function;
  std::vector<std::string> tensors;  ///< names, in the order of the function's operands
  /// The function's scalars in their order: names, or the bits of a number in the text.
  std::vector<std::variant<std::string, sinter::runtime::scalar>> scalars;
  std::vector<std::size_t> positions;  ///< of each node of the graph, in the formula
};

/// Makes the function of a formula that was parsed. Throws formula_error.
compiled_formula compile(std::string_view formula, const expression& root, const name_types& names,
                         numbers how);

/// int64 or float64.
sinter::element_type type_of(const number& value);
/// The bits of a number as a scalar argument of that type.
sinter::runtime::scalar bits_of(const number& value);

}  // namespace tensors
