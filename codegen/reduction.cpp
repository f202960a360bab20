#include <sinter/codegen/reduction.hpp>
#include <sinter/codegen/scalar.hpp>

#include <algorithm>
#include <limits>

namespace sinter {
namespace {

std::uint64_t integer_start(reduction_start start, element_type type) {
  const unsigned width = 8 * static_cast<unsigned>(size_of(type));
  const std::uint64_t ones = ~std::uint64_t{0} >> (64 - width), top = std::uint64_t{1} << (width - 1);
  const bool is_signed = kind_of(type) == element_kind::signed_integer;
  switch (start) {
    case reduction_start::one:
      return 1;
    case reduction_start::lowest:
      return is_signed ? top : 0;
    case reduction_start::highest:
      return canonical_bits(type, is_signed ? ones ^ top : ones);
    default:
      return 0;
  }
}

}  // namespace

std::uint64_t start_bits(operation op, element_type type) {
  const reduction_start start = facts(op).start;
  // integers have no NaN to ignore: fmax and fmin begin as max and min do
  const reduction_start extreme =
      facts(op).combine == operation::fmax ? reduction_start::lowest : reduction_start::highest;
  if (!is_floating(type))
    return integer_start(start == reduction_start::not_a_number ? extreme : start, type);
  constexpr long double infinity = std::numeric_limits<long double>::infinity();
  switch (start) {
    case reduction_start::one:
      return real_bits(type, 1);
    case reduction_start::negative_zero:
      return real_bits(type, -0.0L);
    case reduction_start::lowest:
      return real_bits(type, -infinity);
    case reduction_start::highest:
      return real_bits(type, infinity);
    case reduction_start::not_a_number:
      return real_bits(type, std::numeric_limits<long double>::quiet_NaN());
    default:
      return real_bits(type, 0);
  }
}

bool has_scans(const nest& body) {
  return std::any_of(body.body.begin(), body.body.end(),
                     [](const instruction& at) { return is_scan(at.op); });
}

bool walks_reduced_axes(const nest& body, const access& at) {
  for (unsigned axis = 0; axis < body.rank; ++axis)
    if (body.is_reduced(axis) && at.moves_along(axis)) return true;
  return false;
}

/// An instruction is evaluated as soon as what it needs is there; a reduction's value is there a phase later.
void assign_phases(nest& bound) {
  bound.phases = 1;
  for (instruction& at : bound.body) {
    at.phase = 0;
    at.per_element = bound.reduced == 0;
    if (at.op == operation::input || at.op == operation::coordinate)
      at.per_element |= walks_reduced_axes(bound, bound.accesses[at.payload]);
    for (unsigned a = 0; a < at.arity; ++a) {
      const instruction& argument = bound.body[at.arguments[a]];
      const bool reduced = is_reduction(argument.op);
      at.phase =
          std::max<std::uint16_t>(at.phase, static_cast<std::uint16_t>(argument.phase + (reduced ? 1 : 0)));
      at.per_element |= argument.per_element && !reduced;
    }
    if (is_reduction(at.op)) at.per_element = false;
    if (is_scan(at.op)) at.per_element = true;
  }
  for (const instruction& at : bound.body)
    if (is_reduction(at.op)) bound.phases = std::max<unsigned>(bound.phases, at.phase + 1u);
  for (const store& at : bound.stores) {
    const instruction& value = bound.body[at.value];
    if (value.per_element || walks_reduced_axes(bound, bound.accesses[at.target]))
      bound.phases = std::max<unsigned>(bound.phases, phase_of_store(bound, at) + 1u);
  }
}

}  // namespace sinter
