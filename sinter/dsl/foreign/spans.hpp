#pragma once
// std::span and types with the members of std::mdspan as operands, and strides that are counted in bytes.
//
// Threads: any thread may call these at any time.
// Throws: shape_error for a mapping without strides and for strides that are no whole number of elements; and
// what making a view throws.
// After a failure: no view has been made.

#include <sinter/codegen/base/export.hpp>
#include <sinter/dsl/view.hpp>

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

namespace sinter::inline v0 {

namespace detail {

template <class T>
using mdspan_element =
    std::remove_pointer_t<std::remove_cvref_t<decltype(std::declval<const T&>().data_handle())>>;

/// An mdspan may compute its elements (std::linalg::scaled gives factors times elements): only those that
/// give references to what lies in memory are views.
template <class T>
constexpr bool refers_to_memory() {
  if constexpr (requires { typename T::reference; })
    return std::is_same_v<typename T::reference, mdspan_element<T>&>;
  else
    return true;
}

/// Has the members of std::mdspan that describe strided elements in memory, whoever declared it. A type with
/// an as_view(x) of its own keeps to that.
template <class T>
concept mdspan_like = std::is_class_v<T> && !has_named_view<T> && requires(const T& tensor) {
  requires std::is_pointer_v<std::remove_cvref_t<decltype(tensor.data_handle())>>;
  requires element<mdspan_element<T>>;
  requires T::rank() <= 32;
  tensor.extents();
  tensor.mapping();
} && (T::rank() == 0 || requires(const T& tensor) {
                        extent_from(tensor.extents().extent(0));
                        extent_from(tensor.mapping().stride(0));
                      }) && refers_to_memory<T>();

/// Converts strides from bytes to elements. Throws shape_error for a stride that is no multiple of the
/// element's size, except along axes whose stride is never used: `extents`, if not null, has an extent of 1
/// there, or a 0.
SINTER_API void to_element_strides(element_type type, const std::int64_t* bytes, const std::int64_t* extents,
                                   unsigned rank, std::int64_t* strides);
[[noreturn]] SINTER_API void throw_not_strided();

}  // namespace detail

/// A span is an operand of rank 1, on the CPU.
template <element T, std::size_t Extent>
struct foreign_tensor<std::span<T, Extent>> {
  static view<T, 1> as_view(const std::span<T, Extent>& elements) {
    return view<T, 1>(elements.data(), {elements.size()});
  }
};

/// An mdspan is an operand of its rank, on the CPU. Throws shape_error if its mapping has no strides.
template <detail::mdspan_like T>
struct foreign_tensor<T> {
  using value = detail::mdspan_element<T>;
  static constexpr auto rank = static_cast<unsigned>(T::rank());

  static view<value, rank> as_view(const T& tensor) {
    if constexpr (requires { tensor.mapping().is_strided(); })
      if (!tensor.mapping().is_strided()) detail::throw_not_strided();
    shape<rank> extents, strides;
    if constexpr (rank != 0) {
      for (unsigned axis = 0; axis != rank; ++axis) {
        extents[axis] = detail::extent_from(tensor.extents().extent(axis));
        strides[axis] = detail::extent_from(tensor.mapping().stride(axis));
      }
    }
    return view<value, rank>(tensor.data_handle(), extents, strides);
  }
};

namespace detail {
template <class T>
inline constexpr bool is_span = mdspan_like<T>;
template <class T, std::size_t Extent>
inline constexpr bool is_span<std::span<T, Extent>> = true;
}  // namespace detail

/// Views the elements of a span or mdspan that lie on another device than the CPU.
template <class Span>
  requires detail::is_span<Span>
[[nodiscard]] auto as_view(const Span& elements, device where) {
  const auto on_cpu = foreign_tensor<Span>::as_view(elements);
  return decltype(foreign_tensor<Span>::as_view(elements))(on_cpu.data(), on_cpu.shape(), on_cpu.strides(),
                                                           where);
}

/// Strides in elements from strides in bytes, outermost axis first: `view<float, 2>(data, {rows, 3},
/// byte_strides<float>(pitch, 4))`. Throws shape_error for a stride that is no multiple of the element's
/// size.
template <element T, detail::integer... Integers>
  requires(sizeof...(Integers) != 0)
shape<sizeof...(Integers)> byte_strides(Integers... bytes) {
  constexpr unsigned rank = sizeof...(Integers);
  const shape<rank> given(bytes...);
  shape<rank> strides;
  detail::to_element_strides(element_type_of<T>, given.data(), nullptr, rank, strides.data());
  return strides;
}

}  // namespace sinter::inline v0
