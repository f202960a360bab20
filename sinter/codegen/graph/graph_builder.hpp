#pragma once
// Builds a graph node by node. The DSL records into it; a library author uses it directly (the run-time
// builder).

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/number.hpp>

#include <initializer_list>
#include <span>

namespace sinter {

/// A value of a graph being built: its node, type and rank. Weak is what is made of weak scalars alone. One
/// that no builder made is no value of any graph.
struct graph_value {
  node_id id = 0;
  operand_type type{};
  std::uint8_t rank = 0;
  std::uint32_t graph = 0;  ///< graph_builder::number() of its graph; 0: of none
};

/// Appends typed, checked nodes. Types and ranks are inferred and verified as each node is added; a violation
/// throws type_error or shape_error naming the operation, the operand types and the source line.
class graph_builder {
 public:
  /// Starts over, keeping the capacity that earlier graphs needed.
  void restart(arithmetic_mode mode = arithmetic_mode::standard);

  graph_value input(element_type type, unsigned rank);
  /// A run-time scalar; a weak one yields to the types it meets.
  graph_value parameter(element_type type, bool weak = false);
  graph_value literal(element_type type, std::uint64_t bits, bool weak = false);
  /// A C++ number by its value, which yields to the types it meets as a number in a lambda does.
  template <class Number>
    requires std::is_arithmetic_v<Number>
  graph_value literal(Number value) {
    return literal(detail::number_type<Number>.type, detail::number_bits(value),
                   detail::number_type<Number>.weak);
  }
  /// The same in a definite type, rounded to it. Throws type_error for an integer outside of that type.
  template <class Number>
    requires std::is_arithmetic_v<Number>
  graph_value literal(Number value, element_type type,
                      const std::source_location& where = std::source_location::current()) {
    return cast(literal(detail::number_type<Number>.type, detail::number_bits(value), true), type, where);
  }

  /// Any row of the table of operations on promoted operands.
  graph_value apply(operation op, std::span<const graph_value> operands,
                    const std::source_location& where = std::source_location::current());
  graph_value apply(operation op, std::initializer_list<graph_value> operands,
                    const std::source_location& where = std::source_location::current()) {
    return apply(op, std::span(operands.begin(), operands.size()), where);
  }
  /// Conversion; of a weak integer outside the type's range: type_error (when it is called, unless it is a
  /// literal).
  graph_value cast(graph_value operand, element_type type,
                   const std::source_location& where = std::source_location::current());
  /// NumPy basic indexing, or a permutation of axes. See view_item.
  graph_value view(graph_value operand, std::span<const view_item> items,
                   const std::source_location& where = std::source_location::current());
  /// A reduction along the axes whose bits are set in `axes` (all of NumPy's meaning: 0 is none of them).
  /// With keepdims they stay, with extent 1. In the type that the row's rule gives; for a wider accumulator
  /// cast the operand first.
  graph_value reduce(operation op, graph_value operand, std::uint32_t axes, bool keepdims = false,
                     const std::source_location& where = std::source_location::current());
  /// A scan along one axis, in the operand's shape: each element combined with all before it. Types as of a
  /// reduction.
  graph_value scan(operation op, graph_value operand, unsigned axis,
                   const std::source_location& where = std::source_location::current());
  graph_value coordinate(graph_value operand, unsigned axis,
                         const std::source_location& where = std::source_location::current());
  graph_value extent(graph_value operand, unsigned axis,
                     const std::source_location& where = std::source_location::current());
  /// A call of a user's own function. Operands are taken to the types of its arguments; one whose type is
  /// not held by its argument's is refused.
  graph_value call(const external_function& called, std::span<const graph_value> operands,
                   const std::source_location& where = std::source_location::current());
  /// A result of the graph; a weak integer as int64.
  void output(graph_value result);

  /// Tells this graph from all others of the process: another one after each restart.
  std::uint32_t number() const { return number_; }
  graph& recorded() { return graph_; }
  const graph& recorded() const { return graph_; }

 private:
  static std::uint32_t fresh_number();
  bool has(const graph_value& value) const;
  // compare_integers.cpp: a signed integer and a uint64; a weak integer and one that is not
  graph_value compare_mixed(operation op, graph_value a, graph_value b, const std::source_location& where);
  graph_value compare_weak(operation op, graph_value x, graph_value number,
                           const std::source_location& where);
  graph_value strong(graph_value operand, const std::source_location& where);
  graph_value append(operation op, operand_type type, unsigned rank, std::span<const graph_value> operands,
                     std::uint64_t payload, const std::source_location& where);
  graph graph_;
  std::uint32_t number_ = fresh_number();
};

}  // namespace sinter
