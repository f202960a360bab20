#pragma once
// Streams and events: the order in which a device works.

#include <sinter/runtime/device.hpp>

namespace sinter {

/// An order of work on one device. A stream of the CPU is always idle: its calls return when done.
/// Move-only: an owned stream is destroyed with it.
class stream {
 public:
  /// The device's default stream (CUDA's legacy default stream, on which other libraries order themselves).
  static stream default_of(device where) { return stream(where, nullptr, false); }
  /// A new stream, owned.
  static stream create(device where);
  /// A foreign CUstream or cudaStream_t, borrowed. The numbers 1 and 2 (CUDA's special handles) are accepted.
  static stream from_native(device where, void* handle) { return stream(where, handle, false); }

  stream() = default;
  stream(stream&& other) noexcept;
  stream& operator=(stream&& other) noexcept;
  ~stream();

  void* native() const { return handle_; }
  device where() const { return device_; }
  /// Waits for all work queued so far; errors of that work appear here.
  void synchronize() const;
  /// True if all work queued so far is done.
  bool idle() const;

 private:
  stream(device where, void* handle, bool owned) : handle_(handle), device_(where), owned_(owned) {}
  void* handle_ = nullptr;
  device device_{};
  bool owned_ = false;
};

/// A mark in a stream.
class event {
 public:
  event() = default;
  explicit event(const stream& recorded_on);
  event(event&& other) noexcept;
  event& operator=(event&& other) noexcept;
  ~event();
  void synchronize() const;
  bool done() const;
  /// Makes later work on `waiting` wait for this mark.
  void wait_on(const stream& waiting) const;

 private:
  void* handle_ = nullptr;
  device device_{};
};

/// Waits for all work on the device.
void synchronize(device where);
/// Waits for all work on the default device.
void synchronize();

}  // namespace sinter
