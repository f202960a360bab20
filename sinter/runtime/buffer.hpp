#pragma once
// Owned memory on one device.
//
// Threads: a buffer is used by one thread at a time; another thread may free it.
// Throws: out_of_memory, device_error for a stream of another device or a refusal of the driver; copy_bytes
// also error for a null address, and to the host index_error and execution_error of the work before it.
// After a failure: no buffer has been made, and foreign memory has been released; a copy that throws may have
// written its target. Moves, release() and destructors never fail.

#include <sinter/codegen/base/export.hpp>
#include <sinter/runtime/device.hpp>
#include <sinter/runtime/memory_resource.hpp>
#include <sinter/runtime/record_handle.hpp>
#include <sinter/runtime/stream.hpp>

#include <cstddef>
#include <span>

namespace sinter::inline v0 {

/// Another library's memory, and what lets it go. `release` is called once, from any thread, after the work
/// that uses the memory is done: by a later call of the library on a GPU, at once on the CPU.
struct foreign_memory {
  device where{};
  void* data = nullptr;
  std::size_t bytes = 0;
  void* owner = nullptr;
  void (*release)(void* owner) noexcept = nullptr;
};

/// Memory on one device. Move-only; freed in stream order, after the work that uses it.
class SINTER_API buffer {
 public:
  buffer() = default;
  /// From the resource that is set for the device, or from a given one.
  buffer(device where, std::size_t bytes, const stream& on);
  buffer(device where, std::size_t bytes, const stream& on, memory_resource from);
  /// Takes over another library's memory, also where it throws. Work that fills it is ordered by the caller.
  explicit buffer(const foreign_memory& taken);
  buffer(buffer&& other) noexcept;
  buffer& operator=(buffer&& other) noexcept;
  ~buffer();

  void* data() const { return data_; }
  std::size_t size() const { return bytes_; }
  device where() const { return device_; }
  /// The record of GPU memory, which lives at least as long as the memory; nullptr for other memory.
  runtime::allocation_record* record() const { return record_; }
  void release() noexcept;

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  memory_resource resource_;                      ///< of memory on the CPU
  runtime::allocation_record* record_ = nullptr;  ///< of memory on a GPU; this object is an owner of it
  device device_{};
  bool is_counted_ = false;  ///< memory of resource_ that memory_stats() has
};

/// Bytes of a copy: where they are, and the record if the memory has one.
struct copied_bytes {
  void* data = nullptr;
  device where{};
  runtime::allocation_record* record = nullptr;

  copied_bytes() = default;
  /// The source of a copy may be const.
  copied_bytes(const void* at, device on, runtime::allocation_record* known = nullptr)
      : data(const_cast<void*>(at)), where(on), record(known) {}
};

/// Copies between any two devices, in stream order, after the work on other streams that uses the memory as
/// far as its records tell. With host memory as source it returns when the source may be reused; with device
/// memory it returns at once. `on` belongs to the CUDA device that takes part.
SINTER_API void copy_bytes(const copied_bytes& to, const copied_bytes& from, std::size_t bytes,
                           const stream& on);
/// The same without records: on several streams the order is the caller's.
inline void copy_bytes(void* to, device to_device, const void* from, device from_device, std::size_t bytes,
                       const stream& on) {
  copy_bytes({to, to_device}, {from, from_device}, bytes, on);
}

}  // namespace sinter::inline v0
