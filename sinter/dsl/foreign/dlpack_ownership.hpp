#pragma once
// DLPack tensors that change hands: from_dlpack takes one over, to_dlpack gives an array away. Part of
// sinter/dlpack.hpp, which has the rules.

#include <sinter/dsl/foreign/dlpack_fields.hpp>
#include <sinter/runtime/memory_order.hpp>

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

}  // namespace sinter::inline v0
