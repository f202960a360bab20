#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/describe.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/graph/reduction_start.hpp>
#include <sinter/codegen/graph/view_rules.hpp>
#include <sinter/codegen/types/rank.hpp>
#include <sinter/codegen/types/scalar.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <string>

namespace sinter::inline v0 {
namespace {

// ---- messages, built only to be thrown ----

std::string describe_operand(const graph& recorded, const graph_value& value) {
  if (static_cast<std::size_t>(value.type.type) >= element_types.size()) return "no value";
  const bool known = value.id < recorded.nodes.size();
  if (known && value.type.weak && recorded.nodes[value.id].op == operation::literal)
    return describe_scalar(value.type.type, recorded.nodes[value.id].payload);
  return describe(value.type.type, value.rank);
}

std::string describe_call(const graph& recorded, operation op, std::span<const graph_value> operands,
                          const std::source_location& where) {
  std::string text = std::string(facts_of(op).name) + "(";
  for (std::size_t i = 0; i < operands.size(); ++i)
    text += (i == 0 ? "" : ", ") + describe_operand(recorded, operands[i]);
  return text + ")" + describe(where);
}

std::string_view refusal(type_rule rule) {
  switch (rule) {
    case type_rule::arithmetic:
      return "not defined for booleans: use logical_xor or logical_not, or convert to an integer first";
    case type_rule::divisors:
      return "takes integers only, of types that promote to an integer type";
    case type_rule::integral:
    case type_rule::bits:
    case type_rule::counting:
      return "takes integers and booleans only, of types that promote to an integer type";
    case type_rule::assembled:
      return "takes two real operands: the parts of a complex number";
    case type_rule::real_comparison:
      return "complex numbers have no order: compare real(x), imag(x) or absolute(x)";
    case type_rule::random:
      return "takes unsigned integers only: convert with a cast to uint64";
    case type_rule::normal:
      return "takes uint32 or uint64 bits only";
    default:
      return "not defined for complex numbers: take real(x), imag(x) or absolute(x)";
  }
}

[[noreturn]] void throw_refused(const graph& recorded, operation op, std::span<const graph_value> operands,
                                const std::source_location& where) {
  throw type_error(describe_call(recorded, op, operands, where) + ": " +
                   std::string(refusal(facts_of(op).rule)));
}

[[noreturn]] void throw_misuse(const graph& recorded, operation op, std::span<const graph_value> operands,
                               const std::source_location& where) {
  const std::string called = describe_call(recorded, op, operands, where);
  if (is_structural(op) || is_reduction(op) || is_scan(op))
    throw type_error(called + ": has a function of its own in graph_builder");
  if (operands.size() != facts_of(op).arity)
    throw type_error(called + ": takes " + std::to_string(facts_of(op).arity) + " operands");
  throw type_error(called +
                   ": an operand is not a value of this graph: it is empty, or was made by another "
                   "graph_builder or before a restart()");
}

[[noreturn]] void throw_no_operation(operation op, const std::source_location& where) {
  throw type_error("there is no operation " + std::to_string(static_cast<unsigned>(op)) + describe(where) +
                   ": the table has " + std::to_string(std::size(detail::operation_rows)));
}

bool is_operation(operation op) { return static_cast<std::size_t>(op) < std::size(detail::operation_rows); }

void check_type(element_type type, std::string_view what) {
  if (static_cast<std::size_t>(type) >= element_types.size())
    throw type_error(std::string(what) + " of element type " + std::to_string(static_cast<unsigned>(type)) +
                     ": there are " + std::to_string(element_types.size()) + " types, numbered from 0");
}

[[noreturn]] void throw_no_value(const graph& recorded, operation op, const graph_value& operand,
                                 const std::source_location& where) {
  const std::string called = describe_call(recorded, op, std::span(&operand, 1), where);
  if (op != operation::cast && !moves_elements(op) && op != operation::coordinate &&
      op != operation::extent && !is_reduction(op) && !is_scan(op))
    throw_misuse(recorded, op, std::span(&operand, 1), where);
  throw type_error(called +
                   ": the operand is not a value of this graph, or the operation is of another kind");
}

/// For reduce() and scan() by an operation of two operands, such as add: names the one that is meant.
[[noreturn]] void throw_combines_no_axis(const graph& recorded, operation op, const graph_value& operand,
                                         bool scans, const std::source_location& where) {
  std::string meant = scans ? "such as cumsum" : "such as sum";
  for (const operation_facts& row : detail::operation_rows) {
    if (row.combine != op || row.scans != scans || op == operation::input) continue;
    meant = "for " + std::string(facts_of(op).name) + " operation::" + std::string(row.name);
    break;
  }
  throw type_error(describe_call(recorded, op, std::span(&operand, 1), where) +
                   (scans ? ": scan takes an operation that combines each element with all before it, "
                          : ": reduce takes an operation that combines all elements of an axis, ") +
                   meant);
}

[[noreturn]] void throw_does_not_fit(element_type from, std::uint64_t bits, element_type to,
                                     const std::source_location& where) {
  throw type_error(describe_scalar(from, bits) + " does not fit " + std::string(facts_of(to).name) +
                   describe(where) +
                   ": convert the array to a wider type, or the scalar with scalar<T>(value)");
}

[[noreturn]] void throw_complex_scalar(std::string_view what, element_type type) {
  throw type_error("a " + std::string(what) + " of type " + std::string(facts_of(type).name) +
                   ": make it of two real ones with make_complex");
}

[[noreturn]] void throw_axis(const graph& recorded, operation op, const graph_value& operand, unsigned axis,
                             const std::source_location& where) {
  throw shape_error(describe_call(recorded, op, std::span(&operand, 1), where) + ": there is no axis " +
                    std::to_string(axis));
}

[[noreturn]] void throw_view(const graph& recorded, const graph_value& operand,
                             std::span<const view_item> items, const std::source_location& where,
                             std::string_view fault) {
  throw shape_error("view " + describe_view(items) + " of " + describe_operand(recorded, operand) +
                    describe(where) + ": " + std::string(fault));
}

/// Names operand `wrong`, or the number of operands if there is no such operand.
[[noreturn]] void throw_external(const graph& recorded, const external_function& called,
                                 std::span<const graph_value> operands, const std::source_location& where,
                                 std::size_t wrong) {
  std::string text = called.name + "(";
  for (std::size_t i = 0; i < operands.size(); ++i)
    text += (i == 0 ? "" : ", ") + describe_operand(recorded, operands[i]);
  text += ")" + describe(where) + ": the external function takes (";
  for (unsigned i = 0; i < called.arity; ++i)
    text += (i == 0 ? "" : ", ") + std::string(facts_of(called.arguments[i]).name);
  text += ")";
  if (wrong < operands.size())
    text += ", which cannot hold operand " + std::to_string(wrong) + ": convert it with astype<T>(x)";
  throw type_error(text);
}

// ---- types and ranks ----

void add_limit(std::vector<std::pair<std::uint32_t, element_type>>& limits, std::uint64_t limited,
               element_type type) {
  const std::pair limit(static_cast<std::uint32_t>(limited), type);
  if (std::find(limits.begin(), limits.end(), limit) == limits.end()) limits.push_back(limit);
}

/// The types that a rule gives for two strong types. One operand counts as two of its type, which gives the
/// same. Computed at compile time.
using types_by_operands = std::array<std::array<operation_types, element_types.size()>, element_types.size()>;
constexpr types_by_operands types_of_rule(std::size_t rule) {
  types_by_operands table{};
  for (const element_type_facts& a : element_types)
    for (const element_type_facts& b : element_types)
      table[static_cast<std::size_t>(a.type)][static_cast<std::size_t>(b.type)] =
          apply_rule(static_cast<type_rule>(rule), {a.type}, {b.type});
  return table;
}
// One variable per rule, because compilers bound the work of one constant expression.
template <std::size_t Rule>
constexpr types_by_operands strong_types_of = types_of_rule(Rule);
template <std::size_t... Rule>
constexpr std::array<const types_by_operands*, sizeof...(Rule)> each_rule(std::index_sequence<Rule...>) {
  return {&strong_types_of<Rule>...};
}
constexpr auto strong_types =
    each_rule(std::make_index_sequence<static_cast<std::size_t>(type_rule::select) + 1>());

operation_types types_of(type_rule rule, std::span<const graph_value> operands) {
  const operand_type first = operands.front().type, second = operands.size() == 1 ? first : operands[1].type;
  if (operands.size() > 2) return apply_rule(rule, first, second, operands[2].type);
  if (first.weak || second.weak) return apply_rule(rule, first, second);
  return (*strong_types[static_cast<std::size_t>(rule)])[static_cast<std::size_t>(first.type)]
                                                        [static_cast<std::size_t>(second.type)];
}

/// Sums and products of half types accumulate in float32. Strict arithmetic rounds every operation to its own
/// type; a sum is one operation, so the graph states that it is rounded once, at its end.
bool is_rounded_once(operation op, const operation_types& types, arithmetic_mode mode) {
  return mode == arithmetic_mode::strict && facts_of(op).rule == type_rule::accumulated &&
         is_storage_only(types.compute.type);
}

}  // namespace

// The numbers only identify graphs: no text, hash or result depends on them.
graph_builder::graph_builder() : graph_(*new graph()) {}
graph_builder::~graph_builder() { delete &graph_; }

std::uint32_t graph_builder::fresh_number() {
  static std::atomic<std::uint32_t> last{0};
  std::uint32_t number = 0;
  while (number == 0) number = last.fetch_add(1, std::memory_order_relaxed) + 1;
  return number;
}

void graph_builder::restart(arithmetic_mode mode) {
  if (mode > arithmetic_mode::fast)
    throw type_error("there is no arithmetic mode " + std::to_string(static_cast<unsigned>(mode)));
  graph_.clear();
  graph_.mode = mode;
  number_ = fresh_number();
  numbers_.clear();
}

inline bool graph_builder::has(const graph_value& value) const {
  if (value.graph != number_ || value.id >= graph_.nodes.size()) return false;
  const node& at = graph_.nodes[value.id];
  return at.type == value.type.type && at.rank == value.rank;
}

// Fields are written in place: copying a node just after its fields were written fails store-to-load
// forwarding, a stall that is longer than the rest of the call. For the same reason apply() copies its
// operands only if one is converted.
inline graph_value graph_builder::append(operation op, operand_type type, unsigned rank,
                                         std::span<const graph_value> operands, std::uint64_t payload,
                                         const std::source_location& where) {
  const auto id = static_cast<node_id>(graph_.nodes.size());
  node& added = graph_.nodes.emplace_back();
  added.op = op;
  added.type = type.type;
  added.rank = static_cast<std::uint8_t>(rank);
  added.arity = static_cast<std::uint8_t>(operands.size());
  for (std::size_t i = 0; i < operands.size(); ++i) added.inputs[i] = operands[i].id;
  added.payload = payload;
  graph_.locations.push_back(where);
  return {id, type, static_cast<std::uint8_t>(rank), number_};
}

bool graph_builder::owns(const graph_value& value) const { return has(value); }

graph_value graph_builder::append_node(operation op, operand_type type, unsigned rank,
                                       std::span<const graph_value> operands, std::uint64_t payload,
                                       const std::source_location& where) {
  return append(op, type, rank, operands, payload, where);
}

graph_value graph_builder::input(element_type type, unsigned rank, bool weak) {
  check_type(type, "an input");
  if (rank > max_rank)
    throw shape_error("an input of rank " + std::to_string(rank) + ": arrays have at most rank " +
                      std::to_string(max_rank));
  graph_.inputs.push_back({type, static_cast<std::uint8_t>(rank)});
  return append(operation::input, {type, weak}, rank, {}, graph_.inputs.size() - 1, {});
}

graph_value graph_builder::parameter(element_type type, bool weak) {
  check_type(type, "a parameter");
  if (is_complex(type)) throw_complex_scalar("parameter", type);
  if (!numbers_.empty())
    throw type_error(
        "a parameter comes after a number(), whose place in calls it would take: declare parameters first");
  graph_.parameters.push_back(type);
  return append(operation::parameter, {type, weak}, 0, {}, graph_.parameters.size() - 1, {});
}

graph_value graph_builder::number(operand_type type, std::uint64_t bits) {
  check_type(type.type, "a number");
  graph_.parameters.push_back(type.type);
  const graph_value made =
      append(operation::parameter, {type.type, type.weak}, 0, {}, graph_.parameters.size() - 1, {});
  numbers_.push_back(canonical_bits(type.type, bits));
  return made;
}

graph_value graph_builder::literal(element_type type, std::uint64_t bits, bool weak) {
  check_type(type, "a literal");
  if (is_complex(type)) throw_complex_scalar("literal", type);
  return append(operation::literal, {type, weak}, 0, {}, canonical_bits(type, bits), {});
}

graph_value graph_builder::cast(graph_value operand, element_type type, const std::source_location& where) {
  if (!has(operand)) throw_no_value(graph_, operation::cast, operand, where);
  check_type(type, "a conversion");
  const element_type from = operand.type.type;
  if (from == type) return {operand.id, {type}, operand.rank, number_};
  if (is_complex(from) && !is_complex(type) && !is_boolean(type))
    throw type_error("cast of " + describe_operand(graph_, operand) + " to " +
                     std::string(facts_of(type).name) + describe(where) +
                     ": a complex number has two parts: take real(x) or imag(x)");
  if (operand.type.weak) {
    const node source = graph_.nodes[operand.id];
    const bool limited = is_integer(from) && is_integer(type);
    if (source.op == operation::literal && !is_complex(type)) {
      if (limited && !fits(from, source.payload, type)) throw_does_not_fit(from, source.payload, type, where);
      return literal(type, convert_bits(from, source.payload, type));
    }
    if (source.op == operation::parameter && limited) {
      add_limit(graph_.parameter_limits, source.payload, type);
    } else if (moves_one_source(source.op) && limited) {
      // converts the number before it is moved, so that its range is checked
      const node viewed = graph_.nodes[source.inputs[0]];
      const graph_value made =
          cast({source.inputs[0], {viewed.type, true}, viewed.rank, number_}, type, where);
      const graph_value moved =
          append(source.op, {type}, operand.rank, std::span(&made, 1), source.payload, where);
      node& added = graph_.nodes[moved.id];
      added.arity = source.arity;
      std::copy(source.inputs.begin() + 1, source.inputs.end(), added.inputs.begin() + 1);
      return moved;
    } else if (limited) {
      add_limit(graph_.derived_limits, operand.id, type);
    }
  }
  return append(operation::cast, {type}, operand.rank, std::span(&operand, 1), 0, where);
}

graph_value graph_builder::apply(operation op, std::span<const graph_value> operands,
                                 const std::source_location& where) {
  if (!is_operation(op)) throw_no_operation(op, where);
  const operation_facts& row = facts_of(op);
  if (is_structural(op) || is_reduction(op) || is_scan(op) || operands.size() != row.arity)
    throw_misuse(graph_, op, operands, where);
  for (const graph_value& operand : operands)
    if (!has(operand)) throw_misuse(graph_, op, operands, where);
  const operation_types types = types_of(row.rule, operands);
  if (!types.valid) throw_refused(graph_, op, operands, where);
  if (unrestricted(row.rule) == type_rule::comparison) {
    for (const graph_value& operand : operands)
      if (operand.id >= graph_.nodes.size()) throw_misuse(graph_, op, operands, where);
    const operand_type a = operands[0].type, b = operands[1].type;
    if (is_integer(a.type) && is_integer(b.type) && a.type != b.type) {
      if (a.weak != b.weak) return compare_weak(op, operands[0], operands[1], where);
      if (is_floating(types.compute.type) || (a.weak && kind_of(a.type) != kind_of(b.type)))
        return compare_mixed(op, operands[0], operands[1], where);
    }
  }

  if (op == operation::power && is_integer(types.compute.type)) refuse_negative_exponent(operands, where);

  const auto wanted = [&](std::size_t i) {
    return row.rule == type_rule::select && i == 0 ? element_type::boolean : types.compute.type;
  };
  bool as_they_are = true;
  unsigned rank = 0;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    as_they_are = as_they_are && operands[i].type.type == wanted(i);
    rank = std::max<unsigned>(rank, operands[i].rank);
  }
  const operand_type result = settled_elements(types.result, rank);
  if (as_they_are) return append(op, result, rank, operands, 0, where);
  std::array<graph_value, 3> converted;
  for (std::size_t i = 0; i < operands.size(); ++i) converted[i] = cast(operands[i], wanted(i), where);
  return append(op, result, rank, std::span(converted).first(operands.size()), 0, where);
}

