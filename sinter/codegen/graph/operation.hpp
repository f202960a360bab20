#pragma once
// The operations a graph node may hold: the structural ones listed here, then one per row of operations.def.

#include <sinter/codegen/base/export.hpp>
#include <sinter/codegen/types/type_rules.hpp>
#include <span>
#include <string_view>

namespace sinter::inline v0 {

enum class operation : std::uint8_t {
  input,       ///< an array operand; payload: its index
  parameter,   ///< a run-time scalar; payload: its index
  literal,     ///< payload: the bits of the value in the node's type
  cast,        ///< conversion to the node's type
  view,        ///< indexing or permutation; payload: index of a view of the graph
  coordinate,  ///< position along the axis `payload` of the input's shape, int64; for its rank as payload the
               ///< position along all axes, row-major
  extent,      ///< length of the axis `payload` of the input's shape, int64, rank 0
  // Arrays that are put together or taken apart (parts/graph_parts.hpp): they move elements, and compute
  // nothing.
  extended,     ///< an axis goes on past its ends, or each of its elements is repeated
  concatenate,  ///< two arrays one after the other along an axis
  window,       ///< windows of some elements of an axis; their elements are a new last axis
  diagonal,     ///< the diagonal of two axes, which is the last axis
  merged,       ///< an axis and the next one as one, row-major
  split,        ///< an axis as two, row-major
  gather,       ///< elements at positions along an axis that are values
  scatter,      ///< an array, combined with values at positions along an axis (scatters/scatter_node.hpp)
  argsort,      ///< the positions by which the rows of the last axis are in order (order/argsort_node.hpp)
  external,     ///< a call of the graph's external function `payload`
  // Nodes with bodies (graph_bodies.hpp); their results are picked by `component`.
  repeat,        ///< a body that runs a number of times
  repeat_while,  ///< a body that runs as long as its first result holds, for each element
  when,          ///< one of two bodies, by a condition for each element
  reduce,        ///< a body that combines two elements of several values, along axes (combining_axes())
  scan,          ///< the same for each element and all before it, along one axis
  component,     ///< result `payload` of a node with bodies
  element,       ///< in a body: the element of an array at an index along each of its axes
  // Of bodies in a nest, where graphs have inputs of the body.
  carried,    ///< state `payload` of the loop at the begin of an iteration
  iteration,  ///< the number of the iteration, from 0
  partial,    ///< value `payload` of the two sides that reduce or scan combines: the left one's come first
  last,       ///< a reduction: what a scan comes to, by which a nest reduces in order
  report,     ///< of nests: tells the call of an index that is out of range
#define SINTER_OPERATION(name, arity, rule, weight, spelling, reference, documentation) name,
#define SINTER_REDUCTION(name, rule, combine, start, documentation) name,
#define SINTER_SCAN(name, rule, combine, start, documentation) name,
#include <sinter/codegen/graph/operations.def>
#undef SINTER_OPERATION
};

inline constexpr std::size_t structural_operations = 29;

/// The start value of a reduction or a scan: combining it with an element gives the element.
enum class reduction_start : std::uint8_t {
  zero,
  negative_zero,  ///< -0, which leaves even -0 unchanged; 0 for integers
  one,
  lowest,        ///< -inf, or the least integer; a reduction of no elements throws
  highest,       ///< inf, or the greatest integer; a reduction of no elements throws
  not_a_number,  ///< NaN; a reduction of no elements throws
};

/// Roughly what an operation takes, in additions: the instructions that it becomes.
enum class operation_weight : std::uint8_t {
  none,
  addition,
  few,
  reduction = 4,  ///< an element of it
  scan = 8,
  function = 12,
  trigonometry = 32,  ///< as users' functions, which may be anything
};

/// One row of the table.
struct operation_facts {
  operation op;
  std::string_view name;
  std::uint8_t arity;
  type_rule rule;
  operation_weight weight;
  std::string_view spelling;       ///< emitted expression over $0 $1 $2; empty: a call of a device function
  std::string_view documentation;  ///< one line
  operation combine = operation::input;  ///< of reductions and scans: combines two elements
  reduction_start start = reduction_start::zero;
  bool scans = false;  ///< is a scan: a result for each element, of all elements up to it
};

namespace detail {
inline constexpr operation_facts operation_rows[] = {
    {operation::input, "input", 0, type_rule::promoted, operation_weight::none, "", "Array operand."},
    {operation::parameter, "parameter", 0, type_rule::promoted, operation_weight::none, "",
     "Run-time scalar."},
    {operation::literal, "literal", 0, type_rule::promoted, operation_weight::none, "", "Constant."},
    {operation::cast, "cast", 1, type_rule::promoted, operation_weight::addition, "",
     "Conversion to another element type."},
    {operation::view, "view", 1, type_rule::promoted, operation_weight::addition, "",
     "Indexing or permutation of axes."},
    {operation::coordinate, "coordinate", 1, type_rule::promoted, operation_weight::none, "",
     "Position along an axis."},
    {operation::extent, "extent", 1, type_rule::promoted, operation_weight::none, "", "Length of an axis."},
    {operation::extended, "extended", 3, type_rule::promoted, operation_weight::addition, "",
     "An axis that goes on past its ends by a rule."},
    {operation::concatenate, "concatenate", 2, type_rule::promoted, operation_weight::addition, "",
     "Two arrays one after the other."},
    {operation::window, "window", 2, type_rule::promoted, operation_weight::addition, "",
     "Windows that slide along an axis."},
    {operation::diagonal, "diagonal", 2, type_rule::promoted, operation_weight::addition, "",
     "Diagonal of two axes."},
    {operation::merged, "merged", 1, type_rule::promoted, operation_weight::addition, "", "Two axes as one."},
    {operation::split, "split", 2, type_rule::promoted, operation_weight::addition, "", "One axis as two."},
    {operation::gather, "gather", 2, type_rule::promoted, operation_weight::addition, "",
     "Elements at positions along an axis that are values."},
    {operation::scatter, "scatter", 3, type_rule::promoted, operation_weight::few, "",
     "An array, combined with values at positions along an axis."},
    {operation::argsort, "argsort", 1, type_rule::promoted, operation_weight::few, "",
     "Positions by which the rows of the last axis are in order."},
    {operation::external, "external", 0, type_rule::promoted, operation_weight::trigonometry, "",
     "Call of a user's own function."},
    {operation::repeat, "repeat", 0, type_rule::promoted, operation_weight::none, "",
     "A body that runs a number of times."},
    {operation::repeat_while, "repeat_while", 0, type_rule::promoted, operation_weight::none, "",
     "A body that runs while its condition holds."},
    {operation::when, "when", 0, type_rule::promoted, operation_weight::none, "", "One of two bodies."},
    {operation::reduce, "reduce", 0, type_rule::promoted, operation_weight::reduction, "",
     "A reduction of several values by a body."},
    {operation::scan, "scan", 0, type_rule::promoted, operation_weight::scan, "",
     "A scan of several values by a body."},
    {operation::component, "component", 1, type_rule::promoted, operation_weight::none, "",
     "One result of a node with bodies."},
    {operation::element, "element", 0, type_rule::promoted, operation_weight::addition, "",
     "The element of an array at indices, in a body."},
    {operation::carried, "carried", 1, type_rule::promoted, operation_weight::none, "",
     "A state of a loop, in its body."},
    {operation::iteration, "iteration", 0, type_rule::promoted, operation_weight::none, "",
     "The number of an iteration, in a loop's body."},
    {operation::partial, "partial", 0, type_rule::promoted, operation_weight::none, "",
     "A value that is combined, in the body of a reduction or scan."},
    {operation::last, "last", 1, type_rule::promoted, operation_weight::none, "",
     "The last result of a scan."},
    {operation::report, "report", 3, type_rule::promoted, operation_weight::none, "",
     "Tells the call of an index that is out of range."},
#define SINTER_OPERATION(name, arity, rule, weight, spelling, reference, documentation) \
  {operation::name, #name, arity, type_rule::rule, operation_weight::weight, spelling, documentation},
#define SINTER_REDUCTION(name, rule, combine, start, documentation) \
  {operation::name,                                                 \
   #name,                                                           \
   1,                                                               \
   type_rule::rule,                                                 \
   operation_weight::reduction,                                     \
   "",                                                              \
   documentation,                                                   \
   operation::combine,                                              \
   reduction_start::start},
#define SINTER_SCAN(name, rule, combine, start, documentation) \
  {operation::name,                                            \
   #name,                                                      \
   1,                                                          \
   type_rule::rule,                                            \
   operation_weight::scan,                                     \
   "",                                                         \
   documentation,                                              \
   operation::combine,                                         \
   reduction_start::start,                                     \
   true},
#include <sinter/codegen/graph/operations.def>
#undef SINTER_OPERATION
};
}  // namespace detail

constexpr const operation_facts& facts_of(operation op) {
  return detail::operation_rows[static_cast<std::size_t>(op)];
}
constexpr std::uint32_t weight_of(operation op) { return static_cast<std::uint32_t>(facts_of(op).weight); }
/// Every row: structural operations, those on elements, reductions, scans. Not inline, so that including this
/// file does not instantiate std::span.
SINTER_API std::span<const operation_facts> operations();
/// The rows of operations on elements.
SINTER_API std::span<const operation_facts> element_operations();
constexpr bool is_structural(operation op) { return static_cast<std::size_t>(op) < structural_operations; }
/// Whether arrays are put together or taken apart (parts/graph_parts.hpp).
constexpr bool is_part(operation op) { return op >= operation::extended && op <= operation::gather; }
/// Whether the result's elements are elements of operands, at other positions: nothing is computed.
constexpr bool moves_elements(operation op) { return op == operation::view || is_part(op); }
/// The same where all of them are elements of the first operand.
constexpr bool moves_one_source(operation op) { return moves_elements(op) && op != operation::concatenate; }
/// Whether nodes of the operation own bodies.
constexpr bool has_body(operation op) { return op >= operation::repeat && op <= operation::scan; }
/// Whether the operands of nodes are in graph::operands, because there may be any number of them.
constexpr bool has_operand_list(operation op) { return has_body(op) || op == operation::element; }
/// Whether it runs its body several times.
constexpr bool is_repeated(operation op) { return op == operation::repeat || op == operation::repeat_while; }
/// Whether elements are combined by a body instead of an operation of the table.
constexpr bool combines_by_body(operation op) { return op == operation::reduce || op == operation::scan; }
constexpr bool is_scan(operation op) { return facts_of(op).scans || op == operation::scan; }
constexpr bool is_reduction(operation op) {
  return (facts_of(op).combine != operation::input && !facts_of(op).scans) || op == operation::reduce ||
         op == operation::last;
}
/// Whether a reduction of no elements has no result.
constexpr bool needs_elements(operation op) { return facts_of(op).start >= reduction_start::lowest; }
/// Whether a reduction's result is the position of an element instead of the element.
constexpr bool finds_position(operation op) { return facts_of(op).rule == type_rule::position; }

}  // namespace sinter::inline v0
