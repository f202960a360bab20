#pragma once
// PyTorch's tensors as operands and targets of fused functions, through PyTorch's stable ABI
// (torch::stable::Tensor): an extension that is built once runs with later versions of PyTorch. Needs
// PyTorch's headers of version 2.9 or later; functions that need a later one say which.
//
// For tensors on a GPU link libtorch_cuda, with -Wl,--no-as-needed before it: torch_stream asks it for
// PyTorch's stream by a weak symbol, for which linkers keep no library. A TORCH_TARGET_VERSION of 2.13 or
// later needs none of this.
//
//     Tensor scaled(const Tensor& x, double factor) {
//       Tensor result = torch::stable::empty_like(x);
//       sinter::dispatch<float, double>(x, [&]<class T>() {
//         scale.on(sinter::torch_stream(x)).into(sinter::as_view<T, 2>(result))(sinter::as_view<const T,
//         2>(x), factor);
//       });
//       return result;
//     }
//
// Element type and rank of a tensor are known at run time: it enters by as_view<T, Rank>(x),
// dispatch<Types…>(x, f) or any_view(x), which borrow its elements, and must outlive the work that uses them.
// Call functions on torch_stream(x), PyTorch's current stream: then calls and PyTorch's own kernels run in
// the order in which they are made, and memory of PyTorch's may be freed at once. Autograd does not see the
// calls: register a backward formula in Python (torch.library.register_autograd).
//
// A tensor of lazily conjugated or negated elements (x.conj() of a complex x) has the elements as they lie in
// memory, which the stable ABI cannot tell: say x.resolve_conj() in Python.
//
// Threads: any thread may call these; torch_stream() is the stream of the thread that asks.
// Throws: type_error, shape_error or device_error for a tensor that Sinter cannot view or PyTorch cannot
// hold, and std::runtime_error where PyTorch's functions fail.
// After a failure: no view or tensor has been made. to_torch() leaves an any_array as it was unless PyTorch
// refused it; typed arrays, and what PyTorch refused, are freed.

#if !__has_include(<torch/csrc/stable/tensor.h>)
#error "sinter/torch.hpp needs the headers of PyTorch 2.9 or later, and there are none on the include path"
#endif

#include <sinter/dlpack.hpp>
#include <sinter/dsl/foreign/dlpack_abi.hpp>
#include <sinter/sinter.hpp>

#include <torch/csrc/inductor/aoti_torch/c/shim.h>
#include <torch/csrc/stable/accelerator.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

// The check of the C interface's status, by the name that this PyTorch has for it.
#if defined(STABLE_TORCH_ERROR_CODE_CHECK)
#define SINTER_TORCH_CHECK(call) STABLE_TORCH_ERROR_CODE_CHECK(call)
#else
#define SINTER_TORCH_CHECK(call) TORCH_ERROR_CODE_CHECK(call)
#endif
#if defined(TORCH_VERSION_2_13_0) && TORCH_FEATURE_VERSION >= TORCH_VERSION_2_13_0
#define SINTER_TORCH_HAS_NATIVE_STREAMS
#elif !defined(USE_CUDA)
// PyTorch's header declares it for USE_CUDA alone. Absent where PyTorch has no CUDA, or libtorch_cuda is not
// linked.
extern "C" [[gnu::weak]] AOTITorchError aoti_torch_get_current_cuda_stream(std::int32_t device,
                                                                           void** stream);
#endif