// As NumPy: an integer has no negative integer power. A literal exponent is refused here, one that is a
// run-time scalar or computed from scalars when the function is called.
void graph_builder::refuse_negative_exponent(std::span<const graph_value> operands,
                                             const std::source_location& where) {
  node_id id = operands[1].id;
  while (moves_one_source(graph_.nodes[id].op)) id = graph_.nodes[id].inputs[0];
  const node& exponent = graph_.nodes[id];
  if (kind_of(exponent.type) != element_kind::signed_integer || exponent.rank != 0) return;
  if (exponent.op == operation::parameter)
    add_limit(graph_.parameter_limits, exponent.payload, element_type::uint64);
  else if (exponent.op != operation::literal)
    add_limit(graph_.derived_limits, id, element_type::uint64);
  else if (!fits(exponent.type, exponent.payload, element_type::uint64))
    throw type_error(describe_call(graph_, operation::power, operands, where) +
                     describe_negative_exponent(exponent.type, exponent.payload));
}

/// The operand with a strong type.
graph_value graph_builder::strong(graph_value operand, const std::source_location& where) {
  return operand.type.weak ? cast(operand, settled(operand.type).type, where) : operand;
}

graph_value graph_builder::view(graph_value operand, std::span<const view_item> items,
                                const std::source_location& where) {
  if (!has(operand)) throw_no_value(graph_, operation::view, operand, where);
  const auto [rank, fault] = check_view(items, operand.rank, graph_.parameters);
  if (!fault.empty()) throw_view(graph_, operand, items, where, fault);
  graph_.views.push_back(
      {static_cast<std::uint32_t>(graph_.view_items.size()), static_cast<std::uint32_t>(items.size())});
  graph_.view_items.insert(graph_.view_items.end(), items.begin(), items.end());
  return append(operation::view, operand.type, rank, std::span(&operand, 1), graph_.views.size() - 1, where);
}

