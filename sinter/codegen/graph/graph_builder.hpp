#pragma once
// Builds a graph node by node. The DSL records into it; library authors use it directly, as the run-time
// builder.
//
// Threads: one thread at a time uses a builder; different builders are independent.
// Throws: type_error or shape_error as a node is added, with the operation and the place; what only a call
// knows is thrown by the call.
// After a failure: values that were given before are still good, and the graph has no new result; nodes and
// limits of parameters that were added before the exception stay, unused. After std::bad_alloc only restart()
// makes it whole.

#include <sinter/codegen/base/export.hpp>
#include <sinter/codegen/graph/graph_value.hpp>
#include <sinter/codegen/graph/operation.hpp>
#include <sinter/codegen/graph/parts/extension.hpp>
#include <sinter/codegen/graph/parts/index_rule.hpp>
#include <sinter/codegen/graph/scatters/scatter_rule.hpp>
#include <sinter/codegen/types/number.hpp>

#include <array>
#include <initializer_list>
#include <source_location>
#include <span>
#include <vector>

namespace sinter::inline v0 {

struct external_function;
struct scatter_call;
struct scatter_form;

/// Appends typed, checked nodes. Infers and verifies types and ranks as each node is added; a violation
/// throws type_error or shape_error with the operation, the operand types and the source line.
class SINTER_API graph_builder {
 public:
  graph_builder();
  graph_builder(const graph_builder&) = delete;
  graph_builder& operator=(const graph_builder&) = delete;
  ~graph_builder();

  /// Begins a new graph, keeping the memory of earlier ones.
  void restart(arithmetic_mode mode = arithmetic_mode::standard);

  /// `weak`: of a body, a scalar that takes the types it meets; integers then convert by wrapping.
  graph_value input(element_type type, unsigned rank, bool weak = false);
  /// An array of rank 1 or more of which a body takes elements at indices, with element() and in no other
  /// way. It is captured as other values are.
  graph_value whole_input(element_type type, unsigned rank);
  /// A run-time scalar; a weak one takes the types it meets.
  graph_value parameter(element_type type, bool weak = false);
  /// A C++ number that evaluate() and any_function pass as a run-time parameter: as a literal in what it
  /// means, but another number compiles nothing. For numbers that are found while building, as those of a
  /// formula.
  template <class Number>
    requires std::is_arithmetic_v<Number>
  graph_value number(Number value) {
    return number(detail::number_type<Number>, detail::number_bits(value));
  }
  graph_value number(operand_type type, std::uint64_t bits);
  /// The bits of the number()s, in order. Other parameters come before them.
  std::span<const std::uint64_t> numbers() const { return numbers_; }
  graph_value literal(element_type type, std::uint64_t bits, bool weak = false);
  /// A C++ number as a weak literal, which takes the types it meets as a number in a lambda does.
  template <class Number>
    requires std::is_arithmetic_v<Number>
  graph_value literal(Number value) {
    return literal(detail::number_type<Number>.type, detail::number_bits(value),
                   detail::number_type<Number>.weak);
  }
  /// A strong literal, rounded to `type`. Throws type_error for an integer outside the range of that type.
  template <class Number>
    requires std::is_arithmetic_v<Number>
  graph_value literal(Number value, element_type type,
                      const std::source_location& where = std::source_location::current()) {
    return cast(literal(detail::number_type<Number>.type, detail::number_bits(value), true), type, where);
  }

