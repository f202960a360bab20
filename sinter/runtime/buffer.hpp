#pragma once
// Owned memory on one device, and the interface by which a program supplies its own.

#include <sinter/runtime/device.hpp>
#include <sinter/runtime/stream.hpp>

#include <cstddef>
#include <span>

namespace sinter {

/// Where buffers come from. A library author registers one to embed Sinter under an allocator of their own.
class memory_resource {
 public:
  virtual ~memory_resource() = default;
  /// At least `bytes` bytes aligned to 256, usable by work queued on `on` from now. Throws out_of_memory. It
  /// may call Sinter itself.
  virtual void* allocate(std::size_t bytes, const stream& on) = 0;
  /// Work queued on `on` before this call may still use the memory; other streams of Sinter's have been
  /// waited for there. That is the stream that the memory was allocated on, unless it was a borrowed one. Not
  /// called during a capture of that stream, but later.
  virtual void deallocate(void* data, std::size_t bytes, const stream& on) noexcept = 0;
};

/// Replaces the memory resource of a device for buffers made from now on; nullptr restores the built-in one.
/// The resource must outlive every buffer made from it.
void set_memory_resource(device where, memory_resource* resource);

/// Memory on one device, move-only, freed in stream order: after all work that was queued on the device.
class buffer {
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

/// Copies between any two devices, in stream order; returns when the source may be reused (host memory) or at
/// once (device memory). `on` belongs to the CUDA device that takes part.
void copy_bytes(void* to, device to_device, const void* from, device from_device, std::size_t bytes,
                const stream& on);

}  // namespace sinter
