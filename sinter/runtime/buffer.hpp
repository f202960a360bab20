#pragma once
// Owned memory on one device, and the interface through which a program supplies its own memory.

#include <sinter/codegen/base/export.hpp>
#include <sinter/runtime/device.hpp>
#include <sinter/runtime/record_handle.hpp>
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
  /// Frees memory. Work queued on `on` before this call may still use it; `on` already waits for the work of
  /// other streams that uses it, as far as the library knows of it (record_use). `on` is the stream that the
  /// memory was allocated on, unless that stream is gone. If a stream that uses the memory is being captured,
  /// this call is postponed.
  virtual void deallocate(void* data, std::size_t bytes, const stream& on) noexcept = 0;
};

/// Replaces the memory resource of a device for buffers made from now on; nullptr restores the built-in one.
/// The resource must outlive every buffer made from it.
SINTER_API void set_memory_resource(device where, memory_resource* resource);

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
  buffer(device where, std::size_t bytes, const stream& on);
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
  memory_resource* resource_ = nullptr;           ///< of memory on the CPU
  runtime::allocation_record* record_ = nullptr;  ///< of memory on a GPU; this object is an owner of it
  device device_{};
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
