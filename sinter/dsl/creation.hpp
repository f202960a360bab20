#pragma once
// Functions that create arrays: empty, zeros, ones, full, arange, linspace. Those like another array are in
// composed/like.hpp, because values have them too.
//
// Threads: any thread may call these at any time.
// Throws: shape_error for a negative extent and a progression without end, type_error for a number that does
// not fit, out_of_memory, and what a call throws (dsl/fuse.hpp).
// After a failure: nothing has been made.

#include <sinter/codegen/base/export.hpp>
#include <sinter/dsl/array.hpp>
#include <sinter/dsl/constants.hpp>

namespace sinter::inline v0 {

namespace detail {

SINTER_API void fill(const runtime::operand& into, const scalar_source& element, const location& at);
/// Writes start + step * position, computed in int64 for integers and in float64 for floating elements.
SINTER_API void fill_progression(const runtime::operand& into, std::int64_t start, std::int64_t step);
SINTER_API void fill_progression(const runtime::operand& into, double start, double step);
/// The same; the last element is exactly `last`.
SINTER_API void fill_progression(const runtime::operand& into, double start, double step, double last);
/// Number of elements from start up to stop; throws shape_error for a step of 0.
SINTER_API std::int64_t progression_length(std::int64_t start, std::int64_t stop, std::int64_t step);
SINTER_API std::int64_t progression_length(double start, double stop, double step);

}  // namespace detail

/// Elements that are not initialised: `empty<float>({rows, 3})`, `empty<float>(n)`. Throws shape_error for a
/// negative extent, and out_of_memory.
template <element T, unsigned Rank>
array<T, Rank> empty(const shape<Rank>& extents, device where = device::current_default()) {
  return array<T, Rank>(extents, where);
}
template <element T, std::size_t Rank>
[[nodiscard]] auto empty(const detail::extent_item (&extents)[Rank],
                         device where = device::current_default()) {
  return empty<T>(detail::shape_of(extents), where);
}
template <element T, detail::integer Integer>
array<T, 1> empty(Integer extent, device where = device::current_default()) {
  return array<T, 1>(extent, where);
}

/// An array filled with one number. Throws type_error for an integer outside the range of T.
template <element T, unsigned Rank, class Number>
array<T, Rank> full(const shape<Rank>& extents, Number number, device where = device::current_default(),
                    std::source_location at = std::source_location::current()) {
  array<T, Rank> made(extents, where);
  detail::fill(made.erased(), detail::source_of(number), at);
  return made;
}
template <element T, std::size_t Rank, class Number>
[[nodiscard]] auto full(const detail::extent_item (&extents)[Rank], Number number,
                        device where = device::current_default(),
                        std::source_location at = std::source_location::current()) {
  return full<T>(detail::shape_of(extents), number, where, at);
}
template <element T, detail::integer Integer, class Number>
array<T, 1> full(Integer extent, Number number, device where = device::current_default(),
                 std::source_location at = std::source_location::current()) {
  return full<T>(shape<1>(extent), number, where, at);
}

#define SINTER_FILLED(name, number)                                                                \
  template <element T, unsigned Rank>                                                              \
  array<T, Rank> name(const shape<Rank>& extents, device where = device::current_default()) {      \
    return full<T>(extents, number, where);                                                        \
  }                                                                                                \
  template <element T, std::size_t Rank>                                                           \
  auto name(const detail::extent_item(&extents)[Rank], device where = device::current_default()) { \
    return full<T>(detail::shape_of(extents), number, where);                                      \
  }                                                                                                \
  template <element T, detail::integer Integer>                                                    \
  array<T, 1> name(Integer extent, device where = device::current_default()) {                     \
    return full<T>(shape<1>(extent), number, where);                                               \
  }
SINTER_FILLED(zeros, 0)
SINTER_FILLED(ones, 1)
#undef SINTER_FILLED

/// start, start + step, … before stop, as in NumPy. Throws shape_error for a step of 0.
template <element T, class Start, class Stop, class Step = int>
  requires(std::is_arithmetic_v<Start> && std::is_arithmetic_v<Stop> && std::is_arithmetic_v<Step>)
array<T, 1> arange(Start start, Stop stop, Step step = 1, device where = device::current_default()) {
  static_assert(!is_boolean(element_type_of<T>), "arange of booleans has no meaning");
  static_assert(!is_complex(element_type_of<T>), "arange makes real numbers: convert them with astype<T>(x)");
  using number = std::conditional_t<is_floating(element_type_of<T>), double, std::int64_t>;
  const auto first = static_cast<number>(start), increment = static_cast<number>(step);
  array<T, 1> made(shape<1>(detail::progression_length(first, static_cast<number>(stop), increment)), where);
  detail::fill_progression(made.erased(), first, increment);
  return made;
}
/// 0, 1, … before stop.
template <element T, class Stop>
  requires std::is_arithmetic_v<Stop>
array<T, 1> arange(Stop stop, device where = device::current_default()) {
  return arange<T>(0, stop, 1, where);
}

/// `count` numbers at equal distances, from start to stop inclusive.
template <element T, class Start, class Stop, detail::integer Count>
  requires(std::is_arithmetic_v<Start> && std::is_arithmetic_v<Stop>)
array<T, 1> linspace(Start start, Stop stop, Count count, device where = device::current_default()) {
  static_assert(is_floating(element_type_of<T>), "linspace makes floating numbers");
  array<T, 1> made(shape<1>(count), where);
  const auto first = static_cast<double>(start), last = static_cast<double>(stop);
  const double step = made.size() > 1 ? (last - first) / static_cast<double>(made.size() - 1) : 0;
  if (made.size() > 1)
    detail::fill_progression(made.erased(), first, step, last);
  else
    detail::fill_progression(made.erased(), first, step);
  return made;
}

}  // namespace sinter::inline v0
