#include <sinter/dsl/c/tensors.hpp>
#include <sinter/dsl/foreign/dlpack_fields.hpp>
#include <sinter/runtime/error.hpp>

#include <string>

namespace sinter::inline v0::c {
namespace {

std::uint8_t dlpack_code(element_type type) {
  if (type == element_type::bfloat16) return 4;
  switch (kind_of(type)) {
    case element_kind::signed_integer:
      return 0;
    case element_kind::unsigned_integer:
      return 1;
    case element_kind::floating:
      return 2;
    case element_kind::complex:
      return 5;
    default:
      return 6;
  }
}

}  // namespace

device device_of(const sinter_device& where) {
  if (where.device_type == sinter_cpu) return device::cpu();
  if (where.device_type != sinter_cuda)
    throw device_error("there is no device of type " + std::to_string(where.device_type) +
                       ": sinter_cpu is 1, sinter_cuda is 2");
  if (where.device_id < 0 || where.device_id > INT16_MAX)
    throw device_error("there is no CUDA device " + std::to_string(where.device_id));
  return device::cuda(where.device_id);
}

any_view view_of(const sinter_tensor& tensor) {
  return detail::borrow_dlpack({.data = tensor.data,
                                .device_type = tensor.device.device_type,
                                .device_id = tensor.device.device_id,
                                .rank = tensor.ndim,
                                .code = tensor.dtype.code,
                                .bits = tensor.dtype.bits,
                                .lanes = tensor.dtype.lanes,
                                .shape = tensor.shape,
                                .strides = tensor.strides,
                                .byte_offset = tensor.byte_offset});
}

sinter_tensor tensor_of(const any_array& elements) {
  sinter_tensor tensor{};
  tensor.data = elements.data();
  tensor.device = elements.device().is_cuda() ? sinter_device{sinter_cuda, elements.device().index()}
                                              : sinter_device{sinter_cpu, 0};
  tensor.ndim = static_cast<std::int32_t>(elements.rank());
  tensor.dtype = {dlpack_code(elements.type()), static_cast<std::uint8_t>(8 * size_of(elements.type())), 1};
  // DLPack's lists are not const; whoever borrows them reads.
  tensor.shape = const_cast<std::int64_t*>(elements.shape().data());
  tensor.strides = const_cast<std::int64_t*>(elements.strides().data());
  return tensor;
}

}  // namespace sinter::inline v0::c
