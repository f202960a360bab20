#pragma once
// Arrays and values like another one: with its extents, element type and device, and elements of their own.
// NumPy's functions of these names.
//
// - Of an array or a view they are new arrays on its device, filled at once.
// - Of a value they are values of the function that is being recorded, and of an expression expressions:
//   what fuses with them stores none of it.
// - `zeros_like<double>(x)` has another element type. The elements of x are not read.
//
// Threads: any thread may call these, also on the same arrays; values are the thread's that records them.
// Throws: of arrays and views what creation.hpp throws: type_error, out_of_memory and what a call throws; of
// values error outside of their recording.
// After a failure: no array has been made, and x is as it was.

#include <sinter/dsl/composed/compose.hpp>
#include <sinter/dsl/creation.hpp>
#include <sinter/dsl/parts/parts.hpp>

namespace sinter::inline v0 {

namespace detail {

/// `T`, or for void the element type of X.
template <class T, class X>
using element_like = std::conditional_t<std::is_void_v<T>, evaluated_element<X>, T>;

template <class T>
struct filled_like {
  template <class X, class Number>
  auto operator()(const location& at, const X& x, const Number& number) const {
    return in_extents_of(x, convert<element_type_of<T>>(at, number),
                         std::make_index_sequence<info_of<X>::rank>());
  }

 private:
  template <class X, class Element, std::size_t... Axes>
  static auto in_extents_of([[maybe_unused]] const X& x, const Element& element,
                            std::index_sequence<Axes...>) {
    if constexpr (sizeof...(Axes) == 0)
      return element;
    else
      return broadcast_to(element, extent<static_cast<int>(Axes)>(x)...);
  }
};

template <class T, class X, class Number>
auto like(const location& at, X&& x, const Number& number) {
  using element = element_like<T, X>;
  if constexpr (kind_of_operand<X> == operand_kind::array) {
    auto&& elements = detail::borrow(x);
    return full<element>(elements.shape(), number, elements.device(), at);
  } else {
    return compose<filled_like<element>>(at, std::forward<X>(x), number);
  }
}

}  // namespace detail

/// An array like x whose elements are not initialised. Throws out_of_memory.
template <class T = void, detail::sinter_operand X>
  requires(detail::kind_of_operand<X> == detail::operand_kind::array)
[[nodiscard]] auto empty_like(const X& x) {
  auto&& elements = detail::borrow(x);
  return empty<detail::element_like<T, X>>(elements.shape(), elements.device());
}
/// Like x, filled with one number. Throws type_error for an integer outside the range of the elements' type.
template <class T = void, detail::sinter_operand X, class Number>
  requires(detail::kind_of_operand<Number> == detail::operand_kind::scalar)
[[nodiscard]] auto full_like(X&& x, const Number& number,
                             std::source_location at = std::source_location::current()) {
  return detail::like<T>(at, std::forward<X>(x), number);
}
/// Like x, filled with 0.
template <class T = void, detail::sinter_operand X>
[[nodiscard]] auto zeros_like(X&& x, std::source_location at = std::source_location::current()) {
  return detail::like<T>(at, std::forward<X>(x), literal(0));
}
/// Like x, filled with 1.
template <class T = void, detail::sinter_operand X>
[[nodiscard]] auto ones_like(X&& x, std::source_location at = std::source_location::current()) {
  return detail::like<T>(at, std::forward<X>(x), literal(1));
}

}  // namespace sinter::inline v0