  /// An operation of the table on promoted operands.
  graph_value apply(operation op, std::span<const graph_value> operands,
                    const std::source_location& where = std::source_location::current());
  graph_value apply(operation op, std::initializer_list<graph_value> operands,
                    const std::source_location& where = std::source_location::current()) {
    return apply(op, std::span(operands.begin(), operands.size()), where);
  }
  /// Conversion. A weak integer outside the type's range is a type_error: thrown here for a literal, else
  /// when the function is called.
  graph_value cast(graph_value operand, element_type type,
                   const std::source_location& where = std::source_location::current());
  /// NumPy's basic indexing, or a permutation of axes. See view_item.
  graph_value view(graph_value operand, std::span<const view_item> items,
                   const std::source_location& where = std::source_location::current());
  /// A reduction along the axes whose bits are set in `axes` (0: along none). With keepdims these stay, with
  /// extent 1. The result has the type that the row's rule gives; for a wider accumulator cast the operand
  /// first.
  graph_value reduce(operation op, graph_value operand, std::uint32_t axes, bool keepdims = false,
                     const std::source_location& where = std::source_location::current());
  /// A scan along one axis, in the operand's shape: each element combined with all before it. Types are as
  /// for a reduction.
  graph_value scan(operation op, graph_value operand, unsigned axis,
                   const std::source_location& where = std::source_location::current());
  /// The position along an axis; for its rank (2 or more) as axis, the position among all elements,
  /// row-major.
  graph_value coordinate(graph_value operand, unsigned axis,
                         const std::source_location& where = std::source_location::current());
  graph_value extent(graph_value operand, unsigned axis,
                     const std::source_location& where = std::source_location::current());
  /// An axis of N elements with `extent` of the positions first, first + 1, … of the axis that `rule` makes
  /// endless. For extension::broadcast N is 1 or `extent`; for extension::repeat each element stands there
  /// `extent` times; neither reads `first`. As of all functions down to split(), the integers have rank 0 and
  /// are known before a call: type_error for what depends on elements of arrays.
  graph_value extended(graph_value operand, unsigned axis, extension rule, graph_value first,
                       graph_value extent,
                       const std::source_location& where = std::source_location::current());
  /// An axis with `before` more elements of the axis that `rule` makes endless at its begin, and `after` more
  /// at its end: extended() that shape_error refuses in calls where one of these is negative. `rule` is
  /// extension::edge, reflect or wrap.
  graph_value padded(graph_value operand, unsigned axis, extension rule, graph_value before,
                     graph_value after, const std::source_location& where = std::source_location::current());
  /// The elements of `a`, then those of `b`, along an axis, in the promoted type. Ranks are equal, and so are
  /// the other extents.
  graph_value concatenate(graph_value a, graph_value b, unsigned axis,
                          const std::source_location& where = std::source_location::current());
  /// Elements at positions along an axis, which `index`, an array of integers of the same rank, has: element
  /// (…, i, …) is operand (…, index (…, i, …), …), as NumPy's take_along_axis. Other axes are broadcast. What
  /// the user calls the axis is `named_axis`, for messages. Throws type_error for an index that is no
  /// integer.
  graph_value gather(graph_value operand, graph_value index, unsigned axis, index_rule rule,
                     unsigned named_axis,
                     const std::source_location& where = std::source_location::current());
  /// The base, whose elements at positions along an axis, which `index` has, are combined with updates:
  /// element (…, index (…, i, …), …) with updates (…, i, …), for each i (scatters/scatter_node.hpp). All
  /// three have one rank, index and updates one shape, and updates the base's type. Throws type_error for
  /// other ranks and types, for an index that is no integer, and for elements that `combine` does not combine
  /// in any order. compose_scatter.hpp has scatters of all types.
  graph_value scatter(graph_value base, graph_value index, graph_value updates, const scatter_form& form,
                      const std::source_location& where = std::source_location::current());
  /// For each row of the last axis the positions of its elements in the order of their keys: uint32, equal
  /// keys by their positions (order/argsort_node.hpp). Keys are uint32 or uint64, of rank 1 or more, and
  /// differ in their lowest `bits` alone. Throws type_error for others. compose_order.hpp sorts all types.
  graph_value argsort(graph_value keys, unsigned bits,
                      const std::source_location& where = std::source_location::current());
  /// Index and updates as scatter() takes them: with the base's rank, by new axes in front, as int64 and in
  /// the base's type, and broadcast: together along the axis, and to the base along others.
  std::array<graph_value, 2> scatter_operands(
      graph_value base, graph_value index, graph_value updates, unsigned axis,
      const std::source_location& where = std::source_location::current());
  /// Says that the nodes from `call.first` on are those of a call, for messages. It replaces calls among
  /// them.
  void name_call(scatter_call call);
  /// In a body: the element of a whole_input() at an index along each axis; indices are integers, and are
  /// broadcast together. Throws type_error or shape_error for other operands.
  graph_value element(graph_value whole, std::span<const graph_value> indices, index_rule rule,
                      const std::source_location& where = std::source_location::current());
  /// Windows of `extent` elements that slide along an axis: there are N - extent + 1, and their elements are
  /// a new last axis.
  graph_value window(graph_value operand, unsigned axis, graph_value extent,
                     const std::source_location& where = std::source_location::current());
  /// NumPy's diagonal of two axes: they vanish, and the diagonal is a new last axis.
  graph_value diagonal(graph_value operand, unsigned axis_a, unsigned axis_b, graph_value offset,
                       const std::source_location& where = std::source_location::current());
  /// An axis and the next one as one, row-major.
  graph_value merged(graph_value operand, unsigned axis,
                     const std::source_location& where = std::source_location::current());
  /// An axis as two, of which the second one has `extent` elements; it divides N. With `whole` the first of
  /// them has one element and is dropped: the axis keeps its N elements, which are `extent`.
  graph_value split(graph_value operand, unsigned axis, graph_value extent, bool whole = false,
                    const std::source_location& where = std::source_location::current());
  /// A call of a user's own function. Operands are converted to the types of its arguments; type_error if an
  /// argument's type cannot hold an operand's.
  graph_value call(const external_function& called, std::span<const graph_value> operands,
                   const std::source_location& where = std::source_location::current());
  /// Runs `body` a number of times, and gives its states after that. The body's inputs are the iteration's
  /// number (int64, from 0), the states and what is captured; its results are the next states, of the same
  /// types and at most the same ranks. `states` are the first ones, which are converted to the body's types
  /// and broadcast; `count` is an integer of rank 0, and nothing runs if it is not above 0. The body is
  /// elementwise: it has no parameters, views, reductions, scans, coordinates and extents. Throws type_error
  /// or shape_error if operands and body do not match. The results are nodes next to each other.
  std::vector<graph_value> repeat(graph_value count, std::span<const graph_value> states,
                                  std::span<const graph_value> captured, const ir::graph& body,
                                  const std::source_location& where = std::source_location::current());
  /// Runs `body` for each element as long as a condition holds: the body's first result, a bool computed from
  /// the states before the iteration; the others are the next states. Everything else is as for repeat().
  std::vector<graph_value> repeat_while(std::span<const graph_value> states,
                                        std::span<const graph_value> captured, const ir::graph& body,
                                        const std::source_location& where = std::source_location::current());
  /// For each element the results of `then` where the condition holds, else those of `otherwise`: bodies with
  /// what is captured as inputs, and with results of the same types. A result has the rank of the condition
  /// and both sides together.
  std::vector<graph_value> when(graph_value condition, std::span<const graph_value> captured,
                                const ir::graph& then, const ir::graph& otherwise,
                                const std::source_location& where = std::source_location::current());
  /// Combines the elements of `values`, which are broadcast together, along the axes whose bits are set in
  /// `axes`. The body's inputs are as many scalars of the values' types for one side, as many for the other
  /// side, and what is captured, of rank 0; its results are the combined values. It is associative; elements
  /// are combined in `order`. `identities`, of rank 0, are the result over no elements; the body never takes
  /// them. Axes and results are as for the other reduce().
  std::vector<graph_value> reduce(std::span<const graph_value> identities,
                                  std::span<const graph_value> values, std::span<const graph_value> captured,
                                  const ir::graph& body, std::uint32_t axes, bool keepdims = false,
                                  combining_order order = combining_order::any,
                                  const std::source_location& where = std::source_location::current());
  /// Each element combined with all before it along one axis. The body is associative: the left side comes
  /// before the right one.
  std::vector<graph_value> scan(std::span<const graph_value> identities, std::span<const graph_value> values,
                                std::span<const graph_value> captured, const ir::graph& body, unsigned axis,
                                const std::source_location& where = std::source_location::current());
  /// Adds a result of the graph; a weak integer becomes int64.
  void output(graph_value result);