graph_value graph_builder::reduce(operation op, graph_value operand, std::uint32_t axes, bool keepdims,
                                  const std::source_location& where) {
  if (!is_operation(op)) throw_no_operation(op, where);
  if (!has(operand)) throw_no_value(graph_, op, operand, where);
  if (!is_reduction(op) || has_body(op)) throw_combines_no_axis(graph_, op, operand, false, where);
  if (operand.rank < 32 && axes >> operand.rank != 0)
    throw_axis(graph_, op, operand, static_cast<unsigned>(std::bit_width(axes)) - 1, where);
  operand = strong(operand, where);
  const operation_types types = types_of(facts_of(op).rule, std::span(&operand, 1));
  if (!types.valid) throw_refused(graph_, op, std::span(&operand, 1), where);
  if (is_rounded_once(op, types, graph_.mode) && axes != 0)
    return cast(reduce(op, cast(operand, element_type::float32, where), axes, keepdims, where),
                types.result.type, where);
  const graph_value elements = cast(operand, types.compute.type, where);
  if (axes == 0) {
    if (starts_at_zero(op, elements.type.type))  // so that the sum of one -0 is 0, as of several
      return apply(operation::add,
                   {elements, cast(literal(component_of(elements.type.type), 0), elements.type.type, where)},
                   where);
    if (!finds_position(op)) return elements;
    const graph_value zero = literal(types.result.type, 0);
    if (operand.rank != 0) return apply(operation::multiply, {coordinate(elements, 0, where), zero}, where);
    // of the element itself, so that a call is refused for what it is computed from
    return apply(operation::where,
                 {literal(element_type::boolean, 1), zero, cast(elements, types.result.type, where)}, where);
  }
  const graph_value made = append(op, types.result, operand.rank, std::span(&elements, 1), axes, where);
  return keepdims ? made : without_axes(made, axes, where);
}

