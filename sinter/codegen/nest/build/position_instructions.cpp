#include <sinter/codegen/nest/build/nest_accesses.hpp>
#include <sinter/codegen/nest/build/position_instructions.hpp>
#include <sinter/codegen/nest/nest_writer.hpp>

#include <algorithm>

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

}  // namespace sinter::inline v0
