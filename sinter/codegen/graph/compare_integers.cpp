// Comparisons of integers that no common type holds: graph_builder makes them of several operations, as NumPy
// compares such numbers exactly.

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/types/scalar.hpp>

namespace sinter::inline v0 {
namespace {

/// Least or greatest element of an integer type.
std::uint64_t end_of_range(element_type type, bool greatest) {
  const unsigned bits = 8 * static_cast<unsigned>(size_of(type));
  const bool has_sign = kind_of(type) == element_kind::signed_integer;
  const std::uint64_t all = ~std::uint64_t{0} >> (64 - bits), sign = std::uint64_t{1} << (bits - 1);
  if (has_sign) return greatest ? all ^ sign : sign;
  return greatest ? all : 0;
}

/// Comparison seen from the other side: a < b is b > a.
operation mirrored(operation op) {
  switch (op) {
    case operation::less:
      return operation::greater;
    case operation::less_equal:
      return operation::greater_equal;
    case operation::greater:
      return operation::less;
    case operation::greater_equal:
      return operation::less_equal;
    default:
      return op;
  }
}

}  // namespace

// No integer type holds both int64 and uint64. NumPy compares them exactly all the same; so: decide by the
// sign of the signed one, then compare as unsigned.
graph_value graph_builder::compare_mixed(operation op, graph_value a, graph_value b,
                                         const std::source_location& where) {
  if (kind_of(a.type.type) != element_kind::signed_integer) return compare_mixed(mirrored(op), b, a, where);
  a = strong(a, where);
  b = strong(b, where);
  const graph_value zero = literal(a.type.type, 0);
  const graph_value same = apply(op, {cast(a, element_type::uint64, where), b}, where);
  const bool holds_if_negative =
      op == operation::less || op == operation::less_equal || op == operation::not_equal;
  return holds_if_negative
             ? apply(operation::logical_or, {apply(operation::less, {a, zero}, where), same}, where)
             : apply(operation::logical_and, {apply(operation::greater_equal, {a, zero}, where), same},
                     where);
}

// A number that x's type may not hold: NumPy compares it exactly all the same. So: hold it between the ends
// of that type's range, compare in the type, and put right what an end in place of the number gets wrong.
graph_value graph_builder::compare_weak(operation op, graph_value x, graph_value number,
                                        const std::source_location& where) {
  if (x.type.weak) return compare_weak(mirrored(op), number, x, where);
  const element_type type = x.type.type, own = number.type.type;
  const node source = graph_.nodes[number.id];
  if (source.op == operation::literal) {
    if (fits(own, source.payload, type)) return apply(op, {x, cast(number, type, where)}, where);
    const bool above =
        kind_of(own) == element_kind::unsigned_integer || integer_of(own, source.payload) >> 63 == 0;
    const bool holds =
        op == operation::not_equal || (above ? op == operation::less || op == operation::less_equal
                                             : op == operation::greater || op == operation::greater_equal);
    // what holds for every element, or for none, in the shape of x
    const operation always = above ? operation::less_equal : operation::greater_equal,
                    never = above ? operation::greater : operation::less;
    return apply(holds ? always : never, {x, literal(type, end_of_range(type, above))}, where);
  }
  number.type.weak = false;
  // an end that the number's own type does not hold, or has too, needs no test
  const auto end = [&](bool greatest) { return convert_bits(type, end_of_range(type, greatest), own); };
  const auto is_tested = [&](bool greatest) {
    return fits(type, end_of_range(type, greatest), own) && end(greatest) != end_of_range(own, greatest);
  };
  const bool low = is_tested(false), high = is_tested(true);
  graph_value held = number;
  if (low) held = apply(operation::maximum, {held, literal(own, end(false))}, where);
  if (high) held = apply(operation::minimum, {held, literal(own, end(true))}, where);
  const graph_value compared = apply(op, {x, cast(held, type, where)}, where);
  switch (op) {
    case operation::less:
      if (!high) return compared;
      return apply(operation::logical_or,
                   {compared, apply(operation::greater, {number, literal(own, end(true))}, where)}, where);
    case operation::less_equal:
      if (!low) return compared;
      return apply(operation::logical_and,
                   {compared, apply(operation::greater_equal, {number, literal(own, end(false))}, where)},
                   where);
    case operation::greater:
      if (!low) return compared;
      return apply(operation::logical_or,
                   {compared, apply(operation::less, {number, literal(own, end(false))}, where)}, where);
    case operation::greater_equal:
      if (!high) return compared;
      return apply(operation::logical_and,
                   {compared, apply(operation::less_equal, {number, literal(own, end(true))}, where)}, where);
    default:
      if (!low && !high) return compared;
      return apply(op == operation::equal ? operation::logical_and : operation::logical_or,
                   {compared, apply(op, {number, held}, where)}, where);
  }
}

}  // namespace sinter::inline v0