namespace sinter::inline v0 {

namespace detail {

struct torch_type {
  torch::headeronly::ScalarType scalar;
  element_type type;
};
inline constexpr torch_type torch_types[] = {
    {torch::headeronly::ScalarType::Bool, element_type::boolean},
    {torch::headeronly::ScalarType::Char, element_type::int8},
    {torch::headeronly::ScalarType::Short, element_type::int16},
    {torch::headeronly::ScalarType::Int, element_type::int32},
    {torch::headeronly::ScalarType::Long, element_type::int64},
    {torch::headeronly::ScalarType::Byte, element_type::uint8},
    {torch::headeronly::ScalarType::UInt16, element_type::uint16},
    {torch::headeronly::ScalarType::UInt32, element_type::uint32},
    {torch::headeronly::ScalarType::UInt64, element_type::uint64},
    {torch::headeronly::ScalarType::Half, element_type::float16},
    {torch::headeronly::ScalarType::BFloat16, element_type::bfloat16},
    {torch::headeronly::ScalarType::Float, element_type::float32},
    {torch::headeronly::ScalarType::Double, element_type::float64},
    {torch::headeronly::ScalarType::ComplexFloat, element_type::complex64},
    {torch::headeronly::ScalarType::ComplexDouble, element_type::complex128}};

inline element_type type_of_torch(torch::headeronly::ScalarType scalar) {
  for (const torch_type& row : torch_types)
    if (row.scalar == scalar) return row.type;
  throw type_error("viewing a tensor of PyTorch's: Sinter has no element type for its dtype, number " +
                   std::to_string(static_cast<int>(scalar)) +
                   " of torch's ScalarType: convert it with x.to(dtype)");
}
inline torch::headeronly::ScalarType torch_type_of(element_type type) {
  for (const torch_type& row : torch_types)
    if (row.type == type) return row.scalar;
  throw type_error("PyTorch has no dtype for elements of type " + std::string(facts_of(type).name));
}
inline device device_of_torch(const torch::stable::Tensor& tensor) {
  if (tensor.is_cpu()) return device::cpu();
  if (tensor.is_cuda()) return device::cuda(tensor.get_device_index());
  throw device_error(
      "viewing a tensor of PyTorch's: it is neither on the CPU nor on a CUDA device: move it with "
      "x.to(device)");
}

}  // namespace detail

template <>
struct foreign_tensor<torch::stable::Tensor> {
  static any_view as_any_view(const torch::stable::Tensor& tensor) {
    if (!tensor.defined())
      throw type_error("viewing a tensor of PyTorch's: it is undefined (None in Python)");
    std::int32_t layout = 0;
    SINTER_TORCH_CHECK(aoti_torch_get_layout(tensor.get(), &layout));
    if (layout != aoti_torch_layout_strided())
      throw type_error("viewing a tensor of PyTorch's: it is sparse or packed: say x.to_dense() before");
    const auto sizes = tensor.sizes(), strides = tensor.strides();
    return any_view(tensor.data_ptr(), detail::type_of_torch(tensor.scalar_type()),
                    {sizes.data(), sizes.size()}, {strides.data(), strides.size()},
                    detail::device_of_torch(tensor));
  }
};

/// PyTorch's current stream for the tensor's device, borrowed: say so for each call, because `with
/// torch.cuda.stream(s)` changes it.
[[nodiscard]] inline stream torch_stream(const torch::stable::Tensor& tensor) {
  const device where = detail::device_of_torch(tensor);
  if (where.is_cpu()) return stream::default_of(where);
  void* handle = nullptr;
#if defined(SINTER_TORCH_HAS_NATIVE_STREAMS)
  handle = torch::stable::accelerator::getCurrentStream(tensor.get_device_index()).nativeHandle();
#else
#if !defined(USE_CUDA)
  if (&aoti_torch_get_current_cuda_stream == nullptr)
    throw device_error(
        "torch_stream: the tensor is on a GPU, and this extension is not linked with libtorch_cuda: link it "
        "(with -Wl,--no-as-needed before it), define USE_CUDA, or raise TORCH_TARGET_VERSION to 2.13");
#endif
  SINTER_TORCH_CHECK(aoti_torch_get_current_cuda_stream(tensor.get_device_index(), &handle));
#endif
  return stream::from_native(where, handle);
}

/// A new tensor of PyTorch's, row-major, on the device of `beside`: a target for into(…), in memory from
/// PyTorch's allocator.
[[nodiscard]] inline torch::stable::Tensor torch_empty(const torch::stable::Tensor& beside, element_type type,
                                                       std::span<const std::int64_t> extents) {
  std::vector<std::int64_t> strides(extents.size());
  std::int64_t stride = 1;
  for (std::size_t axis = extents.size(); axis-- > 0;) {
    strides[axis] = stride;
    stride *= extents[axis] > 0 ? extents[axis] : 1;
  }
  std::int32_t dtype = 0, kind = 0;
  dtype = torch::stable::detail::to<std::int32_t>(torch::stable::detail::from(detail::torch_type_of(type)));
  SINTER_TORCH_CHECK(aoti_torch_get_device_type(beside.get(), &kind));
  AtenTensorHandle made = nullptr;
  SINTER_TORCH_CHECK(aoti_torch_empty_strided(static_cast<std::int64_t>(extents.size()), extents.data(),
                                              strides.data(), dtype, kind, beside.get_device_index(), &made));
  return torch::stable::Tensor(made);
}
template <element T, unsigned Rank>
[[nodiscard]] torch::stable::Tensor torch_empty(const torch::stable::Tensor& beside,
                                                const shape<Rank>& extents) {
  return torch_empty(beside, element_type_of<T>, std::span<const std::int64_t>(extents.data(), Rank));
}

#if defined(TORCH_VERSION_2_11_0) && TORCH_FEATURE_VERSION >= TORCH_VERSION_2_11_0
/// Gives an array away as a tensor of PyTorch's, without a copy. `consumer` is the stream on which PyTorch
/// will use it, torch_stream(x): it waits for what wrote the elements, and the memory goes back after the
/// work on it. Needs PyTorch 2.11 or later.
[[nodiscard]] inline torch::stable::Tensor to_torch(any_array&& elements, const stream& consumer) {
  const torch::headeronly::ScalarType scalar = detail::torch_type_of(elements.type());
  const device where = elements.device();
  dlpack_abi::managed_tensor* const given =
      to_dlpack<dlpack_abi::managed_tensor>(std::move(elements), &consumer);
  const dlpack_abi::tensor& fields = given->dl_tensor;
  const auto rank = static_cast<std::size_t>(fields.ndim);
  const torch::stable::Device on =
      where.is_cpu() ? torch::stable::Device(torch::headeronly::DeviceType::CPU)
                     : torch::stable::Device(torch::headeronly::DeviceType::CUDA, fields.device.device_id);
  try {
    return torch::stable::from_blob(static_cast<std::byte*>(fields.data) + fields.byte_offset,
                                    {fields.shape, rank}, {fields.strides, rank}, on, scalar,
                                    [given](void*) { given->deleter(given); });
  } catch (...) {
    given->deleter(given);
    throw;
  }
}
template <element T, unsigned Rank>
[[nodiscard]] torch::stable::Tensor to_torch(array<T, Rank>&& elements, const stream& consumer) {
  return to_torch(any_array(std::move(elements)), consumer);
}
#endif

}  // namespace sinter::inline v0

#undef SINTER_TORCH_CHECK
#undef SINTER_TORCH_HAS_NATIVE_STREAMS
