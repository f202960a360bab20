#include <sinter/codegen/nest/positions/derived_positions.hpp>

#include <algorithm>
#include <bit>

namespace sinter::inline v0 {
namespace {

/// The numbers that a sum makes in a space, first and last included.
struct reach {
  std::int64_t min = 0, max = 0;
  void add(std::int64_t step, std::int64_t extent) {
    const std::int64_t last = step * std::max<std::int64_t>(0, extent - 1);
    (last < 0 ? min : max) += last;
  }
};

reach reach_of(const derived_position& sum, std::span<const std::int64_t> extents) {
  reach made{sum.start, sum.start};
  for (std::size_t axis = 0; axis < extents.size(); ++axis) made.add(sum.steps[axis], extents[axis]);
  return made;
}

/// A sum divided by a divisor, where every step is a multiple of it or what remains of all of them is less
/// than it: then the quotient is a sum, too. Of a digit also without the multiples of its extent.
std::optional<derived_position> divided(const derived_position& at, std::span<const std::int64_t> extents) {
  const bool is_digit = at.rule == position_rule::digit;
  derived_position quotient;
  const auto take = [&](std::int64_t number) {
    const std::int64_t by = number / at.divisor;
    return is_digit ? by % at.extent : by;
  };
  if (at.start < 0) return {};
  quotient.start = take(at.start);
  reach rest{at.start % at.divisor, at.start % at.divisor};
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    if (at.steps[axis] < 0) return {};
    if (at.steps[axis] % at.divisor != 0) {
      rest.add(at.steps[axis], extents[axis]);
      continue;
    }
    quotient.steps[axis] = take(at.steps[axis]);
    if (quotient.steps[axis] != 0) quotient.axes |= 1u << axis;
  }
  if (rest.max >= at.divisor) return {};
  if (is_digit && reach_of(quotient, extents).max >= at.extent) return {};
  return quotient;
}

/// The rule for numbers of this reach, by which a part has elements.
position_rule rule_within(position_rule rule, std::int64_t extent, reach numbers) {
  const std::int64_t last = extent - 1;
  if (rule == position_rule::part) return position_rule::clip;  // a part without elements is not wanted
  if (rule == position_rule::wrap && numbers.min >= -extent && numbers.max < 2 * extent)
    return position_rule::wrap_near;
  if (rule == position_rule::reflect && numbers.min >= -last && numbers.max <= 2 * last)
    return position_rule::reflect_near;
  return rule;
}

/// Whether the second rule alone makes the same position. Numbers are clipped again to what lies within the
/// first range, as of arrays in a row of which one is several, or wrapped again by the same extent.
bool is_one_rule(const derived_position& inner, const axis_map& map, const derived_position& rule,
                 bool shape_generic) {
  const std::int64_t start = rule.start + map.start;
  if (shape_generic)  // in every call where nothing stands between the two parts
    return inner.rule == position_rule::part && rule.rule == position_rule::part && map.name == inner.name;
  if (clips(*inner.rule) && clips(*rule.rule)) return start <= 0 && inner.extent + start >= rule.extent;
  return wraps(*inner.rule) && wraps(*rule.rule) && inner.extent == rule.extent;
}

}  // namespace

std::optional<derived_position> as_linear(const derived_position& made,
                                          std::span<const std::int64_t> extents) {
  if (*made.rule == position_rule::index) return {};
  if (!keeps_positions(*made.rule)) return divided(made, extents);
  if (made.extent == 1) return derived_position{};
  const reach numbers = reach_of(made, extents);
  if (numbers.min < 0 || numbers.max >= made.extent) {
    derived_position rest = made;  // whole turns change nothing
    if (wraps(*made.rule)) {
      rest.rule = position_rule::digit;
      return divided(rest, extents);
    }
    return {};
  }
  derived_position sum = made;
  sum.rule.reset();
  return sum;
}

void derived_position::add(const derived_position& other, std::int64_t times) {
  start += times * other.start;
  for (std::size_t axis = 0; axis < max_rank; ++axis) steps[axis] += times * other.steps[axis];
  axes |= other.axes;
}

std::optional<derived_position> derived_positions::as_sum(const axis_map& map) const {
  derived_position made;
  made.name = map.name;
  if (const derived_position* derived = find(map)) {
    if (derived->rule.has_value() || derived->is_index()) return {};
    made.start = map.start;
    made.add(*derived, map.step);
    return made;
  }
  made.start = map.start;
  if (map.axis < 0) return made;
  made.steps[static_cast<std::size_t>(map.axis)] = map.step;
  made.axes = 1u << map.axis;
  return made;
}

axis_map derived_positions::map_of(derived_position made, std::span<const std::int64_t> extents,
                                   bool shape_generic) {
  if (made.rule.has_value() && !shape_generic) {
    if (const auto sum = as_linear(made, extents))
      made = *sum;
    else
      made.rule = rule_within(*made.rule, made.extent, reach_of(made, extents));
  }
  if (made.rule.has_value() || std::popcount(made.axes) > 1) return add(made);
  if (made.axes == 0) return {-1, made.start, 0, made.name};
  const auto axis = std::countr_zero(made.axes);
  return {axis, made.start, made.steps[static_cast<std::size_t>(axis)], made.name};
}

std::optional<axis_map> derived_positions::rule_on_rule(const axis_map& map, const derived_position& rule,
                                                        std::span<const std::int64_t> extents,
                                                        bool shape_generic) {
  const derived_position inner = *find(map);
  if (inner.is_index()) return {};
  if (map.step == 1 && is_one_rule(inner, map, rule, shape_generic)) {
    derived_position both = inner;
    both.start += rule.start + map.start;
    both.rule = rule.rule;
    both.extent = rule.extent;
    both.name = rule.name;
    return map_of(both, extents, shape_generic);
  }
  if (map.start != 0 || map.step != 1 || rule.start != 0) return {};
  const bool is_quotient = inner.rule == position_rule::quotient,
             is_digit = inner.rule == position_rule::digit;
  derived_position made = inner;
  made.name = rule.name;
  if (keeps_positions(*rule.rule)) {
    const bool is_inside = !shape_generic && !is_quotient && inner.extent <= rule.extent;
    return is_inside ? std::optional(add(made)) : std::nullopt;
  }
  if (!is_quotient && !is_digit) return {};
  made.divisor *= rule.divisor;
  made.rule = rule.rule;
  made.extent = rule.extent;
  if (is_quotient) return add(made);
  if (shape_generic || inner.extent % rule.divisor != 0) return {};
  const std::int64_t left = inner.extent / rule.divisor;
  made.rule = position_rule::digit;
  if (rule.rule == position_rule::quotient || rule.extent >= left)
    made.extent = left;
  else if (left % rule.extent != 0)
    return {};
  return add(made);
}

axis_map derived_positions::add(const derived_position& made) {
  const auto found = std::ranges::find(all_, made);
  const auto number = static_cast<std::int32_t>(found - all_.begin());
  if (found == all_.end()) all_.push_back(made);
  return {static_cast<std::int32_t>(max_rank) + number, 0, 1, made.name};
}

}  // namespace sinter::inline v0
