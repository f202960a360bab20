#pragma once
// DLPack tensors as foreign tensors: any struct with the members of DLTensor, DLManagedTensor or
// DLManagedTensorVersioned, or a pointer to one, whichever header declared it. This header includes none of
// them. Include it before the first use of such a struct with Sinter.
//
//     void normalise(DLManagedTensor* tensor) {
//       dispatch<float, double>(tensor, [&]<class T>() { scale(as_view<T, 2>(tensor)); });
//     }
//
// A struct or a pointer to one is borrowed: nothing is copied, allocated or waited for, and the deleter is
// never called. The tensor must outlive the work that uses its elements. Work that its producer queued on
// another stream must be ordered before that (event::wait_on).
//
// from_dlpack(managed) takes a tensor over, and to_dlpack<Managed>(array) gives one away.
//
// - Pinned host memory (kDLCUDAHost) is memory of the CPU: Sinter does not wait for what a GPU writes there.
// - Managed memory (kDLCUDAManaged) is memory of CUDA device `device_id`, which runs the calls on it.
// - Of a versioned tensor any minor version is read, as those only add flags and codes; another major version
//   is refused before any other field is read.

#include <sinter/dsl/foreign/dlpack_fields.hpp>
#include <sinter/dsl/foreign/dlpack_ownership.hpp>
#include <sinter/sinter.hpp>

namespace sinter::inline v0 {

namespace detail {

template <class T>
concept dl_tensor = std::is_class_v<T> && requires(const T& tensor) {
  static_cast<void*>(tensor.data);
  static_cast<int>(tensor.device.device_type);
  static_cast<int>(tensor.device.device_id);
  static_cast<int>(tensor.ndim);
  static_cast<unsigned>(tensor.dtype.code);
  static_cast<unsigned>(tensor.dtype.bits);
  static_cast<unsigned>(tensor.dtype.lanes);
  static_cast<const std::int64_t*>(tensor.shape);
  static_cast<const std::int64_t*>(tensor.strides);
  static_cast<std::uint64_t>(tensor.byte_offset);
};
template <class T>
concept managed_dl_tensor = std::is_class_v<T> && requires(const T& managed) {
  requires dl_tensor<std::remove_cvref_t<decltype(managed.dl_tensor)>>;
  managed.manager_ctx;
  managed.deleter;
};
template <class T>
concept versioned_dl_tensor = managed_dl_tensor<T> && requires(const T& managed) {
  static_cast<std::uint32_t>(managed.version.major);
  static_cast<std::uint32_t>(managed.version.minor);
  static_cast<std::uint64_t>(managed.flags);
};
template <class T>
concept dlpack_tensor = dl_tensor<T> || managed_dl_tensor<T>;

/// DLPACK_FLAG_BITMASK_READ_ONLY.
inline constexpr std::uint64_t dlpack_read_only = 1;

template <dl_tensor T>
dlpack_fields dlpack_fields_of(const T& tensor) {
  return {.data = static_cast<void*>(tensor.data),
          .device_type = static_cast<int>(tensor.device.device_type),
          .device_id = static_cast<int>(tensor.device.device_id),
          .rank = static_cast<int>(tensor.ndim),
          .code = static_cast<unsigned>(tensor.dtype.code),
          .bits = static_cast<unsigned>(tensor.dtype.bits),
          .lanes = static_cast<unsigned>(tensor.dtype.lanes),
          .shape = tensor.shape,
          .strides = tensor.strides,
          .byte_offset = static_cast<std::uint64_t>(tensor.byte_offset)};
}

}  // namespace detail

template <detail::dlpack_tensor T>
struct foreign_tensor<T> {
  static any_view as_any_view(const T& tensor) {
    if constexpr (detail::dl_tensor<T>) {
      return detail::borrow_dlpack(detail::dlpack_fields_of(tensor));
    } else {
      bool read_only = false;
      if constexpr (detail::versioned_dl_tensor<T>) {
        detail::check_dlpack_version(static_cast<std::uint32_t>(tensor.version.major),
                                     static_cast<std::uint32_t>(tensor.version.minor));
        read_only = (static_cast<std::uint64_t>(tensor.flags) & detail::dlpack_read_only) != 0;
      }
      detail::dlpack_fields fields = detail::dlpack_fields_of(tensor.dl_tensor);
      fields.read_only = read_only;
      return detail::borrow_dlpack(fields);
    }
  }
};
template <class T>
  requires detail::dlpack_tensor<std::remove_const_t<T>>
struct foreign_tensor<T*> {
  static any_view as_any_view(T* const& tensor) {
    if (tensor == nullptr) detail::throw_null_dlpack();
    return foreign_tensor<std::remove_const_t<T>>::as_any_view(*tensor);
  }
};

/// Takes over a DLManagedTensor or DLManagedTensorVersioned, also where it throws: the array owns it. Its
/// deleter is called once, after the work that uses the elements: on a GPU by a later call of Sinter or a
/// synchronize(), from the thread that makes it; on the CPU when the array goes. Never from a stream's
/// callback. Of a tensor of another major version only the deleter is called, and type_error thrown. The
/// producer has ordered its work, as DLPack's protocol asks.
template <detail::managed_dl_tensor Managed>
any_array from_dlpack(Managed* managed) {
  if (managed == nullptr) detail::throw_null_dlpack();
  const auto release = [](void* owner) noexcept {
    auto* const tensor = static_cast<Managed*>(owner);
    if (tensor->deleter != nullptr) tensor->deleter(tensor);
  };
  any_view elements;
  try {
    elements = foreign_tensor<Managed>::as_any_view(*managed);
  } catch (...) {
    release(managed);
    throw;
  }
  return detail::adopt_foreign(elements, managed, release);
}

/// Gives an array away as a tensor on the heap, of which the deleter frees the array. The consumer's stream,
/// if given, waits for the work that uses the elements, and the memory goes back after the work on it; it
/// must exist until forget() or the deleter's call. Without a stream that order is the consumer's. A
/// versioned tensor says version 1.0, the fields that are written, and whether it is read only; an
/// unversioned tensor of read-only elements is refused with type_error. Throws what hand-over throws, and
/// then leaves the array as it was.
template <detail::managed_dl_tensor Managed>
Managed* to_dlpack(any_array&& elements, const stream* consumer = nullptr) {
  constexpr bool is_versioned = detail::versioned_dl_tensor<Managed>;
  if (!is_versioned && elements.view().read_only()) detail::throw_read_only_dlpack();
  auto* const whole = new detail::handed_out<Managed>;
  try {
    whole->consumer = runtime::hand_over(elements.view().record().get(), consumer);
  } catch (...) {
    delete whole;
    throw;
  }
  whole->owned = std::move(elements);
  detail::write_dlpack_fields(whole->managed.dl_tensor, detail::describe_for_dlpack(whole->owned.view()));
  whole->managed.manager_ctx = whole;
  whole->managed.deleter = &detail::handed_out<Managed>::destroy;
  if constexpr (is_versioned) {
    whole->managed.version.major = 1;
    whole->managed.version.minor = 0;
    whole->managed.flags = whole->owned.view().read_only() ? detail::dlpack_read_only : 0;
  }
  return &whole->managed;
}
template <detail::managed_dl_tensor Managed, class T, unsigned Rank>
Managed* to_dlpack(array<T, Rank>&& elements, const stream* consumer = nullptr) {
  any_array erased(std::move(elements));
  try {
    return to_dlpack<Managed>(std::move(erased), consumer);
  } catch (...) {
    elements = std::move(erased).template to<T, Rank>();
    throw;
  }
}

}  // namespace sinter::inline v0
