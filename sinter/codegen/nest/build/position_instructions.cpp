#include <sinter/codegen/nest/build/nest_accesses.hpp>
#include <sinter/codegen/nest/build/position_instructions.hpp>
#include <sinter/codegen/nest/nest_writer.hpp>

#include <algorithm>
#include <array>
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
    case position_rule::index:
      break;
  }
  return apply(operation::remainder, quotient(), out.constant(derived.extent));
}

}  // namespace

index_check checked_position(nest& to, std::uint32_t index, std::int64_t extent) {
  nest_writer out(to);
  index_check made;
  made.index = index;
  made.extent = out.constant(extent);
  const std::uint32_t zero = out.literal(integer, 0);
  const std::uint32_t is_negative = out.apply(operation::less, element_type::boolean, {index, zero});
  const std::uint32_t from_end = out.apply(operation::add, integer, {index, made.extent});
  made.counted = out.apply(operation::where, integer, {is_negative, from_end, index});
  const std::uint32_t last = out.constant(extent - 1);
  made.position = out.apply(operation::maximum, integer,
                            {out.apply(operation::minimum, integer, {made.counted, last}), zero});
  return made;
}

std::uint32_t position_writer::scaled(std::uint32_t number, std::int64_t by) {
  if (by == 1 && !to_.shape_generic) return number;
  nest_writer out(to_);
  return out.apply(operation::multiply, integer, {number, out.constant(by)});
}

std::uint32_t position_writer::position(const axis_map& map) {
  nest_writer out(to_);
  const derived_position* of = derived_.find(map);
  if (of != nullptr && of->is_index()) {
    const std::uint32_t made = scaled(position_of_index_(*of), map.step);
    if (map.start == 0 && !to_.shape_generic) return made;
    return out.apply(operation::add, integer, {made, out.constant(map.start)});
  }
  std::uint32_t made = out.coordinate(add_access(to_, mapped_position(derived_, map), derived_.axes_of(map)));
  if (of == nullptr) return made;
  if (of->rule.has_value()) made = append_rule(out, made, *of);
  made = scaled(made, map.step);
  if (map.start != 0 || to_.shape_generic)
    made = out.apply(operation::add, integer, {made, out.constant(map.start)});
  return made;
}

std::uint32_t position_writer::row_major(std::span<const axis_map> maps,
                                         std::span<const std::int64_t> extents) {
  std::array<std::int64_t, max_rank> strides;
  std::int64_t stride = 1;
  for (std::size_t axis = maps.size(); axis-- > 0; stride *= extents[axis]) strides[axis] = stride;
  return offset(maps, std::span(strides).first(maps.size()));
}

std::uint32_t position_writer::offset(std::span<const axis_map> maps, std::span<const std::int64_t> strides) {
  nest_writer out(to_);
  access sum;
  sum.what = access::kind::position;
  sum.type = element_type::int64;
  std::uint32_t axes = 0;
  std::vector<std::uint32_t> others;  // of axes with a rule or an index
  for (std::size_t axis = maps.size(); axis-- > 0;) {
    const std::int64_t stride = strides[axis];
    if (const auto linear = derived_.as_sum(maps[axis])) {
      sum.offset += stride * linear->start;
      for (std::size_t step = 0; step < max_rank; ++step) sum.strides[step] += stride * linear->steps[step];
      axes |= linear->axes;
    } else {
      others.push_back(scaled(position(maps[axis]), stride));
    }
  }
  // nothing but an index: no number stands beside it
  const bool is_zero = sum.offset == 0 && sum.strides == std::array<std::int64_t, max_rank>{};
  std::size_t next = 0;
  std::uint32_t made = is_zero && !to_.shape_generic && !others.empty()
                           ? others[next++]
                           : out.coordinate(add_access(to_, sum, axes));
  for (; next < others.size(); ++next) made = out.apply(operation::add, integer, {made, others[next]});
  return made;
}

}  // namespace sinter::inline v0
