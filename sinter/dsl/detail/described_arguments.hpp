#pragma once
// Arguments of prepare(), explain() and their like that are descriptions of arrays, among those that are
// arrays.

#include <sinter/dsl/array_description.hpp>
#include <sinter/dsl/detail/argument.hpp>

#include <span>

namespace sinter::inline v0::detail {

/// For each array among the arguments: the ranges of its extents; empty for real arrays. One more, so that
/// there is one.
template <class... Arguments>
struct gathered_ranges {
  std::span<const runtime::axis_range>
      of_operands[count_leaves<described_operand<Arguments>...>().arrays + 1];
  explicit gathered_ranges(const Arguments&... arguments) {
    static_assert(
        !(is_described<Arguments> || ...) || count_leaves<described_operand<Arguments>...>().lazies == 0,
        "descriptions stand beside arrays, views and numbers, not beside expressions");
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
