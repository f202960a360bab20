#pragma once
// Thrust's vectors and ranges as operands and targets of fused functions, Sinter's arrays as ranges of
// Thrust's algorithms, and Sinter's streams as their execution policies. Needs the headers of CCCL 2 or
// later, and where Thrust's device system is CUDA, nvcc and the CUDA runtime. Include it before the first use
// of such a vector with Sinter.
//
//     thrust::device_vector<float> x(n), lengths(n);
//     const auto where = sinter::as_view(x.begin() + 10, x.end());          // a range, rank 1
//     f.on(order).into(lengths)(x);                                         // queued on the stream
//     thrust::sort(sinter::thrust_policy(order), lengths.begin(), lengths.end());   // and so is this
//
// device_vector, universal_vector and host_vector have rank 1 and lie where their memory does, as the driver
// says of the address. Nothing is copied or waited for, and they must outlive the work that uses their
// elements. They carry no record: among several streams, order is the caller's (event::wait_on). Where an
// algorithm of Thrust's uses an array of Sinter's, wait_for_use(x, order) before it and record_use(x, order)
// after it order it with calls on other streams.
//
// Threads: several threads may read a vector; one that writes or resizes it has it alone.
// Throws: device_error for addresses and streams that the device system does not know or reach, shape_error
// for a view that is not row-major.
// After a failure: no view, range or policy has been made, and elements are as they were.

#if !__has_include(<thrust/device_vector.h>)
#error "sinter/thrust.hpp needs the headers of Thrust, which CCCL has, and there are none on the include path"
#endif

#include <sinter/sinter.hpp>

#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/host_vector.h>
#include <thrust/type_traits/is_contiguous_iterator.h>

#include <cstdint>
#include <string>
#include <type_traits>

namespace sinter::inline v0 {

namespace detail {

/// Takes all of Thrust's vectors.
template <class T, class Allocator>
T vector_of_thrust(const thrust::detail::vector_base<T, Allocator>& elements);

template <class T>
concept thrust_vector = std::is_class_v<T> && requires(const T& elements) {
  requires element<decltype(detail::vector_of_thrust(elements))>;
};

/// Where the memory at an address is; nullptr stands for the current device.
inline device device_of_thrust([[maybe_unused]] const void* data) {
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
  int current = 0;
  if (data == nullptr) return cudaGetDevice(&current) == cudaSuccess ? device::cuda(current) : device::cpu();
  cudaPointerAttributes found{};
  if (const cudaError_t failed = cudaPointerGetAttributes(&found, data); failed != cudaSuccess)
    throw device_error(
        std::string("viewing a range of Thrust's: the CUDA runtime does not know its address: ") +
        cudaGetErrorString(failed));
  const bool on_gpu = found.type == cudaMemoryTypeDevice || found.type == cudaMemoryTypeManaged;
  return on_gpu ? device::cuda(found.device) : device::cpu();
#else
  return device::cpu();
#endif
}

template <class T>
view<T, 1> view_of_thrust(T* data, std::int64_t count) {
  return view<T, 1>(data, {count}, device_of_thrust(data));
}

/// Thrust's ranges have elements one after the other, where its device system can reach them.
template <class T, unsigned Rank>
void check_for_thrust(const view<T, Rank>& elements) {
  if (!is_row_major(elements.shape().data(), elements.strides().data(), Rank))
    throw shape_error(
        "thrust_begin: the view's elements do not lie one after the other in row-major order: say x.copy() "
        "for an array of them");
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
  if (elements.device().is_cpu())
    throw device_error(
        "thrust_begin: the elements are on the CPU, and Thrust's device system is CUDA: use x.data() with "
        "thrust::host, or x.to(device::cuda())");
#else
  if (!elements.device().is_cpu())
    throw device_error(
        "thrust_begin: the elements are on a GPU, and Thrust's device system runs on the CPU: compile with "
        "nvcc, or use x.to(device::cpu())");
#endif
}

}  // namespace detail

template <detail::thrust_vector T>
struct foreign_tensor<T> {
  static auto as_view(T& elements) {
    return detail::view_of_thrust(thrust::raw_pointer_cast(elements.data()),
                                  static_cast<std::int64_t>(elements.size()));
  }
  static auto as_view(const T& elements) {
    return detail::view_of_thrust(thrust::raw_pointer_cast(elements.data()),
                                  static_cast<std::int64_t>(elements.size()));
  }
};

/// Views a range of Thrust's: device_ptr, iterators of vectors, and others whose elements lie one after the
/// other.
template <class Iterator>
  requires thrust::is_contiguous_iterator_v<Iterator>
[[nodiscard]] auto as_view(Iterator first, Iterator last) {
  const auto count = static_cast<std::int64_t>(last - first);
  auto* const data = count == 0 ? nullptr : thrust::raw_pointer_cast(&*first);
  return detail::view_of_thrust(data, count);
}

/// The elements of an array, or of a row-major view, as a range: thrust_begin(x) to thrust_end(x), in
/// row-major order. Throws device_error for elements that Thrust's device system cannot reach, and
/// shape_error for a view with other strides.
template <class T, unsigned Rank>
[[nodiscard]] thrust::device_ptr<T> thrust_begin(const view<T, Rank>& elements) {
  detail::check_for_thrust(elements);
  return thrust::device_pointer_cast(elements.data());
}
template <class T, unsigned Rank>
[[nodiscard]] thrust::device_ptr<T> thrust_end(const view<T, Rank>& elements) {
  return thrust_begin(elements) + elements.size();
}
template <class T, unsigned Rank>
[[nodiscard]] thrust::device_ptr<T> thrust_begin(array<T, Rank>& elements) {
  return thrust_begin(view<T, Rank>(elements));
}
template <class T, unsigned Rank>
[[nodiscard]] thrust::device_ptr<T> thrust_end(array<T, Rank>& elements) {
  return thrust_end(view<T, Rank>(elements));
}
template <class T, unsigned Rank>
[[nodiscard]] thrust::device_ptr<const T> thrust_begin(const array<T, Rank>& elements) {
  return thrust_begin(view<const T, Rank>(elements));
}
template <class T, unsigned Rank>
[[nodiscard]] thrust::device_ptr<const T> thrust_end(const array<T, Rank>& elements) {
  return thrust_end(view<const T, Rank>(elements));
}
template <class T, unsigned Rank>
void thrust_begin(array<T, Rank>&& elements) = delete;
template <class T, unsigned Rank>
void thrust_end(array<T, Rank>&& elements) = delete;

/// The policy by which Thrust's algorithms run on this stream. On CUDA they wait on the host for nothing but
/// results that they return. Throws device_error for a stream on which Thrust's device system does not run.
[[nodiscard]] inline auto thrust_policy([[maybe_unused]] const stream& order) {
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
  if (order.where().is_cpu())
    throw device_error(
        "thrust_policy: the stream is the CPU's, and Thrust's device system is CUDA: use thrust::host");
  return thrust::cuda::par_nosync.on(static_cast<cudaStream_t>(order.native()));
#else
  if (!order.where().is_cpu())
    throw device_error(
        "thrust_policy: the stream is a GPU's, and Thrust's device system runs on the CPU: compile with "
        "nvcc");
  return thrust::device;
#endif
}

}  // namespace sinter::inline v0
