#include <sinter/codegen/nest/positions/derived_positions.hpp>
#include <sinter/codegen/nest/positions/split_axes.hpp>
#include <sinter/codegen/nest/reduction_phases.hpp>

#include <algorithm>
#include <bit>

namespace sinter::inline v0 {
namespace {

/// The kernels of nests with more axes decode the outer ones together.
constexpr unsigned max_split_rank = 8;

derived_position position_of(const nest& loop_nest, const access_term& term) {
  const access& number = loop_nest.accesses[term.position];
  derived_position made;
  made.start = number.offset;
  made.steps = number.strides;
  for (unsigned axis = 0; axis < loop_nest.rank; ++axis)
    if (number.strides[axis] != 0) made.axes |= 1u << axis;
  made.rule = term.rule;
  made.extent = term.extent;
  made.divisor = term.divisor;
  return made;
}

/// An axis that a term takes apart, and the elements of it that become the inner axis.
struct axis_to_split {
  unsigned axis = 0;
  std::int64_t inner = 0;
};

/// The number at which a rule begins a new quotient or turn; 0 if it has none.
std::int64_t turn_of(const access_term& term) {
  if (wraps(term.rule)) return term.extent;
  if (term.rule == position_rule::quotient) return term.divisor;
  if (term.rule == position_rule::digit) return term.divisor == 1 ? term.extent : term.divisor;
  return 0;
}

/// Whether the steps of the other axes stay between those of this one, or make whole turns.
bool is_digit_of(const nest& loop_nest, const derived_position& number, unsigned axis, std::int64_t turn) {
  std::int64_t below = 0;
  for (unsigned other = 0; other < loop_nest.rank; ++other) {
    const std::int64_t step = number.steps[other];
    if (other == axis || step == 0) continue;
    if (step < 0) return false;
    if (step < number.steps[axis])
      below += step * (loop_nest.extents[other] - 1);
    else if (step % turn != 0)
      return false;
  }
  return below < number.steps[axis];
}

std::optional<axis_to_split> axis_of(const nest& loop_nest, const access_term& term) {
  const derived_position number = position_of(loop_nest, term);
  const std::int64_t turn = turn_of(term);
  if (number.start != 0) return {};
  for (unsigned axis = 0; axis < loop_nest.rank; ++axis) {
    const std::int64_t step = number.steps[axis];
    if (step <= 0 || turn % step != 0 || (has_scans(loop_nest) && loop_nest.is_reduced(axis))) continue;
    const std::int64_t inner = turn / step;
    if (inner > 1 && loop_nest.extents[axis] > inner && loop_nest.extents[axis] % inner == 0 &&
        is_digit_of(loop_nest, number, axis, turn))
      return axis_to_split{axis, inner};
  }
  return {};
}

/// Axis `at.axis` becomes itself and the one behind it.
void split(nest& loop_nest, const axis_to_split& at) {
  const unsigned outer = at.axis + 1;
  const auto make_room = [&](std::uint32_t& bits) {
    const std::uint32_t below = (1u << outer) - 1, bit = bits >> at.axis & 1;
    bits = (bits & below) | bit << outer | (bits & ~below) << 1;
  };
  std::copy_backward(loop_nest.extents.begin() + outer, loop_nest.extents.begin() + loop_nest.rank,
                     loop_nest.extents.begin() + loop_nest.rank + 1);
  loop_nest.extents[outer] = loop_nest.extents[at.axis] / at.inner;
  loop_nest.extents[at.axis] = at.inner;
  for (access& each : loop_nest.accesses) {
    std::copy_backward(each.strides.begin() + outer, each.strides.begin() + loop_nest.rank,
                       each.strides.begin() + loop_nest.rank + 1);
    each.strides[outer] = each.strides[at.axis] * at.inner;
    make_room(each.strided);
  }
  make_room(loop_nest.reduced);
  ++loop_nest.rank;
}

/// Makes a term a part of its access' strides, if it is linear. Removes it then.
bool take_linear(nest& loop_nest, access& of, std::uint32_t number) {
  const access_term term = loop_nest.terms[number];
  const derived_position before = position_of(loop_nest, term);
  const auto sum = as_linear(before, std::span(loop_nest.extents).first(loop_nest.rank));
  if (!sum.has_value()) return false;
  const std::int64_t counted = keeps_positions(term.rule) ? 1 : 0;
  of.offset += term.stride * (sum->start - counted * before.start);
  for (unsigned axis = 0; axis < loop_nest.rank; ++axis)
    of.strides[axis] += term.stride * (sum->steps[axis] - counted * before.steps[axis]);
  loop_nest.terms.erase(loop_nest.terms.begin() + number);
  --of.term_count;
  for (access& other : loop_nest.accesses)
    if (other.first_term > of.first_term) --other.first_term;
  return true;
}

void take_linear_terms(nest& loop_nest) {
  for (access& of : loop_nest.accesses) {
    if (of.term_count == 0) continue;
    for (std::uint32_t left = of.term_count; left-- > 0;) take_linear(loop_nest, of, of.first_term + left);
    of.strided = 0;
    for (const access_term& term : terms_of(loop_nest, of)) of.strided |= position_of(loop_nest, term).axes;
  }
}

}  // namespace

void split_axes_of_terms(nest& loop_nest) {
  if (loop_nest.shape_generic || loop_nest.terms.empty()) return;
  while (loop_nest.rank < max_split_rank) {
    std::optional<axis_to_split> found;
    for (const access_term& term : loop_nest.terms)
      if (!found.has_value()) found = axis_of(loop_nest, term);
    if (!found.has_value()) return;
    split(loop_nest, *found);
    take_linear_terms(loop_nest);
  }
}

}  // namespace sinter::inline v0
