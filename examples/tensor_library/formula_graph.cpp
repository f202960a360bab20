#include "formula_graph.hpp"

#include "errors.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/runtime/error.hpp>

#include <bit>
#include <source_location>
#include <unordered_map>
#include <utility>

namespace tensors {
namespace {

using sinter::graph_value;

// Formulas have positions of their own: Sinter's messages name no line of this file.
constexpr std::source_location no_place{};

/// The operations of Sinter's table by name, without those that make up a graph's structure.
const std::unordered_map<std::string_view, sinter::operation>& operations_by_name() {
  static const auto table = [] {
    std::unordered_map<std::string_view, sinter::operation> rows;
    for (const sinter::operation_facts& row : sinter::operations().subspan(sinter::structural_operations))
      rows.emplace(row.name, row.op);
    return rows;
  }();
  return table;
}

class graph_maker {
 public:
  graph_maker(std::string_view formula, const name_types& names, numbers how) : formula_(formula), how_(how) {
    for (const auto& [text, type] : names) {
      graph_value& value = values_[text];
      if (type.is_scalar) {
        value = builder_.parameter(type.type, true);
        made_.scalars.emplace_back(text);
      } else {
        value = builder_.input(type.type, type.rank);
        made_.tensors.push_back(text);
      }
    }
    made_.positions.assign(builder_.recorded().nodes.size(), 0);
  }

  compiled_formula finish(const expression& root) && {
    const graph_value result = value_of(root);
    at(root, [&] {
      builder_.output(result);
      return result;
    });
    made_.function = sinter::runtime::intern(builder_.recorded());
    return std::move(made_);
  }

 private:
  graph_value value_of(const expression& from) {
    if (const auto* const constant = std::get_if<number>(&from.what)) return number_value(from, *constant);
    if (const auto* const named = std::get_if<name>(&from.what)) {
      const auto found = values_.find(named->text);
      if (found != values_.end()) return found->second;
      fail(formula_error::kind::name, from, "there is no tensor or scalar '" + named->text + "'");
    }
    return call(from, std::get<application>(from.what));
  }

  graph_value literal(const expression& from, const number& constant) {
    return at(from,
              [&] { return std::visit([&](auto value) { return builder_.literal(value); }, constant); });
  }

  graph_value number_value(const expression& from, const number& constant) {
    if (how_ == numbers::literals) return literal(from, constant);
    return at(from, [&] {
      made_.scalars.emplace_back(bits_of(constant));
      return builder_.parameter(type_of(constant), true);
    });
  }

  graph_value call(const expression& from, const application& called) {
    const auto found = operations_by_name().find(called.operation);
    if (found == operations_by_name().end()) return cast(from, called);
    const sinter::operation op = found->second;
    if (sinter::is_reduction(op)) return reduction(from, called, op);
    if (sinter::is_scan(op)) return scan(from, called, op);
    expect_arguments(from, called, sinter::facts_of(op).arity);
    std::vector<graph_value> operands;
    for (const expression& argument : called.arguments) {
      // As a constant the exponent decides the instructions: x ** 2 is a multiplication.
      const bool is_exponent = op == sinter::operation::power && !operands.empty();
      const auto* const constant = is_exponent ? std::get_if<number>(&argument.what) : nullptr;
      operands.push_back(constant != nullptr ? literal(argument, *constant) : value_of(argument));
    }
    return at(from, [&] { return builder_.apply(op, operands, no_place); });
  }

  /// "float32(x)": a conversion to the element type of that name.
  graph_value cast(const expression& from, const application& called) {
    for (const sinter::element_type_facts& row : sinter::element_types) {
      if (row.name != called.operation) continue;
      expect_arguments(from, called, 1);
      const graph_value operand = value_of(called.arguments[0]);
      return at(from, [&] { return builder_.cast(operand, row.type, no_place); });
    }
    fail(formula_error::kind::name, from,
         "there is no operation '" + called.operation +
             "': the names are those of Sinter's operations (docs/operations.md) and element types");
  }