graph_value graph_builder::without_axes(graph_value kept, std::uint32_t axes,
                                        const std::source_location& where) {
  std::array<view_item, max_rank> items{};
  for (unsigned axis = 0; axis < kept.rank; ++axis)
    if ((axes >> axis & 1) != 0) {
      items[axis].what = view_item::kind::index;
      items[axis].start = literal_bound(0);
    }
  return view(kept, std::span(items).first(kept.rank), where);
}

graph_value graph_builder::scan(operation op, graph_value operand, unsigned axis,
                                const std::source_location& where) {
  if (!is_operation(op)) throw_no_operation(op, where);
  if (!has(operand)) throw_no_value(graph_, op, operand, where);
  if (!is_scan(op) || has_body(op)) throw_combines_no_axis(graph_, op, operand, true, where);
  if (axis >= operand.rank) throw_axis(graph_, op, operand, axis, where);
  operand = strong(operand, where);
  const operation_types types = types_of(facts_of(op).rule, std::span(&operand, 1));
  if (!types.valid) throw_refused(graph_, op, std::span(&operand, 1), where);
  if (is_rounded_once(op, types, graph_.mode))
    return cast(scan(op, cast(operand, element_type::float32, where), axis, where), types.result.type, where);
  const graph_value elements = cast(operand, types.compute.type, where);
  return append(op, types.result, operand.rank, std::span(&elements, 1), axis, where);
}