  /// Identifies this graph in the process; changes at each restart.
  std::uint32_t number() const { return number_; }
  ir::graph& recorded() { return graph_; }
  const ir::graph& recorded() const { return graph_; }

 private:
  static std::uint32_t fresh_number();
  bool has(const graph_value& value) const;
  // compare_integers.cpp: a signed integer and a uint64; a weak integer and one that is not
  graph_value compare_mixed(operation op, graph_value a, graph_value b, const std::source_location& where);
  graph_value compare_weak(operation op, graph_value x, graph_value number,
                           const std::source_location& where);
  void refuse_negative_exponent(std::span<const graph_value> operands, const std::source_location& where);
  graph_value strong(graph_value operand, const std::source_location& where);
  graph_value append(operation op, operand_type type, unsigned rank, std::span<const graph_value> operands,
                     std::uint64_t payload, const std::source_location& where);
  // build_bodies.cpp, for which these two are not inline
  bool owns(const graph_value& value) const;
  graph_value append_node(operation op, operand_type type, unsigned rank,
                          std::span<const graph_value> operands, std::uint64_t payload,
                          const std::source_location& where);
  // build_elements.cpp
  graph_value index_of_element(graph_value index, index_rule rule, const std::source_location& where);
  // build_scatter.cpp
  /// Throws type_error for a base, an index and updates that do not fit each other.
  void check_scatter(const std::array<graph_value, 3>& given, unsigned axis,
                     const std::source_location& where) const;
  /// A value with new axes of one element in front.
  graph_value with_leading_axes(graph_value operand, unsigned rank, const std::source_location& where);
  /// The extent to which both are broadcast along an axis.
  graph_value broadcast_extent(const std::array<graph_value, 2>& operands, unsigned axis,
                               const std::source_location& where);
  // build_parts.cpp
  /// What is called with which operands, and where, in front of what is wrong.
  static std::string describe_given(operation op, std::span<const graph_value> operands,
                                    const std::source_location& where);
  /// An index as an int64 that is checked, or by a rule a position.
  graph_value position_along(graph_value operand, graph_value index, unsigned axis, index_rule rule,
                             const std::source_location& where);
  graph_value host_integer(operation op, graph_value operand, const std::source_location& where);
  graph_value part(operation op, std::span<const graph_value> operands, std::uint64_t payload,
                   const std::source_location& where);
  std::uint32_t body(ir::graph added);
  std::vector<graph_value> combined(operation op, std::span<const graph_value> identities,
                                    std::span<const graph_value> values,
                                    std::span<const graph_value> captured, const ir::graph& combining_body,
                                    std::uint32_t axes, const std::source_location& where);
  graph_value without_axes(graph_value kept, std::uint32_t axes, const std::source_location& where);
  std::vector<graph_value> with_bodies(operation op, std::span<const graph_value> operands,
                                       std::uint64_t numbers, const std::source_location& where);
  std::vector<graph_value> repeated(operation op, std::span<const graph_value> counts,
                                    std::span<const graph_value> states,
                                    std::span<const graph_value> captured, const ir::graph& repeated_body,
                                    const std::source_location& where);
  ir::graph& graph_;  ///< owned; named here only, so that programs need not include the graph
  std::uint32_t number_ = fresh_number();
  std::vector<std::uint64_t> numbers_;
};

}  // namespace sinter::inline v0
