#pragma once
// The fields of the CUDA Array Interface (sinter/cuda_array_interface.hpp).
//
// Threads: any thread may call these; the fields are read during the call.
// Throws: type_error, shape_error or device_error for fields that Sinter cannot take; order_after()
// device_error.
// After a failure: no view has been made; no stream waits.

#include <sinter/codegen/base/export.hpp>
#include <sinter/dsl/any_array.hpp>
#include <sinter/runtime/stream.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace sinter::inline v0 {

/// A foreign tensor of run-time type: it enters by any_view(x), as_view<T, Rank>(x) and dispatch<Types...>(x,
/// f), which throw for a type, a shape or a stream that Sinter cannot take. Its lists are borrowed while it
/// is used, its elements as long as there are views of them. Nothing is copied, allocated or waited for.
struct cuda_array_interface {
  std::span<const std::int64_t> shape{};
  std::string_view typestr{};  ///< as NumPy writes it: "<f4", "|b1", "<c8"
  void* data = nullptr;
  bool read_only = false;
  /// In bytes, of any sign. None: row-major.
  std::optional<std::span<const std::int64_t>> strides{};
  /// The producer's stream: 1 the legacy default stream, 2 the thread's own, else a handle. None: the
  /// elements are ready. 0 is refused, as it may be either default stream.
  std::optional<std::uintptr_t> stream{};
  /// The interface does not say it. None: the CUDA device to which the driver says that the address belongs.
  std::optional<device> where{};
};

template <>
struct foreign_tensor<cuda_array_interface> {
  SINTER_API static any_view as_any_view(const cuda_array_interface& tensor);
};

/// Makes work that is queued on `consumer` from now on wait, on the device, for the work that is queued on
/// the producer's stream: with one event if that is another stream, else with nothing. The host does not
/// wait. Throws device_error for stream 0, and if `consumer` is not a CUDA stream though the producer names
/// one.
SINTER_API void order_after(const cuda_array_interface& producer, const stream& consumer);

}  // namespace sinter::inline v0
