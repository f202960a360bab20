#include <sinter/codegen/nest/build/nest_accesses.hpp>
#include <sinter/codegen/nest/build/position_instructions.hpp>
#include <sinter/codegen/nest/nest_writer.hpp>

#include <algorithm>
#include <vector>

namespace sinter::inline v0 {
namespace {

constexpr element_type integer = element_type::int64;

std::uint32_t append_rule(nest_writer& out, std::uint32_t number, const derived_position& derived) {
  const auto apply = [&](operation op, std::uint32_t left, std::uint32_t right) {
    return out.apply(op, integer, {left, right});
  };
  const auto quotient = [&] { return apply(operation::floor_divide, number, out.constant(derived.divisor)); };
  switch (*derived.rule) {
    case position_rule::clip:
    case position_rule::part:
      return apply(operation::maximum, apply(operation::minimum, number, out.constant(derived.extent - 1)),
                   out.constant(0));
    case position_rule::wrap:
    case position_rule::wrap_near:
      return apply(operation::remainder, number, out.constant(derived.extent));
    case position_rule::reflect:
    case position_rule::reflect_near: {
      const std::uint32_t period = out.constant(std::max<std::int64_t>(1, 2 * (derived.extent - 1)));
      const std::uint32_t rest = apply(operation::remainder, number, period);
      return apply(operation::minimum, rest, apply(operation::subtract, period, rest));
    }
    case position_rule::quotient:
      return quotient();
    case position_rule::digit:
      break;
  }
  return apply(operation::remainder, quotient(), out.constant(derived.extent));
}

}  // namespace

std::uint32_t append_position(const derived_positions& derived, const axis_map& map, nest& to) {
  nest_writer out(to);
  std::uint32_t made = out.coordinate(add_access(to, mapped_position(derived, map), derived.axes_of(map)));
  const derived_position* of = derived.find(map);
  if (of == nullptr) return made;
  if (of->rule.has_value()) made = append_rule(out, made, *of);
  if (map.step != 1 || to.shape_generic)
    made = out.apply(operation::multiply, integer, {made, out.constant(map.step)});
  if (map.start != 0 || to.shape_generic)
    made = out.apply(operation::add, integer, {made, out.constant(map.start)});
  return made;
}

std::uint32_t append_row_major(const derived_positions& derived, std::span<const axis_map> maps,
                               std::span<const std::int64_t> extents, nest& to) {
  nest_writer out(to);
  access sum;
  sum.what = access::kind::position;
  sum.type = element_type::int64;
  std::uint32_t axes = 0;
  std::vector<std::uint32_t> others;  // of axes with rules
  std::int64_t stride = 1;
  for (std::size_t axis = maps.size(); axis-- > 0; stride *= extents[axis]) {
    if (const auto linear = derived.as_sum(maps[axis])) {
      sum.offset += stride * linear->start;
      for (std::size_t step = 0; step < max_rank; ++step) sum.strides[step] += stride * linear->steps[step];
      axes |= linear->axes;
    } else {
      others.push_back(out.apply(operation::multiply, integer,
                                 {append_position(derived, maps[axis], to), out.constant(stride)}));
    }
  }
  std::uint32_t made = out.coordinate(add_access(to, sum, axes));
  for (const std::uint32_t other : others) made = out.apply(operation::add, integer, {made, other});
  return made;
}

}  // namespace sinter::inline v0
