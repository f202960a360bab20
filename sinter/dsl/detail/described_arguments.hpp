#pragma once
// Arguments of prepare() that are descriptions of arrays, among those that are arrays.

#include <sinter/dsl/array_description.hpp>
#include <sinter/dsl/detail/argument.hpp>

#include <span>

namespace sinter::inline v0::detail {

/// For each array among the arguments of prepare(): the ranges of its extents; empty for real arrays.
template <class... Arguments>
struct gathered_ranges {
  std::span<const runtime::axis_range> of_operands[count_leaves<described_operand<Arguments>...>().arrays];
  explicit gathered_ranges(const Arguments&... arguments) {
    auto* next = of_operands;
    const auto add = [&next](const auto& argument) {
      if constexpr (is_described<decltype(argument)>)
        *next++ = argument.ranges();
      else
        next += count_leaves<decltype(argument)>().arrays;
    };
    (add(arguments), ...);
  }
};

template <class T>
decltype(auto) held_or_least(T& argument) {
  if constexpr (is_described<T>)
    return argument.least();
  else
    return held(argument);
}

}  // namespace sinter::inline v0::detail
