#pragma once
// DLPack tensors that change hands: from_dlpack takes one over, to_dlpack gives an array away. Part of
// sinter/dlpack.hpp, which has the rules.
//
// Threads: any thread may call these; a deleter is called by any thread.
// Throws: from_dlpack type_error, shape_error or device_error; to_dlpack type_error for read-only elements
// and device_error where the consumer's stream cannot wait.
// After a failure: from_dlpack has called the deleter; to_dlpack leaves the array to its owner, as it was.

#include <sinter/dsl/foreign/dlpack_structs.hpp>
#include <sinter/runtime/memory_order.hpp>
#include <sinter/runtime/stream.hpp>

#include <type_traits>
#include <utility>

namespace sinter::inline v0 {

namespace detail {

/// The fields of a DLTensor on these elements; shape and strides are the view's.
SINTER_API dlpack_fields describe_for_dlpack(const any_view& elements);

/// The array that takes over the memory of `elements`; `release` is called with `owner` in any case.
SINTER_API any_array adopt_foreign(const any_view& elements, void* owner,
                                   void (*release)(void* owner) noexcept);

/// A tensor to hand out, and the array that it owns.
template <class Managed>
struct handed_out {
  Managed managed{};
  any_array owned;
  std::uint64_t consumer = 0;

  static void destroy(Managed* managed) noexcept {
    auto* const whole = static_cast<handed_out*>(managed->manager_ctx);
    runtime::take_back(whole->owned.view().record().get(), whole->consumer);
    delete whole;
  }
};

template <class Tensor>
void write_dlpack_fields(Tensor& to, const dlpack_fields& from) {
  to.data = from.data;
  to.device.device_type = static_cast<decltype(to.device.device_type)>(from.device_type);
  to.device.device_id = static_cast<decltype(to.device.device_id)>(from.device_id);
  to.ndim = from.rank;
  to.dtype.code = static_cast<decltype(to.dtype.code)>(from.code);
  to.dtype.bits = static_cast<decltype(to.dtype.bits)>(from.bits);
  to.dtype.lanes = static_cast<decltype(to.dtype.lanes)>(from.lanes);
  to.shape = const_cast<std::int64_t*>(from.shape);
  to.strides = const_cast<std::int64_t*>(from.strides);
  to.byte_offset = from.byte_offset;
}

}  // namespace detail

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
