#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/scalars/integer_overflow.hpp>
#include <sinter/codegen/scalars/scalar_operations.hpp>
#include <sinter/codegen/simplify/identities.hpp>
#include <sinter/codegen/types/scalar.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace sinter::inline v0 {
namespace {

using maybe_node = std::optional<node_id>;

bool is_literal(const graph_algebra& algebra, node_id id) { return algebra.at(id).op == operation::literal; }

// ---- constants ----

/// Whether folding gives the bits that both targets give. Integers: always. Floating: only operations that
/// IEEE arithmetic defines exactly, not functions with an error of some units in the last place.
bool folds(operation op, element_type compute) {
  if (!is_inexact(compute)) return true;
  switch (op) {
    case operation::add:
    case operation::subtract:
    case operation::multiply:
    case operation::true_divide:
    case operation::reciprocal:
    case operation::square:
    case operation::sqrt:
    case operation::fmod:
    case operation::negative:
    case operation::absolute:
    case operation::sign:
    case operation::heaviside:
    case operation::maximum:
    case operation::minimum:
    case operation::fmax:
    case operation::fmin:
    case operation::clip:
    case operation::isfinite:
    case operation::isinf:
    case operation::isnan:
    case operation::signbit:
    case operation::copysign:
    case operation::rint:
    case operation::round:
    case operation::floor:
    case operation::ceil:
    case operation::trunc:
      return true;
    default:
      return unrestricted(facts_of(op).rule) == type_rule::comparison;
  }
}

maybe_node fold_constants(graph_algebra& algebra, const node& entry) {
  if (entry.arity == 0 || entry.rank != 0 || is_complex(entry.type)) return {};  // literals are real
  std::array<reference_value, 3> operands;
  for (unsigned i = 0; i < entry.arity; ++i) {
    const node& operand = algebra.at(entry.inputs[i]);
    if (operand.op != operation::literal) return {};
    operands[i] = load_reference(operand.type, operand.payload);
  }
  const element_type compute = algebra.at(entry.inputs[entry.arity - 1u]).type;
  if (entry.op == operation::cast)
    return algebra.literal(entry.type,
                           store_reference(entry.type, cast_reference(compute, operands[0], entry.type)));
  if (is_structural(entry.op) || !folds(entry.op, compute)) return {};
  const auto taken = std::span<const reference_value>(operands).first(entry.arity);
  if (wraps_around(entry.op, compute, taken)) return {};  // refused as the size of a part
  reference_value result = evaluate(entry.op, compute, reference_precision::native, taken);
  // The sign of a NaN from arithmetic differs between machines: folds to the NaN with a clear sign bit.
  if (is_floating(entry.type) && std::isnan(result.real))
    result.real = std::numeric_limits<long double>::quiet_NaN();
  // A computed value of a half type is a float32 inside a kernel; a literal would round it.
  const bool inexact = is_storage_only(entry.type) && result.real != rounded(entry.type, result.real);
  if (inexact && !std::isnan(result.real)) return {};
  return algebra.literal(entry.type, store_reference(entry.type, result));
}

// ---- operations with a literal operand that give the other operand ----

enum class constant : std::uint8_t { zero, negative_zero, one, all_ones, infinity, negative_infinity };
enum class side : std::uint8_t { right, either };
enum class for_types : std::uint8_t { floating, whole, all };

struct neutral_element {
  operation op;
  constant value;
  side where;
  for_types types;
};
constexpr neutral_element neutral_elements[] = {
    {operation::add, constant::zero, side::either, for_types::whole},
    {operation::add, constant::negative_zero, side::either, for_types::floating},  // x + 0 turns -0 into 0
    {operation::subtract, constant::zero, side::right, for_types::all},
    {operation::multiply, constant::one, side::either, for_types::all},
    {operation::true_divide, constant::one, side::right, for_types::floating},
    {operation::floor_divide, constant::one, side::right, for_types::whole},
    {operation::trunc_divide, constant::one, side::right, for_types::whole},
    {operation::power, constant::one, side::right, for_types::all},
    {operation::maximum, constant::negative_infinity, side::either, for_types::floating},
    {operation::minimum, constant::infinity, side::either, for_types::floating},
    {operation::bitwise_and, constant::all_ones, side::either, for_types::whole},
    {operation::bitwise_or, constant::zero, side::either, for_types::whole},
    {operation::bitwise_xor, constant::zero, side::either, for_types::whole},
    {operation::left_shift, constant::zero, side::right, for_types::whole},
    {operation::right_shift, constant::zero, side::right, for_types::whole},
    {operation::logical_and, constant::one, side::either, for_types::whole},
    {operation::logical_or, constant::zero, side::either, for_types::whole},
    {operation::logical_xor, constant::zero, side::either, for_types::whole},
};

std::uint64_t bits_of(constant value, element_type type) {
  if (!is_floating(type)) {
    const std::uint64_t bits = value == constant::one        ? 1
                               : value == constant::all_ones ? ~std::uint64_t{0}
                                                             : 0;
    return canonical_bits(type, bits);
  }
  constexpr long double infinity = std::numeric_limits<long double>::infinity();
  constexpr long double values[] = {0.0L, -0.0L, 1.0L, 0.0L, infinity, -infinity};
  return real_bits(type, values[static_cast<std::size_t>(value)]);
}

bool is_constant(const graph_algebra& algebra, node_id id, constant value) {
  const node& entry = algebra.at(id);
  return entry.op == operation::literal && entry.payload == bits_of(value, entry.type);
}

maybe_node drop_neutral_element(graph_algebra& algebra, const node& entry) {
  if (entry.arity != 2) return {};
  const auto [a, b, unused] = entry.inputs;
  if (!is_literal(algebra, a) && !is_literal(algebra, b)) return {};
  const for_types kind = is_floating(algebra.at(b).type) ? for_types::floating : for_types::whole;
  for (const neutral_element& row : neutral_elements) {
    if (row.op != entry.op || (row.types != for_types::all && row.types != kind)) continue;
    if (is_constant(algebra, b, row.value)) return a;
    if (row.where == side::either && is_constant(algebra, a, row.value)) return b;
  }
  return {};
}

// ---- operations that undo or repeat themselves, or leave their type unchanged ----

maybe_node drop_repetition(graph_algebra& algebra, const node& entry) {
  switch (entry.op) {
    case operation::maximum:
    case operation::minimum:
    case operation::fmax:
    case operation::fmin:
    case operation::bitwise_and:
    case operation::bitwise_or:
    case operation::logical_and:
    case operation::logical_or:
      if (entry.inputs[0] == entry.inputs[1]) return entry.inputs[0];
      return {};
    case operation::negative:
    case operation::logical_not:
    case operation::bitwise_not: {
      const node& inner = algebra.at(entry.inputs[0]);
      if (inner.op == entry.op) return inner.inputs[0];
      return {};
    }
    case operation::sign:
      if (is_complex(entry.type)) return {};  // rounded again
      [[fallthrough]];
    case operation::absolute:
    case operation::rint:
    case operation::round:
    case operation::floor:
    case operation::ceil:
    case operation::trunc:
      if (algebra.at(entry.inputs[0]).op == entry.op) return entry.inputs[0];
      return {};
    default:
      return {};
  }
}

maybe_node drop_no_operation(graph_algebra& algebra, const node& entry) {
  const element_type type = entry.type;
  switch (entry.op) {
    case operation::positive:
      return entry.inputs[0];
    case operation::real:
    case operation::conj:
      if (is_complex(algebra.at(entry.inputs[0]).type)) return {};
      return entry.inputs[0];
    case operation::absolute:
      if (kind_of(type) == element_kind::unsigned_integer || is_boolean(type)) return entry.inputs[0];
      if (algebra.at(entry.inputs[0]).op == operation::negative)  // |-x| is |x|
        return algebra.apply(operation::absolute, type, {algebra.at(entry.inputs[0]).inputs[0]});
      return {};
    case operation::round:
    case operation::floor:
    case operation::ceil:
    case operation::trunc:
      if (!is_inexact(type)) return entry.inputs[0];
      return {};
    default:
      return {};
  }
}

// ---- choice ----

maybe_node simplify_where(graph_algebra& algebra, const node& entry) {
  if (entry.op != operation::where) return {};
  const auto [condition, yes, no] = entry.inputs;
  if (yes == no && algebra.covers(yes, condition)) return yes;
  if (algebra.at(condition).op == operation::logical_not)
    return algebra.apply(operation::where, entry.type, {algebra.at(condition).inputs[0], no, yes});
  if (is_boolean(entry.type) && is_literal(algebra, yes) && is_literal(algebra, no)) {
    const bool if_true = algebra.at(yes).payload != 0, if_false = algebra.at(no).payload != 0;
    if (if_true && !if_false) return condition;
    if (!if_true && if_false)
      return algebra.apply(operation::logical_not, element_type::boolean, {condition});
  }
  return {};
}

// ---- complex numbers ----

/// A part of a make_complex is one of its operands.
maybe_node take_part(graph_algebra& algebra, const node& entry) {
  if (entry.op != operation::real && entry.op != operation::imag) return {};
  const node& made = algebra.at(entry.inputs[0]);
  if (made.op != operation::make_complex) return {};
  const auto [real, imag, unused] = made.inputs;
  const node_id kept = entry.op == operation::real ? real : imag;
  return algebra.covers(kept, kept == real ? imag : real) ? maybe_node(kept) : maybe_node();
}

// ---- conversions ----

/// A conversion after a lossless one converts the original.
maybe_node simplify_cast(graph_algebra& algebra, const node& entry) {
  if (entry.op != operation::cast) return {};
  const node_id operand = entry.inputs[0];
  const node& outer = algebra.at(operand);
  if (outer.type == entry.type) return operand;
  if (outer.op != operation::cast) return {};
  const node_id original = outer.inputs[0];
  const element_type from = algebra.at(original).type, through = outer.type, to = entry.type;
  if (!holds_all(from, through)) return {};
  if (from == to) return algebra.is_element(original) ? maybe_node(original) : maybe_node();
  // Conversions from integers wrap, those from floating numbers saturate.
  const bool saturates = is_integer(from) && is_floating(through) && is_integer(to);
  if (saturates && !holds_all(from, to)) return {};
  return algebra.apply(operation::cast, to, {original});
}

// ---- shapes ----

maybe_node drop_whole_view(graph_algebra& algebra, const node& entry) {
  if (entry.op != operation::view) return {};
  const std::span<const view_item> items = algebra.items_of(entry);
  std::int64_t axis = 0;
  for (const view_item& item : items) {
    const bool whole = item.what == view_item::kind::slice
                           ? (item.start.absent() || item.start == literal_bound(0)) && item.stop.absent() &&
                                 (item.step.absent() || item.step == literal_bound(1))
                           : item.what == view_item::kind::permute && item.start == literal_bound(axis);
    if (!whole) return {};
    ++axis;
  }
  return entry.inputs[0];
}

/// Positions and extents depend on a shape only: takes the first node that has it.
maybe_node move_to_shape(graph_algebra& algebra, const node& entry) {
  if (entry.op != operation::coordinate && entry.op != operation::extent) return {};
  const node_id source = algebra.same_shape(entry.inputs[0]);
  if (source == entry.inputs[0]) return {};
  node moved = entry;
  moved.inputs[0] = source;
  return algebra.add(moved);
}

// ---- powers and quotients ----

bool is_number(const graph_algebra& algebra, node_id id, long double value) {
  const node& entry = algebra.at(id);
  if (entry.op != operation::literal) return false;
  const reference_value literal = load_reference(entry.type, entry.payload);
  return is_floating(entry.type) ? literal.real == value
                                 : integer_as_real(entry.type, literal.integer) == value;
}

maybe_node simplify_power(graph_algebra& algebra, const node& entry) {
  if (entry.op != operation::power) return {};
  const element_type type = entry.type;
  const node_id base = entry.inputs[0];
  // a complex exponent is a real literal that was converted
  const bool converted = is_complex(type) && algebra.at(entry.inputs[1]).op == operation::cast;
  const node_id exponent = converted ? algebra.at(entry.inputs[1]).inputs[0] : entry.inputs[1];
  if (!is_literal(algebra, exponent)) return {};
  if (is_number(algebra, exponent, 2)) return algebra.apply(operation::square, type, {base});
  if (is_number(algebra, exponent, -1)) return algebra.apply(operation::reciprocal, type, {base});
  // Two roundings instead of one: within the error bound of power, but not for strict arithmetic.
  if (is_number(algebra, exponent, 3) && (!is_inexact(type) || algebra.mode() != arithmetic_mode::strict))
    return algebra.apply(operation::multiply, type, {algebra.apply(operation::square, type, {base}), base});
  // power(-0, ½) is 0 and power(-inf, ½) is inf, where sqrt gives -0 and NaN.
  if (is_floating(type) && is_number(algebra, exponent, 0.5L)) {
    const node_id infinity = algebra.literal(type, bits_of(constant::infinity, type));
    const node_id least = algebra.literal(type, bits_of(constant::negative_infinity, type));
    const node_id zero = algebra.literal(type, 0);
    const node_id root =
        algebra.apply(operation::sqrt, type, {algebra.apply(operation::add, type, {base, zero})});
    return algebra.apply(
        operation::where, type,
        {algebra.apply(operation::equal, element_type::boolean, {base, least}), infinity, root});
  }
  return {};
}

/// x / 2^n is x * 2^-n if 2^-n is a normal number: one rounding of the same value.
maybe_node divide_by_power_of_two(graph_algebra& algebra, const node& entry) {
  if (entry.op != operation::true_divide || !is_literal(algebra, entry.inputs[1])) return {};
  const long double divisor = real_of(entry.type, algebra.at(entry.inputs[1]).payload);
  int exponent = 0;
  if (!std::isfinite(divisor) || divisor == 0 || std::frexp(std::fabs(divisor), &exponent) != 0.5L) return {};
  const long double factor = 1 / divisor;
  const long double min_normal = std::ldexp(1.0L, min_exponent(facts_of(entry.type).compute));
  if (std::fabs(factor) < min_normal || rounded(entry.type, factor) != factor) return {};
  return algebra.apply(operation::multiply, entry.type,
                       {entry.inputs[0], algebra.literal(entry.type, real_bits(entry.type, factor))});
}

constexpr identity all_identities[] = {
    fold_constants, drop_neutral_element, drop_repetition,     drop_no_operation, simplify_where,
    simplify_cast,  drop_whole_view,      move_to_shape,       simplify_power,    divide_by_power_of_two,
    take_part,      take_decided_extreme, take_decided_choice, fold_single_value,
};

}  // namespace

std::span<const identity> identities() { return all_identities; }

}  // namespace sinter::inline v0
