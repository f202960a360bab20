#pragma once
// How Sinter takes the tensors of other libraries: the trait foreign_tensor<T>, or a function as_view(x) that
// argument-dependent lookup finds. Both borrow the elements: nothing is copied, allocated or waited for.
//
// Threads: what a specialisation does is its own; Sinter calls it on the thread that calls Sinter.
// Throws: what a specialisation throws, from the call that takes the tensor.
// After a failure: nothing has run, and no operand has changed.

#include <type_traits>

namespace sinter::inline v0 {

/// Makes a tensor type of another library an operand, without a change to that library. Specialise it after
/// including <sinter/sinter.hpp> and before the first use with T, which has no const and no reference. A
/// specialisation has one of
/// - `static view<E, R> as_view(T&)` (and `as_view(const T&)`), where T fixes element type and rank
/// - `static any_view as_any_view(const T&)`, where they are known at run time. T may then be a pointer. Such
///   a tensor enters by as_view<E, R>(x), dispatch<Types...>(x, f) or any_view(x).
///
/// A library whose own namespace may have a function `as_view(T&)` needs no specialisation. If there are
/// both, the specialisation is used.
template <class T>
struct foreign_tensor {};

namespace detail {

template <class T>
concept has_foreign_view = requires(T& tensor) { foreign_tensor<std::remove_const_t<T>>::as_view(tensor); };
/// Whether argument-dependent lookup finds as_view(x): so it does for Sinter's own arrays and views.
template <class T>
concept has_named_view = requires(T& tensor) { as_view(tensor); };
template <class T>
concept has_view = has_foreign_view<T> || has_named_view<T>;
/// Whether element type and rank of a tensor are known at run time only.
template <class T>
concept has_foreign_any_view =
    requires(const T& tensor) { foreign_tensor<std::remove_const_t<T>>::as_any_view(tensor); };

/// The view of an operand's elements, or a reference to the array or view that the operand is.
template <class T>
decltype(auto) borrow(T& tensor) {
  using plain = std::remove_const_t<T>;
  if constexpr (has_foreign_view<plain>)
    return foreign_tensor<plain>::as_view(tensor);
  else
    return as_view(tensor);
}

}  // namespace detail

}  // namespace sinter::inline v0