  /// "sum(x)", "sum(x, 0, -1)", "sum(x, 1, keepdims)".
  graph_value reduction(const expression& from, const application& called, sinter::operation op) {
    if (called.arguments.empty()) expect_arguments(from, called, 1);
    const graph_value operand = value_of(called.arguments[0]);
    std::size_t count = called.arguments.size();
    const auto* const last = std::get_if<name>(&called.arguments.back().what);
    const bool keepdims = count > 1 && last != nullptr && last->text == "keepdims";
    if (keepdims) --count;
    std::uint32_t axes = count > 1 ? 0 : static_cast<std::uint32_t>((std::uint64_t{1} << operand.rank) - 1);
    for (std::size_t i = 1; i < count; ++i) {
      const std::uint32_t bit = std::uint32_t{1} << axis_of(called.arguments[i], operand.rank);
      if ((axes & bit) != 0)
        fail(formula_error::kind::shape, called.arguments[i], "the axis is listed twice");
      axes |= bit;
    }
    return at(from, [&] { return builder_.reduce(op, operand, axes, keepdims, no_place); });
  }

  /// "cumsum(x, 1)".
  graph_value scan(const expression& from, const application& called, sinter::operation op) {
    expect_arguments(from, called, 2);
    const graph_value operand = value_of(called.arguments[0]);
    const unsigned axis = axis_of(called.arguments[1], operand.rank);
    return at(from, [&] { return builder_.scan(op, operand, axis, no_place); });
  }

  unsigned axis_of(const expression& from, unsigned rank) const {
    const auto* const constant = std::get_if<number>(&from.what);
    const auto* const axis = constant != nullptr ? std::get_if<std::int64_t>(constant) : nullptr;
    if (axis == nullptr)
      fail(formula_error::kind::shape, from,
           "an axis is an integer in the formula, and 'keepdims' comes last");
    if (*axis < -static_cast<std::int64_t>(rank) || *axis >= static_cast<std::int64_t>(rank))
      fail(formula_error::kind::shape, from,
           "axis " + std::to_string(*axis) + " of an operand of " + std::to_string(rank) + " axes");
    return static_cast<unsigned>(*axis < 0 ? *axis + rank : *axis);
  }

  void expect_arguments(const expression& from, const application& called, std::size_t count) const {
    if (called.arguments.size() != count)
      fail(formula_error::kind::syntax, from,
           "'" + called.operation + "' takes " + std::to_string(count) + " arguments, not " +
               std::to_string(called.arguments.size()));
  }

  /// Adds nodes for a part of the formula: notes its position for each, and in what Sinter throws.
  template <class Add>
  graph_value at(const expression& from, const Add& add) {
    try {
      const graph_value value = add();
      made_.positions.resize(builder_.recorded().nodes.size(), from.position);
      return value;
    } catch (const sinter::error&) {
      rethrow(formula_, from.position);
    }
  }

  [[noreturn]] void fail(formula_error::kind what, const expression& from, const std::string& message) const {
    throw formula_error(what, formula_, from.position, message);
  }

  std::string_view formula_;
  numbers how_;
  sinter::graph_builder builder_;
  std::unordered_map<std::string, graph_value> values_;
  compiled_formula made_;
};

}  // namespace

compiled_formula compile(std::string_view formula, const expression& root, const name_types& names,
                         numbers how) {
  return graph_maker(formula, names, how).finish(root);
}

sinter::element_type type_of(const number& value) {
  return std::holds_alternative<double>(value) ? sinter::element_type::float64 : sinter::element_type::int64;
}

sinter::runtime::scalar bits_of(const number& value) {
  return std::visit([](auto plain) { return std::bit_cast<sinter::runtime::scalar>(plain); }, value);
}

}  // namespace tensors
