// Identities that follow from the values that operands can have. A GPU's compiler cannot apply them where
// guards of integer minima (math/assembler_guards.hpp) hide operands from it.

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/simplify/identities.hpp>
#include <sinter/codegen/types/scalar.hpp>

#include <algorithm>

namespace sinter::inline v0 {
namespace {

using maybe_node = std::optional<node_id>;

/// The bits of a range of a single value; none if the type does not have the value (a computed half).
std::optional<std::uint64_t> single_value(element_type type, const std::optional<value_range>& range) {
  if (!range || !range->is_single()) return {};
  const long double value = range->min;
  if (is_floating(type))
    return rounded(type, value) == value ? std::optional(real_bits(type, value)) : std::nullopt;
  const std::uint64_t bits = value < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value))
                                       : static_cast<std::uint64_t>(value);
  return canonical_bits(type, bits);
}

bool is_elementwise(const node& entry) {
  if (entry.op == operation::cast) return true;
  return entry.arity != 0 && !is_structural(entry.op) && !is_reduction(entry.op) && !is_scan(entry.op);
}

/// clip(x, low, high) is min(x, high) where x is never less than low, and max(x, low) where neither is ever
/// more than high.
maybe_node clip_on_one_side(graph_algebra& algebra, const node& entry) {
  const auto [x, low, high] = entry.inputs;
  const auto &of_x = algebra.range(x), &of_low = algebra.range(low), &of_high = algebra.range(high);
  if (!of_x || !of_low) return {};
  if (of_x->min >= of_low->max && algebra.covers(x, low))
    return algebra.apply(operation::minimum, entry.type, {x, high});
  if (of_high && std::max(of_x->max, of_low->max) <= of_high->min && algebra.covers(x, high))
    return algebra.apply(operation::maximum, entry.type, {x, low});
  return {};
}

}  // namespace

maybe_node take_decided_extreme(graph_algebra& algebra, const node& entry) {
  if (entry.op == operation::clip) return clip_on_one_side(algebra, entry);
  const bool largest = entry.op == operation::maximum || entry.op == operation::fmax;
  if (!largest && entry.op != operation::minimum && entry.op != operation::fmin) return {};
  const auto [a, b, unused] = entry.inputs;
  const auto &of_a = algebra.range(a), &of_b = algebra.range(b);
  if (!of_a || !of_b) return {};
  const auto wins = [&](const value_range& one, const value_range& other) {
    return largest ? one.min >= other.max : one.max <= other.min;
  };
  if (wins(*of_a, *of_b) && algebra.covers(a, b)) return a;
  if (wins(*of_b, *of_a) && algebra.covers(b, a)) return b;
  return {};
}

maybe_node take_decided_choice(graph_algebra& algebra, const node& entry) {
  if (entry.op != operation::where) return {};
  const auto [condition, yes, no] = entry.inputs;
  const std::optional<value_range>& decided = algebra.range(condition);
  if (!decided || !decided->is_single()) return {};
  const node_id kept = decided->min != 0 ? yes : no, dropped = decided->min != 0 ? no : yes;
  if (algebra.covers(kept, condition) && algebra.covers(kept, dropped)) return kept;
  return {};
}

/// An operation whose result has one value is that value: a literal, or a choice between two equal literals
/// that has the result's shape and is refused in the same calls. Nests do not evaluate its condition.
maybe_node fold_single_value(graph_algebra& algebra, const node& entry) {
  if (!is_elementwise(entry)) return {};
  const std::optional<std::uint64_t> bits = single_value(entry.type, algebra.range(entry));
  if (!bits) return {};
  if (entry.rank == 0) {
    const node_id value = algebra.literal(entry.type, *bits);
    for (unsigned i = 0; i < entry.arity; ++i)
      if (!algebra.covers(value, entry.inputs[i])) return {};
    return value;
  }
  const std::optional<node_id> shape = algebra.same_shape(entry);
  if (!shape) return {};
  // the mask of a shape is not made of itself
  const bool is_mask = entry.op == operation::cast && is_boolean(entry.type) && entry.inputs[0] == *shape;
  if (is_mask) return {};
  const node_id value = algebra.literal(entry.type, *bits);
  const node_id mask = is_boolean(algebra.at(*shape).type)
                           ? *shape
                           : algebra.apply(operation::cast, element_type::boolean, {*shape});
  // what is folded already would be folded for ever
  const bool is_folded = entry.op == operation::where && entry.inputs[0] == mask &&
                         entry.inputs[1] == value && entry.inputs[2] == value;
  if (is_folded) return {};
  return algebra.apply(operation::where, entry.type, {mask, value, value});
}

}  // namespace sinter::inline v0
