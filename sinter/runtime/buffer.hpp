#pragma once
// Owned memory on one device, and the interface through which a program supplies its own memory.

#include <sinter/codegen/base/export.hpp>
#include <sinter/runtime/device.hpp>
#include <sinter/runtime/stream.hpp>

#include <cstddef>
#include <span>

namespace sinter::inline v0 {

/// Allocates the memory of buffers. A library that embeds Sinter registers one to use its own allocator.
class memory_resource {
 public:
  virtual ~memory_resource() = default;
  /// Returns at least `bytes` bytes aligned to 256, usable by work queued on `on` from now on. Throws
  /// out_of_memory. May call Sinter itself.
  virtual void* allocate(std::size_t bytes, const stream& on) = 0;
  /// Frees memory. Work queued on `on` before this call may still use it; `on` already waits for Sinter's
  /// other streams that use it. `on` is the stream that the memory was allocated on, unless that stream was
  /// borrowed. During a capture of that stream this call is postponed.
  virtual void deallocate(void* data, std::size_t bytes, const stream& on) noexcept = 0;
};

/// Replaces the memory resource of a device for buffers made from now on; nullptr restores the built-in one.
/// The resource must outlive every buffer made from it.
SINTER_API void set_memory_resource(device where, memory_resource* resource);

/// Memory on one device. Move-only; freed in stream order, after all work that is queued on the device.
class SINTER_API buffer {
 public:
  buffer() = default;
  buffer(device where, std::size_t bytes, const stream& on);
  buffer(buffer&& other) noexcept;
  buffer& operator=(buffer&& other) noexcept;
  ~buffer();

  void* data() const { return data_; }
  std::size_t size() const { return bytes_; }
  device where() const { return device_; }
  void release() noexcept;

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  memory_resource* resource_ = nullptr;
  stream made_on_;
  device device_{};
};

/// Copies between any two devices, in stream order. With host memory as source it returns when the source may
/// be reused; with device memory it returns at once. `on` belongs to the CUDA device that takes part.
SINTER_API void copy_bytes(void* to, device to_device, const void* from, device from_device,
                           std::size_t bytes, const stream& on);

}  // namespace sinter::inline v0