graph_value graph_builder::coordinate(graph_value operand, unsigned axis, const std::source_location& where) {
  if (!has(operand)) throw_no_value(graph_, operation::coordinate, operand, where);
  const bool is_row_major = axis == operand.rank && axis > 1;
  if (axis >= operand.rank && !is_row_major) throw_axis(graph_, operation::coordinate, operand, axis, where);
  return append(operation::coordinate, {element_type::int64}, operand.rank, std::span(&operand, 1), axis,
                where);
}

graph_value graph_builder::extent(graph_value operand, unsigned axis, const std::source_location& where) {
  if (!has(operand)) throw_no_value(graph_, operation::extent, operand, where);
  if (axis >= operand.rank) throw_axis(graph_, operation::extent, operand, axis, where);
  return append(operation::extent, {element_type::int64}, 0, std::span(&operand, 1), axis, where);
}

graph_value graph_builder::call(const external_function& called, std::span<const graph_value> operands,
                                const std::source_location& where) {
  if (operands.size() != called.arity) throw_external(graph_, called, operands, where, operands.size());
  std::array<graph_value, max_external_arguments> converted;
  unsigned rank = 0;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const operand_type wanted{called.arguments[i]};
    if (!has(operands[i]) || promote(operands[i].type, wanted).type != wanted.type)
      throw_external(graph_, called, operands, where, i);
    converted[i] = cast(operands[i], wanted.type, where);
    rank = std::max<unsigned>(rank, operands[i].rank);
  }
  auto& externals = graph_.externals;
  for (const external_function* known : externals)
    if (known != &called && known->name == called.name)
      throw type_error("two different external functions of one kernel are called '" + called.name + "'" +
                       describe(where) + ": give them different names");
  auto at = std::find(externals.begin(), externals.end(), &called);
  if (at == externals.end()) at = externals.insert(at, &called);
  return append(operation::external, {called.result}, rank, std::span(converted).first(operands.size()),
                static_cast<std::uint64_t>(at - externals.begin()), where);
}

void graph_builder::output(graph_value result) {
  if (!has(result))
    throw type_error("an output is not a value of this graph" + describe(graph_.defined_at) +
                     ": it is empty, or was made by another graph_builder or before a restart()");
  graph_.outputs.push_back(strong(result, graph_.defined_at).id);
}

}  // namespace sinter::inline v0
