#pragma once
// Eigen's dense objects as operands and targets of fused functions, and Sinter's arrays as Eigen's maps.
// Needs the headers of Eigen 3.3 or later. Include it before the first use of such an object with Sinter.
//
//     Eigen::MatrixXf points(100, 3), moved(100, 3);
//     const Eigen::Vector3f by(1, 2, 3);
//     add.into(moved)(points, by);
//
// Matrix, Array, Map, Ref, and the blocks, rows, columns, diagonals and transposes of these are operands as
// they lie in memory: nothing is copied. A vector (one row or one column, known while compiling) has rank 1,
// everything else rank 2, with the first axis along the rows. Strides follow from the storage order. Elements
// of a const object, or of a Map<const …>, can only be read. They lie on the CPU, and calls with them run
// there; they must outlive the expressions that refer to them.
//
// Eigen's own expressions (a + b, a.cast<float>()) have no elements in memory and are no operands: evaluate
// them first, or write the sum as a part of the fused function. Eigen::half and Eigen::bfloat16 are
// sinter::float16 and sinter::bfloat16.
//
// Threads: several threads may read an object; one that assigns to it has it alone.
// Throws: as_eigen() device_error for elements on a GPU and shape_error for negative strides; to_eigen() what
// copying to the host throws (dsl/array.hpp), std::bad_alloc of Eigen's.
// After a failure: no map or copy has been made, and elements are as they were.

#if !__has_include(<Eigen/Core>)
#error "sinter/eigen.hpp needs the headers of Eigen, and there are none on the include path"
#endif

#include <sinter/complex.hpp>
#include <sinter/sinter.hpp>

#include <Eigen/Core>

#include <cstdint>
#include <type_traits>
#include <utility>

