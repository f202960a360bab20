#pragma once
// From tensors whose element type and rank are known at run time to typed views.
//
// Threads: any thread may call these at any time.
// Throws: type_error or shape_error for another type or rank, and what viewing the tensor throws; dispatch()
// also what the function throws.
// After a failure: no view has been made; where no type fits, the function has not been called.

#include <sinter/codegen/base/export.hpp>
#include <sinter/dsl/any_array.hpp>

#include <cstddef>
#include <span>
#include <type_traits>

namespace sinter::inline v0 {

namespace detail {

/// Throws unless as_view<T, Rank> may view the elements: type_error or shape_error.
SINTER_API void check_as_view(const any_view& elements, element_type wanted, unsigned wanted_rank,
                              bool wanted_const);
[[noreturn]] SINTER_API void throw_undispatched(element_type type, std::span<const element_type> named);

template <class First, class... Rest, class Function>
decltype(auto) call_with_type(element_type type, std::span<const element_type> named, Function& function) {
  if (type == element_type_of<First>) return function.template operator()<First>();
  if constexpr (sizeof...(Rest) == 0)
    throw_undispatched(type, named);
  else
    return call_with_type<Rest...>(type, named, function);
}

template <class Function, class First, class... Rest>
constexpr bool results_agree() {
  using first = decltype(std::declval<Function&>().template operator()<First>());
  return (std::is_same_v<first, decltype(std::declval<Function&>().template operator()<Rest>())> && ...);
}

}  // namespace detail

/// What has elements of a type and rank that are known at run time: any_view, any_array, and foreign tensors
/// with foreign_tensor<T>::as_any_view. Typed arrays, views and foreign tensors are accepted, too.
template <class T>
concept any_tensor = std::is_convertible_v<T, any_view>;

/// Views the elements of a tensor of run-time type: `as_view<float, 2>(tensor)`. Throws type_error if the
/// element type is another one, or the tensor is read only and T is not const; shape_error if the rank is
/// another one.
template <element T, unsigned Rank, any_tensor Tensor>
view<T, Rank> as_view(Tensor&& tensor) {
  const any_view& elements = tensor;
  detail::check_as_view(elements, element_type_of<T>, Rank, std::is_const_v<T>);
  return elements.to<T, Rank>();
}

/// Calls `function.template operator()<T>()` with the first of `Types` that is the tensor's element type, and
/// returns what it returns, which has one type for all of them:
///
///     dispatch<float, double>(tensor, [&]<class T>() { normalise(as_view<T, 2>(tensor)); });
///
/// Throws type_error if the element type is none of `Types`.
template <element... Types, any_tensor Tensor, class Function>
  requires(sizeof...(Types) != 0)
decltype(auto) dispatch(const Tensor& tensor, Function&& function) {
  static_assert(detail::results_agree<Function, Types...>(),
                "dispatch: the function returns results of different types for different element types");
  static constexpr element_type named[] = {element_type_of<Types>...};
  const any_view& elements = tensor;
  return detail::call_with_type<Types...>(elements.type(), named, function);
}

}  // namespace sinter::inline v0
