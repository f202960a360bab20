#pragma once
// Elements that a mask chooses, one after the other.

#include <sinter/dsl/composed/compose.hpp>
#include <sinter/dsl/scatters/record_scatter.hpp>

namespace sinter::inline v0 {

namespace detail {

struct count_of_chosen {
  template <class X, class Mask>
  auto operator()(const location&, const X&, const Mask& mask) const {
    return count_nonzero(mask);
  }
  template <class X>
  auto operator()(const location&, const X& x) const {
    return count_nonzero(x);
  }
};
struct chosen_elements {
  template <class X, class Mask>
  auto operator()(const location& at, const X& x, const Mask& mask) const {
    return make_part<settled(info_of<X>::type), 1>(at, {.what = composed_part::compress}, x, mask);
  }
};
struct chosen_positions {
  template <class X>
  auto operator()(const location& at, const X& x) const {
    return make_part<operand_type{element_type::int64}, 1>(at, {.what = composed_part::nonzero}, x);
  }
};

}  // namespace detail

/// The elements where a mask of the same shape holds, row-major, as NumPy's x[mask]: an array of as many
/// elements as x, in which zeros follow the chosen ones, and their number: int64, of rank 0.
///     auto [chosen, count] = compress(x, x > 0);
template <detail::sinter_operand X, detail::sinter_operand Mask>
auto compress(X&& x, Mask&& mask, std::source_location at = std::source_location::current()) {
  constexpr bool same = detail::info_of<X>::rank == detail::info_of<Mask>::rank;
  static_assert(same, "a mask has the shape of the array: broadcast it with broadcast_to");
  constexpr bool boolean = is_boolean(detail::info_of<Mask>::type.type);
  static_assert(boolean, "a mask is an array of booleans: a comparison, or astype<bool>(m)");
  if constexpr (same && boolean)
    return detail::compose<detail::chosen_elements, detail::count_of_chosen>(at, std::forward<X>(x),
                                                                             std::forward<Mask>(mask));
}

/// The positions of the elements that are not zero among all, row-major, as NumPy's flatnonzero: int64, as
/// many as x has elements, in which zeros follow the positions, and their number.
///     auto [positions, count] = nonzero(x);
template <detail::sinter_operand X>
auto nonzero(X&& x, std::source_location at = std::source_location::current()) {
  return detail::compose<detail::chosen_positions, detail::count_of_chosen>(at, std::forward<X>(x));
}

}  // namespace sinter::inline v0