namespace sinter::inline v0 {

namespace detail {

/// The type of Sinter's that has the bits of one of Eigen's scalars.
template <class Scalar>
struct eigen_element {
  using type = Scalar;
};
template <>
struct eigen_element<Eigen::half> {
  using type = float16;
};
#if EIGEN_VERSION_AT_LEAST(3, 3, 90)
template <>
struct eigen_element<Eigen::bfloat16> {
  using type = bfloat16;
};
#endif

/// The scalar of Eigen's that has the bits of one of Sinter's types: what Eigen's own functions take.
template <class T>
struct eigen_scalar {
  using type = T;
};
template <>
struct eigen_scalar<float16> {
  using type = Eigen::half;
};
#if EIGEN_VERSION_AT_LEAST(3, 3, 90)
template <>
struct eigen_scalar<bfloat16> {
  using type = Eigen::bfloat16;
};
#endif

/// Takes Eigen's dense objects. (A VectorBlock derives from the DenseBase of a Block.)
template <class Derived>
void take_dense(const Eigen::DenseBase<Derived>& object);

/// Eigen's dense objects whose elements lie in memory. innerStride() comes first: it tells them from
/// incomplete types and from values, whose data() is refused.
template <class T>
concept eigen_in_memory = std::is_class_v<T> && requires(const T& object) {
  object.innerStride();
  object.outerStride();
  detail::take_dense(object);
  requires(static_cast<unsigned>(T::Flags) & static_cast<unsigned>(Eigen::DirectAccessBit)) != 0;
  requires element<typename eigen_element<typename T::Scalar>::type>;
};

/// The view of an object whose data() is `data`.
template <class T, class Scalar>
auto view_of_eigen(const T& object, Scalar* data) {
  using plain = typename eigen_element<std::remove_const_t<Scalar>>::type;
  using seen = std::conditional_t<std::is_const_v<Scalar>, const plain, plain>;
  auto* const elements = reinterpret_cast<seen*>(data);
  const std::int64_t inner = object.innerStride(), outer = object.outerStride();
  if constexpr (T::IsVectorAtCompileTime != 0)
    return view<seen, 1>(elements, {object.size()}, {inner});
  else if constexpr (T::IsRowMajor != 0)
    return view<seen, 2>(elements, {object.rows(), object.cols()}, {outer, inner});
  else
    return view<seen, 2>(elements, {object.rows(), object.cols()}, {inner, outer});
}

/// What an array of this rank is in Eigen.
template <class T, unsigned Rank, class Scalar = typename eigen_scalar<std::remove_const_t<T>>::type>
using eigen_matrix =
    std::conditional_t<Rank == 1, Eigen::Matrix<Scalar, Eigen::Dynamic, 1>,
                       Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
template <class T, unsigned Rank>
using eigen_map = Eigen::Map<
    std::conditional_t<std::is_const_v<T>, const eigen_matrix<T, Rank>, eigen_matrix<T, Rank>>,
    Eigen::Unaligned,
    std::conditional_t<Rank == 1, Eigen::InnerStride<>, Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>>>;

[[noreturn]] inline void throw_not_for_eigen(bool is_cpu) {
  if (!is_cpu)
    throw device_error(
        "as_eigen: the elements are on a GPU, where Eigen cannot read them: say to_eigen(x) for a copy, or "
        "x.to(device::cpu())");
  throw shape_error("as_eigen: an Eigen::Map has no negative strides: say to_eigen(x) for a copy");
}

}  // namespace detail

template <detail::eigen_in_memory T>
struct foreign_tensor<T> {
  static auto as_view(T& object) { return detail::view_of_eigen(object, object.data()); }
  static auto as_view(const T& object) { return detail::view_of_eigen(object, object.data()); }
};

/// The elements of a view on the CPU as an Eigen::Map, which must not outlive them. Rank 1 is a column
/// vector; rank 2 a row-major matrix, with the view's strides; float16 and bfloat16 are Eigen's. Throws
/// device_error for elements on a GPU, and shape_error for negative strides.
template <class T, unsigned Rank>
  requires(Rank == 1 || Rank == 2)
[[nodiscard]] detail::eigen_map<T, Rank> as_eigen(const view<T, Rank>& elements) {
  const auto& extents = elements.shape();
  const auto& strides = elements.strides();
  bool reversed = false;
  for (unsigned axis = 0; axis != Rank; ++axis) reversed |= strides[axis] < 0;
  if (!elements.device().is_cpu() || reversed) detail::throw_not_for_eigen(elements.device().is_cpu());
  using plain = typename detail::eigen_scalar<std::remove_const_t<T>>::type;
  auto* const data =
      reinterpret_cast<std::conditional_t<std::is_const_v<T>, const plain, plain>*>(elements.data());
  if constexpr (Rank == 1)
    return {data, extents[0], Eigen::InnerStride<>(strides[0])};
  else
    return {data, extents[0], extents[1],
            Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>(strides[0], strides[1])};
}
/// The same of an array, which has a name.
template <class T, unsigned Rank>
  requires(Rank == 1 || Rank == 2)
[[nodiscard]] auto as_eigen(array<T, Rank>& elements) {
  return as_eigen(view<T, Rank>(elements));
}
template <class T, unsigned Rank>
  requires(Rank == 1 || Rank == 2)
[[nodiscard]] auto as_eigen(const array<T, Rank>& elements) {
  return as_eigen(view<const T, Rank>(elements));
}
template <class T, unsigned Rank>
void as_eigen(array<T, Rank>&& elements) = delete;

/// A copy of the elements in an Eigen object: in a dynamic column vector or row-major matrix, or in `Target`,
/// such as Eigen::Matrix3f, whose sizes Eigen asserts. Waits for the work that writes them.
template <class Target = void, class T, unsigned Rank>
  requires(Rank == 1 || Rank == 2)
[[nodiscard]] auto to_eigen(const array<T, Rank>& elements) {
  using made = std::conditional_t<std::is_void_v<Target>, detail::eigen_matrix<T, Rank>, Target>;
  const array<T, Rank> host = elements.to(device::cpu());
  return made(as_eigen(host));
}
template <class Target = void, class T, unsigned Rank>
  requires(Rank == 1 || Rank == 2)
[[nodiscard]] auto to_eigen(const view<T, Rank>& elements) {
  return to_eigen<Target>(elements.copy());
}

}  // namespace sinter::inline v0
