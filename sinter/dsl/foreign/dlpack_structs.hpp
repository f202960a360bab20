#pragma once
// Which structs are DLPack tensors, and how they are borrowed. Part of sinter/dlpack.hpp, which has the
// rules.
//
// Threads: any thread may borrow a tensor; it is read during the call.
// Throws: type_error, shape_error or device_error for a tensor that Sinter cannot view.
// After a failure: no view has been made, and the tensor is as it was: its deleter has not been called.

#include <sinter/dsl/foreign/dlpack_fields.hpp>
#include <sinter/dsl/foreign/foreign_tensor.hpp>

#include <type_traits>

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

}  // namespace sinter::inline v0
